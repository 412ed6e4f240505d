/** Which phase lands first: see `merge_order` in the SPEC of `@quasar/nebula`. */
export type MergeOrder = "plan" | "ready";

/** A nebula whose engine is killed. */
export interface TorturedNebula {
  /** What each phase needs, in the order of the plan. */
  readonly phases: Readonly<Record<string, readonly string[]>>;
  readonly order: MergeOrder;
  readonly workers: number;
  /** What the scripted agents do. */
  readonly turns: readonly object[];
  /** Whether a phase begins at the same commit in every run, whichever is faster. */
  readonly hasFixedBases: boolean;
  /** More lines of `[execution]`. @default "" */
  readonly execution?: string | undefined;
  /** More lines of the shell script that verifies. @default "" */
  readonly verify?: string | undefined;
  /** Steps that are taken or not as it happens. @default none */
  readonly unsteady?: RegExp | undefined;
}

/** What a person commits on the branch, while the first candidate is verified. */
export const PERSONS = "Edit by hand";

/** The subjects of the branch, oldest first, where the order is the plan's. */
export function subjectsOf({ phases }: Pick<TorturedNebula, "phases">): readonly string[] {
  return [PERSONS, ...Object.keys(phases).map((id) => `Land ${id}: Phase ${id}`)];
}

/** A turn of the scripted coder. @param match - Regular expression of what it is asked. */
export function coderTurn(match: string, files: Readonly<Record<string, string>>): object {
  return { role: "coder", match, files, text: "Written." };
}

/** A turn of the scripted reviewer, who approves. */
export function reviewerTurn(match: string): object {
  return {
    ...{ role: "reviewer", match },
    text: "APPROVED: it is there.\n\nREPORT:\nSATISFACTION: high\nRISK: low\nNEEDS_HUMAN_REVIEW: no\nSUMMARY: Good.\n",
  };
}

/** Where a phase's task is in what its agents are asked, as a regular expression. */
export function taskOf(id: string): string {
  return String.raw`\nDo ${id}\.`;
}
