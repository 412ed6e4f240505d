import type { NebulaState, PhaseState, StopReason } from "@quasar/nebula";
import { type NeedFacts, needsOf } from "@quasar/nebula/facts";
import {
  awaitsPush,
  isPushed,
  type NebulaNow,
  type NebulaObstacle,
  resumeCommand,
} from "@quasar/nebula/internal";
import { shellWord } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { withRemark } from "../../shared/remark.ts";
import type { BranchStands } from "./branch-stands.ts";
import { NOTHING_SHORT, type Raising } from "./limits.ts";
import { showStep } from "./show-step.ts";

const EXIT_OF: Readonly<Record<StopReason, ExitCode>> = {
  done: EXIT.ok,
  landed: EXIT.ok,
  failed: EXIT.notApproved,
  budget: EXIT.budget,
  waiting: EXIT.person,
  red_base: EXIT.person,
  limit: EXIT.limit,
  interrupted: EXIT.sigint,
};

/** With which code an engine's command ends. */
export function exitOfNebula(reason: StopReason): ExitCode {
  return EXIT_OF[reason];
}

/** What steps depend on beside the nebula itself. */
export interface Around {
  /** What raises the limits that are too small. @default not known */
  readonly raising?: Raising | undefined;
  /** The one on GitHub that its branch would be pushed to. @default none */
  readonly remote?: string | undefined;
  /** Where its branch stands. @default `open` */
  readonly branch?: BranchStands | undefined;
  /** Work trees with what failed phases could not commit, by the phase's id. @default none */
  readonly toFix?: ReadonlyMap<string, string> | undefined;
  /** What stands in the way of an engine. @default nothing */
  readonly obstacles?: readonly NebulaObstacle[] | undefined;
}

/** With which a resume accepts what stands in its way. */
const FLAGS = {
  settings: "--accept-settings",
  "red-base": "--accept-red-base",
} as const satisfies Record<NonNullable<NebulaObstacle["accepts"]>, string>;

/** What repairs a branch that fails by itself. */
function redBaseSteps({ id, dir }: NebulaState, fails: NebulaObstacle["fails"]): readonly string[] {
  if (fails === undefined) return [];
  return [
    `quasar nebula update-base --nebula ${id}   # once your branch has a fix`,
    `quasar nebula update ${shellWord(dir)}   # or once ${fails} is corrected`,
  ];
}

/**
 * What a person types for a nebula as it stands: first what it waits for. Of several phases that wait the first has all
 * of its commands, and each other one the command that shows it.
 */
export function stepsOfNebula(
  state: NebulaState,
  now: NebulaNow,
  around: Around = {},
): readonly string[] {
  const { raising = NOTHING_SHORT, obstacles = [], toFix } = around;
  const { id: nebulaId, phases } = state;
  if (state.archivedFrom !== "") return endSteps(state, around);
  const needs = needsOf(state, now);
  if (needs[0]?.kind === "plan") return [...now.pauseEnds, ...planSteps(state)];
  const question = needs.find(({ kind }) => kind === "agent")?.questionId;
  const ofKinds = (...kinds: readonly NeedFacts["kind"][]): readonly PhaseState[] => {
    const ids = new Set(needs.filter(({ kind }) => kinds.includes(kind)).map(phaseOf));
    return phases.filter(({ id }) => ids.has(id));
  };
  const waiting = ofKinds("land", "rework");
  const failed = ofKinds("failed");
  const isWorkedOn = now.pid !== undefined;
  const steps = [
    ...now.pauseEnds,
    ...obstacles.flatMap(({ shells = [] }) => shells),
    ...obstacles.flatMap(({ fails }) => redBaseSteps(state, fails)),
    ...(question === undefined ? [] : [answerStep(question)]),
    ...waitingSteps(waiting, nebulaId),
    ...failedSteps(failed, nebulaId, toFix),
    ...raising.steps,
  ];
  const isOpen = phases.some(
    ({ status, question: asks }) => GOES_ON.has(status) || asks === "budget",
  );
  if (isOpen && !isWorkedOn) {
    const accepts = obstacles
      .flatMap(({ accepts: what }) => (what ? ` ${FLAGS[what]}` : []))
      .join("");
    const resume = `${resumeCommand(state)}${accepts}${raising.flags}${waitLimit(now)}`;
    return [...steps, resume, ...liftSteps(now)];
  }
  const isEnded = !isOpen && waiting.length === 0 && question === undefined;
  // What is said of a branch is not true of one that lacks what has landed.
  if (isEnded && obstacles.length === 0) return [...steps, ...endSteps(state, around)];
  if (steps.length > 0) return steps;
  const watch = [`quasar nebula log ${nebulaId} --follow`, ...stopSteps(state, now)];
  return [...watch, ...liftSteps(now)];
}

