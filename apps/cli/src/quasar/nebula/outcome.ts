import type { EngineLimits, NebulaState, PhaseState, StopReason } from "@quasar/nebula";
import type { NebulaNow } from "@quasar/nebula/internal";
import { shellWord } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";

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

/** What a person types after an engine has ended. */
export function nextOfNebula(
  state: NebulaState,
  now: NebulaNow,
  reason: StopReason,
  { totalUsd }: Pick<EngineLimits, "totalUsd">,
): readonly string[] {
  if (reason === "red_base") return [`${resumeOf(state)} --accept-red-base`];
  if (reason !== "budget") return stepsOfNebula(state, now);
  return [`${resumeOf(state)} --total-budget ${Math.ceil(totalUsd * 1.5)}`];
}

/**
 * What a person types for a nebula as it stands: first what it waits for. Of several phases of a kind the first, since
 * the others come after it.
 *
 * @param now - @default no engine works on it, and no usage limit is known
 */
export function stepsOfNebula(state: NebulaState, now?: NebulaNow): readonly string[] {
  const { id: nebulaId, branch, phases } = state;
  const asked = phases.find(({ status }) => status === "awaiting_human");
  const failed = phases.find(({ status }) => status === "failed");
  const isOpen = phases.some(({ status }) => GOES_ON.has(status));
  const isWorkedOn = now?.pid !== undefined;
  const steps = [
    ...(now?.pauseEnds ?? []),
    ...(asked === undefined ? [] : answersOf(asked, nebulaId)),
    ...(failed === undefined ? [] : [answer("retry", failed.id, nebulaId)]),
    ...(isOpen && !isWorkedOn ? [`${resumeOf(state)}${waitLimit(now)}`] : []),
  ];
  if (steps.length > 0) return steps;
  if (isWorkedOn) return [`quasar nebula log ${nebulaId}`, `quasar nebula stop ${nebulaId}`];
  return [`git merge ${shellWord(branch)}`, `git log --first-parent ${shellWord(branch)}`];
}

/** What a person types for one phase as it stands. */
export function stepsOfPhase({ id: nebulaId }: NebulaState, phase: PhaseState): readonly string[] {
  if (phase.status === "awaiting_human") return answersOf(phase, nebulaId);
  const isOver = phase.status === "failed" || phase.status === "skipped";
  return isOver ? [answer("retry", phase.id, nebulaId)] : [];
}

const GOES_ON: ReadonlySet<string> = new Set(["pending", "running", "queued", "landing"]);

const HOUR_MS = 3_600_000;

/** Has a resume wait until the last of the usage limits is lifted that stopped phases. */
function waitLimit(now: NebulaNow | undefined): string {
  const until = [...(now?.limits.values() ?? [])].map((at) => Date.parse(at) - Date.now());
  if (until.length === 0) return "";
  return ` --wait-limit ${Math.max(1, Math.ceil(Math.max(...until) / HOUR_MS))}h`;
}

/** The command that resumes a nebula. */
export function resumeOf({ id }: Pick<NebulaState, "id">): string {
  return `quasar nebula apply ${id} --auto --resume`;
}

function answersOf(
  { id, question, merges, asksPerson }: PhaseState,
  nebulaId: string,
): readonly string[] {
  if (merges !== "" && asksPerson) {
    const again = `quasar nebula update-base ${merges.slice(0, 10)} --with-agent`;
    return [`${again} --nebula ${nebulaId}`, answer("skip", id, nebulaId)];
  }
  if (question !== "land") return [answer("retry", id, nebulaId), answer("skip", id, nebulaId)];
  return [
    answer("diff", id, nebulaId, " --landed"),
    answer("approve", id, nebulaId),
    answer("reject", id, nebulaId, ' --reason "…"'),
  ];
}

/** It names the nebula: another one may be unfinished, too. An id that looks like an option stands behind `--`. */
function answer(command: string, phase: string, nebulaId: string, more = ""): string {
  const [word, options] = [shellWord(phase), `--nebula ${nebulaId}${more}`];
  return phase.startsWith("-")
    ? `quasar nebula ${command} ${options} -- ${word}`
    : `quasar nebula ${command} ${word} ${options}`;
}
