import type { KillKind } from "./watcher.ts";

/** A kill of one life: the first kill is of the run, the second one of the resume after it. */
export type Kill = {
  readonly kind: KillKind;
  /** Which life, if not the one that the kill's place among the kills says; from 0. */
  readonly life?: number | undefined;
} & (
  | { readonly step: string; readonly afterMs?: undefined }
  | { readonly step?: undefined; readonly afterMs: number }
);

export const KILL_KINDS: readonly KillKind[] = ["runner", "group", "everything"];

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
