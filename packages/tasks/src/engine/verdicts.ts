import type { HookFile, Verdicts } from "@quasar/hookfile";
import type { TaskPorts } from "../steps/step.ts";
import type { EngineParts } from "./parts.ts";

/** Milliseconds. */
const HOLDS_FOR = 10_000;

/**
 * What verification finds, for HOOK.md. It reads again all that the commands have printed, and HOOK.md is
 * written every second while an agent works: so what was found is good for ten seconds, unless there are
 * new receipts.
 */
export function verdictsFor(drive: {
  readonly taskDir: string;
  readonly ports: Pick<TaskPorts, "keys">;
  readonly parts: Pick<EngineParts, "receipts">;
}): (hook: HookFile) => Verdicts {
  const { taskDir, ports, parts } = drive;
  let last: { readonly count: number; readonly at: number; readonly found: Verdicts } | undefined;
  return (hook) => {
    const count = hook.counts.receipts;
    const at = performance.now();
    if (last === undefined || last.count !== count || at - last.at > HOLDS_FOR) {
      last = { count, at, found: parts.receipts.view(taskDir, hook, ports.keys) };
    }
    return last.found;
  };
}
