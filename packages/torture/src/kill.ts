import type { Kill } from "./trial.ts";
import type { KillKind } from "./watcher.ts";

export const KILL_KINDS: readonly KillKind[] = ["runner", "everything"];

/** `runner at rename work/state.json #1`, `everything after 120 ms`, `runner at spawn git #1 in command 2` */
export function formatKill({ kind, step, afterMs, life }: Kill): string {
  const when = step === undefined ? `after ${afterMs} ms` : `at ${step}`;
  return life === undefined ? `${kind} ${when}` : `${kind} ${when} in command ${life + 1}`;
}

/** The kill that a text stands for; `undefined` for anything else. */
export function parseKill(text: string): Kill | undefined {
  const [, word, step, ms, number] = KILL.exec(text) ?? [];
  const kind = KILL_KINDS.find((each) => each === word);
  if (kind === undefined) return undefined;
  const life = number === undefined ? {} : { life: Number(number) - 1 };
  return step === undefined ? { kind, afterMs: Number(ms), ...life } : { kind, step, ...life };
}

const KILL = /^(\w+) (?:at (.+ #[1-9]\d*)|after (\d+) ms)(?: in command ([1-9]\d*))?$/su;
