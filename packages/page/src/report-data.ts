import type { NebulaFacts } from "@quasar/nebula/facts";
import type { RunFacts, TranscriptFacts } from "@quasar/runs/facts";

/** What a report shows. Texts are as agents and people wrote them, without secrets: cleaning them is the page's. */
export type ReportData = RunReport | NebulaReport;

export interface RunReport extends Evidence {
  readonly kind: "run";
  readonly run: RunFacts;
}

export interface NebulaReport extends Evidence {
  readonly kind: "nebula";
  readonly nebula: NebulaFacts;
}

/** What stands behind the facts. */
export interface Evidence {
  /** What agents said and did, at most one of each turn. @default none is kept */
  readonly transcripts?: readonly TranscriptFacts[] | undefined;
  /** What commits or landings changed. @default none is there */
  readonly diffs?: readonly ChangeDiff[] | undefined;
}

/** What a commit of a run, or a landing of a nebula, changed. */
export interface ChangeDiff {
  /** Full id of the commit. */
  readonly sha: string;
  /** Full id of the commit or tree that it is compared with. */
  readonly from: string;
  /** As `git diff` prints it, without colours, of any length. */
  readonly text: string;
}
