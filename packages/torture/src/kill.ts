import type { Kill } from "./trial.ts";
import type { KillKind } from "./watcher.ts";

export const KILL_KINDS: readonly KillKind[] = ["runner", "everything"];

/** `runner at rename work/state.json #1`, `everything after 120 ms` */
export function formatKill({ kind, step, afterMs }: Kill): string {
  return step === undefined ? `${kind} after ${afterMs} ms` : `${kind} at ${step}`;
}

/** The kill that a text stands for; `undefined` for anything else. */
export function parseKill(text: string): Kill | undefined {
  const [, word, step, ms] = /^(\w+) (?:at (.+ #[1-9]\d*)|after (\d+) ms)$/su.exec(text) ?? [];
  const kind = KILL_KINDS.find((each) => each === word);
  if (kind === undefined) return undefined;
  return step === undefined ? { kind, afterMs: Number(ms) } : { kind, step };
}