/** What stops an engine that works, or has it stop sooner. */
function stopSteps({ id }: NebulaState, { stops }: NebulaNow): readonly string[] {
  if (stops === undefined) return [`quasar nebula stop ${id}`];
  if (stops.isNow) return [];
  return [withRemark(`quasar nebula stop ${id} --now`, "cuts the turns in flight off")];
}

/** What becomes of what has landed, or of a nebula that has landed nothing. */
function endSteps(
  state: NebulaState,
  { remote, branch: stands = "open" }: Around,
): readonly string[] {
  const { id, phases, archivedFrom } = state;
  const hasFailed = archivedFrom === "" && phases.some(({ status }) => status === "failed");
  if (!phases.some(({ landing }) => landing > 0)) {
    return [`quasar nebula prune ${id}${hasFailed ? " --with-failed" : ""}`];
  }
  const branch = shellWord(state.branch);
  if (stands !== "open") {
    const log = stands === "gone" ? [] : [`git log --first-parent ${branch}`];
    return hasFailed ? log : [`quasar nebula prune ${id}`];
  }
  const create = `gh pr create --fill --head ${branch}`;
  const push = `git push ${shellWord(remote ?? "")} ${branch} && `;
  return [
    ...(awaitsPush(state) ? [`${resumeCommand(state)} --push`] : []),
    `git merge ${branch}`,
    ...(remote === undefined ? [] : [isPushed(state) ? create : push + create]),
    `git log --first-parent ${branch}`,
  ];
}

/** What a person types for one phase as it stands. */
export function stepsOfPhase(
  state: NebulaState,
  phase: PhaseState,
  now: NebulaNow,
  { toFix }: Pick<Around, "toFix"> = {},
): readonly string[] {
  const { id: nebulaId } = state;
  if (now.pid === undefined && now.limits.has(phase.id)) {
    return [`${resumeCommand(state)}${waitLimit(now)}`];
  }
  if (isAsking(phase)) return phase.questions.slice(0, 1).map(answerStep);
  if (phase.status === "awaiting_human") return answersOf(phase, nebulaId);
  if (phase.status === "failed") return retrySteps(phase, nebulaId, toFix);
  return phase.status === "skipped" ? [answer("retry", phase.id, nebulaId)] : [];
}

const GOES_ON: ReadonlySet<string> = new Set(["pending", "running", "queued", "landing"]);

const HOUR_MS = 3_600_000;

/** Has a resume wait until the last of the usage limits is lifted that stopped phases. */
function waitLimit({ limits }: NebulaNow): string {
  const until = [...limits.values()].map((limit) => Date.parse(limit.until) - Date.now());
  if (until.length === 0) return "";
  return ` --wait-limit ${Math.max(1, Math.ceil(Math.max(...until) / HOUR_MS))}h`;
}

/** Has agents asked again although their usage limits stand. */
function liftSteps({ limits }: NebulaNow): readonly string[] {
  const agents = new Map([...limits.values()].map(({ agent, file }) => [agent, file]));
  return [...agents].map(([agent, file]) =>
    withRemark(`rm ${shellWord(file)}`, `if the limit of ${agent} is lifted already`),
  );
}

const phaseOf = ({ phase }: NeedFacts): string => phase;

