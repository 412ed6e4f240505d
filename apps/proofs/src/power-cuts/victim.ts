import type { Line } from "./guest.ts";

/** What a cut has broken, in words; nothing when all is as it was acknowledged. */
export type Verdict = readonly string[];

export interface Judged {
  readonly bad: Verdict;
  /** Whether there is something to resume. */
  readonly isOpen: boolean;
}

/** What a guest's commands work in. */
export interface Workspace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What is at work on a disk when the power fails. */
export interface Victim {
  readonly workspace: Workspace;
  /** Shell commands that the guest does one after the other, where its power is not cut. */
  readonly work: readonly string[];
  /** The one that continues with what was cut off. */
  readonly resume: string;
  /** After at least and at most so many printed lines the power fails: it prints more than that. */
  readonly lines: readonly [least: number, most: number];
  /** Judges its disk after a cut by what was printed before. */
  judgeCut(lines: readonly Line[]): Promise<Judged>;
  /** Judges it once it was resumed, where there was something to resume. @param after - What the guest printed then. */
  judgeResumed(judged: Judged, lines: readonly Line[], after: readonly Line[]): Verdict;
}

/** Makes a victim on an empty disk that is mounted. */
export type MakeVictim = (disk: string) => Victim;

/** A word of a shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
