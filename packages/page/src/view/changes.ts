import { sizeText } from "@quasar/runs/report";
import { shellWord } from "@quasar/runs/text";
import type { Embedded } from "../embedded.ts";
import { runsOf } from "./runs.ts";

/** What a commit or a landing changed. */
export interface Change {
  readonly sha: string;
  /** What it is of: `cycle 2` of a run, a phase's id of a nebula. */
  readonly name: string;
  /** Who changed it, if not the turn's agent; `""`: the agent. */
  readonly by: string;
  /** `3 files +84 -12`; `""`: unknown. */
  readonly stat: string;
  readonly at: string;
  /** A unified diff; `undefined`: none is there. */
  readonly text: string | undefined;
  /** Paths of files that are not in it, since they are too large. */
  readonly leftOut: readonly string[];
  /** The command that shows all of it. */
  readonly command: string;
}

export function changesOf({ data, leftOut }: Embedded): readonly Change[] {
  const diffs = new Map((data.diffs ?? []).map((diff) => [diff.sha, diff]));
  const withDiff = (sha: string) => {
    const diff = diffs.get(sha);
    const command =
      diff === undefined
        ? `git show ${shellWord(sha)}`
        : `git diff ${shellWord(diff.from)} ${shellWord(sha)}`;
    return { sha, text: diff?.text, leftOut: leftOut[sha] ?? [], command };
  };
  if (data.kind === "nebula") {
    return data.nebula.landings.map(({ sha, phase, at }) => {
      return { ...withDiff(sha), name: phase, by: "", stat: "", at };
    });
  }
  return runsOf(data).flatMap(({ run }) =>
    run.commits.map((commit) => {
      const { sha, cycle, by, at } = commit;
      return { ...withDiff(sha), name: `cycle ${cycle}`, by, stat: sizeText(commit), at };
    }),
  );
}
