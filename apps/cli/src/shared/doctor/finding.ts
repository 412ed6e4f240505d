/** How much something stands in the way of a run. */
export type State = "ok" | "warning" | "problem" | "unknown";

/** What was found of one thing that a run depends on. Hostile text in it is not cleaned yet. */
export interface Finding {
  /** What it is about, in a word: its label on the screen, and stable for programs. */
  readonly check: string;
  readonly state: State;
  readonly message: string;
  /** Commands that help, and steps for a person; most likely first. */
  readonly next: readonly string[];
}

export function ok(check: string, message: string): Finding {
  return { check, state: "ok", message, next: [] };
}

export function warning(check: string, message: string, next: readonly string[]): Finding {
  return { check, state: "warning", message, next };
}

export function problem(check: string, message: string, next: readonly string[]): Finding {
  return { check, state: "problem", message, next };
}

export function unknown(check: string, message: string, next: readonly string[] = []): Finding {
  return { check, state: "unknown", message, next };
}
