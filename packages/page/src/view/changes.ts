import { sizeText } from "@quasar/runs/report";
import { shellWord } from "@quasar/runs/text";
import type { ReportData } from "../report-data.ts";
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
}

export function changesOf(data: ReportData): readonly Change[] {
  if (data.kind === "nebula") {
    return data.nebula.landings.map(({ sha, phase, at }) => {
      return { sha, name: phase, by: "", stat: "", at };
    });
  }
  return runsOf(data).flatMap(({ run }) =>
    run.commits.map((commit) => {
      const { sha, cycle, by, at } = commit;
      return { sha, name: `cycle ${cycle}`, by, stat: sizeText(commit), at };
    }),
  );
}

/** The command that shows all of a change. @param from - `undefined`: its diff is not known here. */
export function diffCommand(sha: string, from: string | undefined): string {
  if (from === undefined) return `git show ${shellWord(sha)}`;
  return `git diff ${shellWord(from)} ${shellWord(sha)}`;
}
