import type { ReportData } from "./report-data.ts";

/** What the page reads first: the report's data, with texts cleaned and diffs cut, without transcripts. */
export interface Embedded {
  readonly data: ReportData;
  readonly redactionDigest: string;
  /** By the commit of a diff: the files that were cut out of it. */
  readonly leftOut: Readonly<Record<string, readonly string[]>>;
  readonly besides: Besides | undefined;
}

/** Where transcripts are that are too large for the page. */
export interface Besides {
  /** The folder beside the page. */
  readonly folder: string;
  /** Of all of its files together. */
  readonly bytes: number;
  /** By turn: the file's name in the folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** Id of the element that holds it. */
export const DATA_ID = "report-data";

/** Id of the element that holds what an agent said and did in a turn. */
export function transcriptId(turnId: string): string {
  return `transcript-${turnId}`;
}
