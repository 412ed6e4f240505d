import type { EngineLimits, NebulaState, StopReason } from "@quasar/nebula";
import { shellWord } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";

const EXIT_OF: Readonly<Record<StopReason, ExitCode>> = {
  done: EXIT.ok,
  failed: EXIT.notApproved,
  budget: EXIT.budget,
  waiting: EXIT.person,
  interrupted: EXIT.sigint,
};

/** With which code an engine's command ends. */
export function exitOfNebula(reason: StopReason): ExitCode {
  return EXIT_OF[reason];
}

/** What a person types after an engine has ended. */
export function nextOfNebula(
  { id, branch, phases }: NebulaState,
  reason: StopReason,
  { totalUsd }: Pick<EngineLimits, "totalUsd">,
): readonly string[] {
  const resume = `quasar nebula apply ${id} --auto --resume`;
  switch (reason) {
    case "done":
      return [`git merge ${shellWord(branch)}`, `git log --first-parent ${shellWord(branch)}`];
    case "interrupted":
      return [resume];
    case "budget":
      return [`${resume} --total-budget ${Math.ceil(totalUsd * 1.5)}`];
    case "waiting":
    case "failed": {
      const open = phases.filter(
        ({ status }) => status === "awaiting_human" || status === "failed",
      );
      const [first] = open;
      const retry =
        first === undefined ? [] : [`quasar nebula retry ${shellWord(first.id)} --nebula ${id}`];
      return [...retry, `quasar nebula status ${id}`];
    }
  }
}
