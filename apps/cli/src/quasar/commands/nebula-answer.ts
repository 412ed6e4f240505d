import {
  type Answer,
  type Answered,
  answerPhase,
  findNebula,
  type NebulaState,
} from "@quasar/nebula";
import {
  answerQuestion,
  canDecide,
  chooseNebula,
  decidePlan,
  editedSince,
  nebulaOfQuestion,
  noQuestion,
} from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { openWorkspace } from "@quasar/runs/internal";
import { cleanLine, jsonLine, shellWord } from "@quasar/runs/text";
import { ask, canAsk } from "../../shared/ask.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { nebulaOfPhase } from "../nebula/choose.ts";
import { type EditedAdvice, editedAdvice, withEdited } from "../nebula/edited.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import { nextOf } from "../nebula/next.ts";
import type { NebulaAnswerLine } from "../schemas/nebula-apply.ts";

export interface NebulaAnswerOptions {
  readonly nebula?: string | undefined;
  readonly reason?: string | undefined;
  readonly final?: true | undefined;
  readonly json?: true | undefined;
  /** The server of the fleet that works on it. */
  readonly fleet?: string | undefined;
}

const DONE: Readonly<Record<Answer["verb"], string>> = {
  approve: "approved: it lands when its turn comes",
  reject: "rejected: it goes back to its agents",
  retry: "begins again on what has landed",
  skip: "skipped, and what needs it once an engine works",
};

const PLAN_DONE = {
  approve: "approved: its phases begin when the nebula is resumed",
  reject: "rejected: no phase begins before its files are changed, or you approve it after all",
} as const;

/** `quasar nebula approve`, `reject`, `retry` and `skip`: what a person decides of a phase. */
export async function nebulaAnswerCommand(
  verb: Answer["verb"],
  phase: string,
  { nebula, reason, final, json, fleet }: NebulaAnswerOptions,
): Promise<ExitCode> {
  refuseAgents(verb);
  if (fleet !== undefined) {
    const { decideOverFleet } = await import("../fleet/decide.ts");
    return decideOverFleet(verb, phase, { fleet, nebula, reason, final, json });
  }
  const workspace = await openWorkspace(process.cwd());
  const { repositoryId } = workspace;
  const state = nebulaOfPhase(repositoryId, nebula, {
    ...{ command: verb, phase },
    isFor: (each) => canDecide(each, verb, phase),
  });
  const isFinal = final === true;
  const answer = { verb, phase, isFinal, reason: await reasonOf(verb, phase, { reason, isFinal }) };
  const answered = answerPhase(repositoryId, state, answer);
  const words =
    verb === "reject" && isFinal
      ? "rejected for good; what needs it is skipped once an engine works"
      : verb === "retry" && isCoderDone(state, phase)
        ? "its run continues with what its coder has finished"
        : DONE[verb];
  // A person who has another attempt made may have edited its file for that.
  const edited = verb === "retry" ? editedSince(repositoryId, state) : undefined;
  const isFolderChanged = verb === "retry" ? edited !== undefined : undefined;
  const advice = editedAdvice(edited, state.dir);
  const told = { workspace, state, answered, about: phase, words, advice };
  return tell(told, { phaseId: phase, decision: verb, isFolderChanged }, json);
}

function isCoderDone({ phases }: NebulaState, phase: string): boolean {
  return phases.some(({ id, status, isCoderDone: isDone }) => {
    return id === phase && status === "failed" && isDone;
  });
}

/** A rejection says what is wrong, since agents work by it. @throws {CliError} `ERR_USAGE` */
async function reasonOf(
  verb: Answer["verb"],
  phase: string,
  { reason = "", isFinal }: Pick<Answer, "reason" | "isFinal">,
): Promise<string> {
  if (verb !== "reject" || isFinal === true || reason.trim() !== "") return reason;
  const said = canAsk() ? await ask("What is wrong, for its agents: ") : "";
  if (said !== "") return said;
  throw new CliError("ERR_USAGE", "--reason is missing: its agents need to know what is wrong", {
    next: [`quasar nebula reject ${shellWord(phase)} --reason "keep the old flag"`],
  });
}

