import type { EngineLimits, NebulaState, PhaseState, StopReason } from "@quasar/nebula";
import { shellWord } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";

const EXIT_OF: Readonly<Record<StopReason, ExitCode>> = {
  done: EXIT.ok,
  landed: EXIT.ok,
  failed: EXIT.notApproved,
  budget: EXIT.budget,
  waiting: EXIT.person,
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
  reason: StopReason,
  { totalUsd }: Pick<EngineLimits, "totalUsd">,
): readonly string[] {
  if (reason !== "budget") return stepsOfNebula(state);
  return [`${resumeOf(state)} --total-budget ${Math.ceil(totalUsd * 1.5)}`];
}

/** What a person types for a nebula as it stands: first what it waits for. */
export function stepsOfNebula(state: NebulaState): readonly string[] {
  const { id: nebulaId, branch, phases } = state;
  const asked = phases.filter(({ status }) => status === "awaiting_human");
  const failed = phases.filter(({ status }) => status === "failed");
  const isOpen = phases.some(({ status }) => GOES_ON.has(status));
  const landed = [`git merge ${shellWord(branch)}`, `git log --first-parent ${shellWord(branch)}`];
  return [
    ...asked.slice(0, 2).flatMap((phase) => answersOf(phase, nebulaId)),
    ...failed.slice(0, 2).map(({ id }) => answer("retry", id, nebulaId)),
    ...(isOpen ? [resumeOf(state)] : []),
    ...(asked.length + failed.length === 0 && !isOpen ? landed : []),
  ];
}

const GOES_ON: ReadonlySet<string> = new Set(["pending", "running", "queued", "landing"]);

/** The command that resumes a nebula. */
export function resumeOf({ id }: Pick<NebulaState, "id">): string {
  return `quasar nebula apply ${id} --auto --resume`;
}

function answersOf({ id, question }: PhaseState, nebulaId: string): readonly string[] {
  if (question !== "land") return [answer("retry", id, nebulaId), answer("skip", id, nebulaId)];
  return [
    `${answer("diff", id, nebulaId)} --landed`,
    answer("approve", id, nebulaId),
    `${answer("reject", id, nebulaId)} --reason "what is wrong"`,
  ];
}

/** It names the nebula: another one may be unfinished, too. */
function answer(command: string, phase: string, nebulaId: string): string {
  return `quasar nebula ${command} ${shellWord(phase)} --nebula ${nebulaId}`;
}
