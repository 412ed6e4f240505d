/** What a step does to the disk or starts; `asked` and `answered` are of a model. */
export type StepKind =
  | "create"
  | "write"
  | "truncate"
  | "fsync"
  | "rename"
  | "link"
  | "unlink"
  | "mkdir"
  | "spawn"
  | "ended"
  | "asked"
  | "answered";

export const STEP_KINDS: readonly StepKind[] = [
  "create",
  "write",
  "truncate",
  "fsync",
  "rename",
  "link",
  "unlink",
  "mkdir",
  "spawn",
  "ended",
  "asked",
  "answered",
];

/**
 * A durable step of a process, named so that the same step has the same name in every run: by what
 * it is done to, and by how often that was done before. Steps on other things do not shift it.
 *
 * @see SPEC.md, "Names of steps"
 */
export interface Step {
  readonly kind: StepKind;
  /** A path in the trial's folder, or a program and its command; chance is replaced by `*`. */
  readonly on: string;
  /** From 1. */
  readonly occurrence: number;
}

/** `rename repo/.git/quasar/lock.owner.json #1` */
export function formatStep({ kind, on, occurrence }: Step): string {
  return `${kind} ${on} #${occurrence}`;
}

/** The step that a name stands for; `undefined` for anything else. */
export function parseStep(name: string): Step | undefined {
  const [, word, on = "", count] = /^(\S+) (.+) #([1-9]\d*)$/su.exec(name) ?? [];
  const kind = STEP_KINDS.find((each) => each === word);
  return kind === undefined ? undefined : { kind, on, occurrence: Number(count) };
}
