import type { TranscriptFacts } from "@quasar/runs/facts";
import { cleanTexts } from "./clean-texts.ts";
import { documentOf } from "./document.ts";
import type { Besides, Embedded } from "./embedded.ts";
import type { ReportData } from "./report-data.ts";
import { shownDiff, shownTranscript } from "./shown.ts";
import { transcriptText } from "./transcript-text.ts";
import { titleOf } from "./view/title.ts";

export interface RenderOptions {
  /** Names the rules and values by which secrets were taken out; the footer shows it. */
  readonly redactionDigest: string;
  /** Name of the folder for what is too large for the page. @default "report_files" */
  readonly filesFolder?: string | undefined;
}

export interface RenderedReport {
  /** The page: one file, which asks for nothing else. */
  readonly html: string;
  /** What belongs in the folder beside it, if anything does. */
  readonly files: readonly ReportFile[];
}

export interface ReportFile {
  /** In the folder of `filesFolder`: a plain file name. */
  readonly name: string;
  readonly text: string;
}

/** UTF-8 bytes: where transcripts make a page larger, they are put into files of their own. */
const MOST_BYTES = 8_000_000;

/** Makes the page of a report: the same data makes the same bytes. */
export function renderReport(
  data: ReportData,
  { redactionDigest, filesFolder = "report_files" }: RenderOptions,
): RenderedReport {
  const cut = (data.diffs ?? []).map(shownDiff);
  const diffs = cut.map(({ sha, from, text }) => ({ sha, from, text }));
  const leftOut = Object.fromEntries(cut.map((diff) => [diff.sha, diff.leftOut]));
  const transcripts = (data.transcripts ?? []).filter(({ isKept }) => isKept).map(shownTranscript);
  const embedded: Embedded = cleanTexts({
    data: { ...data, diffs, transcripts: [] },
    ...{ redactionDigest, leftOut, besides: undefined },
  });
  const title = titleOf(embedded.data);
  const html = documentOf(title, embedded, transcripts);
  if (Buffer.byteLength(html) <= MOST_BYTES) return { html, files: [] };
  const files = transcripts.map((transcript, at) => {
    return { name: `${at + 1}.txt`, text: transcriptText(transcript) };
  });
  const besides = besidesOf(filesFolder, transcripts, files);
  return { html: documentOf(title, { ...embedded, besides }, []), files };
}

function besidesOf(
  folder: string,
  transcripts: readonly TranscriptFacts[],
  files: readonly ReportFile[],
): Besides {
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const names = transcripts.map(({ turnId }, at) => [turnId, files[at]?.name ?? ""] as const);
  return { folder, bytes, files: Object.fromEntries(names) };
}