/** What a person types about a plan that waits for them. Its folder may be gone; it is planned by its copy. */
function planSteps({ id, dir, planVerdict }: NebulaState): readonly string[] {
  const approve = `quasar nebula approve --nebula ${id}`;
  if (planVerdict === "rejected") return [`quasar nebula update ${shellWord(dir)}`, approve];
  return [
    `quasar nebula plan ${id}`,
    approve,
    `quasar nebula reject --nebula ${id} --reason "what is wrong"`,
  ];
}

function answerStep(question: string): string {
  return `quasar nebula answer ${question} "your answer"`;
}

/** Whether a phase waits for the answer to a question of its agents. */
function isAsking({ question, questions }: PhaseState): boolean {
  return question === "answer" && questions.length > 0;
}

function answersOf(
  { id, question, merges, asksPerson, approvedCandidate }: PhaseState,
  nebulaId: string,
): readonly string[] {
  if (merges !== "" && asksPerson) {
    const again = `quasar nebula update-base ${merges.slice(0, 10)} --with-agent`;
    return [`${again} --nebula ${nebulaId}`, answer("skip", id, nebulaId)];
  }
  if (question === "budget") return [answer("skip", id, nebulaId)];
  if (question !== "land") return [retryStep(id, nebulaId), answer("skip", id, nebulaId)];
  return [
    ...(approvedCandidate === "" ? [] : [answer("diff", id, nebulaId, " --since-approval")]),
    answer("diff", id, nebulaId, " --landed"),
    answer("approve", id, nebulaId),
    answer("reject", id, nebulaId, ' --reason "…"'),
  ];
}

const MOST_WAITING = 3;

/** Of the first all that can be typed, after why it waits where that may not change by itself. */
function waitingSteps(waiting: readonly PhaseState[], nebulaId: string): readonly string[] {
  const [first, ...others] = waiting;
  if (first === undefined) return [];
  const shown = others.slice(0, MOST_WAITING - 1).map(({ id }) => showStep(id, nebulaId));
  const all = [`quasar nebula status ${nebulaId} --all   # ${waiting.length} phases wait`];
  return [
    ...(first.question === "rework" ? [showStep(first.id, nebulaId)] : []),
    ...answersOf(first, nebulaId),
    ...shown.map((step) => `${step}   # waits for you, too`),
    ...(waiting.length > MOST_WAITING ? all : []),
  ];
}

function retryStep(
  id: string,
  nebulaId: string,
  note = "with an unchanged text it may fail again",
): string {
  return withRemark(answer("retry", id, nebulaId), note);
}

/** Where the work of its coder could not be committed a person first sees to that. */
function retrySteps(
  { id, isCoderDone }: PhaseState,
  nebulaId: string,
  toFix: Around["toFix"],
): readonly string[] {
  const tree = toFix?.get(id);
  if (tree !== undefined) {
    const fix = withRemark(
      `cd ${shellWord(tree)}`,
      "its files, not committed: fix what refused them",
    );
    return [fix, retryStep(id, nebulaId, "the commit is tried first")];
  }
  return [isCoderDone ? retryStep(id, nebulaId, "its run continues") : retryStep(id, nebulaId)];
}

const MOST_FAILED = 3;

/** Of each first why it has failed, in full. */
function failedSteps(
  failed: readonly PhaseState[],
  nebulaId: string,
  toFix: Around["toFix"],
): readonly string[] {
  const shown = failed
    .slice(0, MOST_FAILED)
    .flatMap((phase) => [showStep(phase.id, nebulaId), ...retrySteps(phase, nebulaId, toFix)]);
  if (failed.length <= MOST_FAILED) return shown;
  return [...shown, `quasar nebula status ${nebulaId} --all   # ${failed.length} phases failed`];
}

/** It names the nebula: another one may be unfinished, too. An id that looks like an option stands behind `--`. */
export function answer(command: string, phase: string, nebulaId: string, more = ""): string {
  const [word, options] = [shellWord(phase), `--nebula ${nebulaId}${more}`];
  return phase.startsWith("-")
    ? `quasar nebula ${command} ${options} -- ${word}`
    : `quasar nebula ${command} ${word} ${options}`;
}