/** `quasar nebula approve` and `reject` without a phase: what a person decides of the plan. */
export async function nebulaPlanDecisionCommand(
  verb: "approve" | "reject",
  { nebula, reason, final, json, fleet }: NebulaAnswerOptions,
): Promise<ExitCode> {
  refuseAgents(verb);
  if (final === true) {
    throw new CliError("ERR_USAGE", "--final is about a phase, and none is named", {
      next: ["quasar nebula reject PHASE --final"],
    });
  }
  if (fleet !== undefined) {
    const { decidePlanOverFleet } = await import("../fleet/decide.ts");
    return decidePlanOverFleet(verb, { fleet, nebula, reason, json });
  }
  const workspace = await openWorkspace(process.cwd());
  const { repositoryId } = workspace;
  const state = chooseNebula(repositoryId, nebula, {
    step: (id) => `quasar nebula ${verb} --nebula ${id}`,
    isFor: (each) => isPlanAsked(each) || (verb === "approve" && each.planVerdict === "rejected"),
    prefers: [isPlanAsked],
  });
  const answered = decidePlan(repositoryId, state, { verb, reason });
  const words = PLAN_DONE[verb];
  const told = { workspace, state, answered, about: "plan", words };
  return tell(told, { phaseId: "", decision: verb }, json);
}

function isPlanAsked({ planVerdict }: NebulaState): boolean {
  return planVerdict === "asked";
}

/** `quasar nebula answer`: answers a question of an agent. */
export async function nebulaQuestionCommand(
  question: string,
  text: string,
  { nebula, json, fleet }: Pick<NebulaAnswerOptions, "nebula" | "json" | "fleet">,
): Promise<ExitCode> {
  refuseAgents("answer");
  if (fleet !== undefined) {
    const { answerOverFleet } = await import("../fleet/decide.ts");
    return answerOverFleet(question, text, { fleet, nebula, json });
  }
  const workspace = await openWorkspace(process.cwd());
  const { repositoryId } = workspace;
  // It names its nebula, of which several may be unfinished.
  const state =
    nebula === undefined
      ? nebulaOfQuestion(repositoryId, question)
      : findNebula(repositoryId, nebula);
  if (state === undefined) throw noQuestion(repositoryId, question);
  const answered = answerQuestion(repositoryId, state, { question, text });
  const phase = state.phases.find(({ questions }) => questions.includes(question));
  const words = "answered, for the next prompt";
  const told = { workspace, state, answered, about: question, words };
  const facts = { phaseId: phase?.id ?? "", decision: "answer", questionId: question } as const;
  return tell(told, facts, json);
}

interface ToTell {
  readonly workspace: Workspace;
  /** As it was before. */
  readonly state: NebulaState;
  readonly answered: Answered;
  /** The phase, the question, or the plan. */
  readonly about: string;
  readonly words: string;
  /** What to do about its folder. @default nothing */
  readonly advice?: EditedAdvice | undefined;
}

const WHEN = {
  done: "",
  left: " (the engine takes it within a second)",
  kept: ", unless it has landed, which the next resume finds out",
} as const;

/** Prints what became of an answer. @throws {CliError} `ERR_STATE` where it was refused. */
async function tell(
  { workspace, state, answered, about, words, advice }: ToTell,
  facts: Pick<NebulaAnswerLine, "phaseId" | "decision" | "questionId" | "isFolderChanged">,
  json: true | undefined,
): Promise<ExitCode> {
  if (answered.kind === "refused") {
    throw new CliError("ERR_STATE", `${cleanLine(about)}: ${answered.why}`, {
      next: [`quasar nebula status ${state.id} --all`],
    });
  }
  const next = withEdited(
    advice,
    answered.kind === "left"
      ? [`quasar nebula status ${state.id}`]
      : await nextOf(workspace, findNebula(workspace.repositoryId, state.id)),
  );
  if (json === true) {
    const taken = { nebulaId: state.id, ...facts, isTaken: answered.kind === "done" };
    const line = result("nebula_answer", taken, EXIT.ok, next) satisfies NebulaAnswerLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...labelled(view, cleanLine(about), `${words}${WHEN[answered.kind]}`),
    ...(advice === undefined ? [] : labelled(view, "edited", advice.words, "yellow")),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}
