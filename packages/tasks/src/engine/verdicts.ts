import type { HookFile, HookFileStoreOptions } from "@quasar/hookfile";
import type { TaskPorts } from "../steps/step.ts";
import { type JudgedReceipts, problemsOf } from "../validation/receipt-chain.ts";
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
}): Pick<HookFileStoreOptions, "verdicts" | "receiptProblems"> {
  const { taskDir, ports, parts } = drive;
  let last:
    | { readonly count: number; readonly at: number; readonly found: JudgedReceipts }
    | undefined;
  const judge = (hook: HookFile): JudgedReceipts => {
    const count = hook.counts.receipts;
    const at = performance.now();
    if (last === undefined || last.count !== count || at - last.at > HOLDS_FOR) {
      last = { count, at, found: parts.receipts.judge(taskDir, hook, ports.keys) };
    }
    return last.found;
  };
  return {
    verdicts: (hook) => judge(hook).verdicts,
    receiptProblems: (hook) => problemsOf(judge(hook).chain),
  };
}
