import { createHash } from "node:crypto";
import type { TranscriptFacts } from "@quasar/runs/facts";
import { SCRIPT, STYLE } from "#bundle";
import { DATA_ID, type Embedded, transcriptId } from "./embedded.ts";

/** In the first lines of each page. */
const MARK = '<meta name="generator" content="quasar report">';

/** Whether a file is such a page, by its first 1,000 characters. */
export function isReportPage(head: string): boolean {
  return head.slice(0, 1000).includes(MARK);
}

/** What stands in a page that is its own, whatever it shows. */
export interface PageParts {
  readonly title: string;
  /** Elements of its head. */
  readonly head: string;
  readonly style: string;
  readonly script: string;
  /** What the script reads. @default nothing */
  readonly data?: string | undefined;
  /** What stands behind the script. @default nothing */
  readonly after?: string | undefined;
}

export function pageOf({ title, head, style, script, data = "", after = "" }: PageParts): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<div id="report"></div>
<noscript><p>This report draws itself with JavaScript, which is switched off here.</p></noscript>
${data}<script>${script}</script>
${after}</body>
</html>
`;
}

/**
 * The report, whole: it asks for nothing, and no other script or style than its own has an effect in it. Transcripts
 * come last, so that the page is drawn before a browser has read them.
 */
export function documentOf(
  title: string,
  embedded: Embedded,
  transcripts: readonly TranscriptFacts[],
): string {
  const policy = [
    "default-src 'none'",
    ...ownSources(SCRIPT, STYLE),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
  return pageOf({
    title,
    head: `${MARK}\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    ...{ style: STYLE, script: SCRIPT },
    data: `${dataElement(DATA_ID, embedded)}\n`,
    after: transcripts.map((each) => `${dataElement(transcriptId(each.turnId), each)}\n`).join(""),
  });
}

/** Directives that allow a page's own script and style, by their hashes. */
export function ownSources(script: string, style: string): readonly string[] {
  return [`script-src '${hashOf(script)}'`, `style-src '${hashOf(style)}'`];
}

function dataElement(id: string, value: unknown): string {
  return `<script type="application/json" id="${escapeHtml(id)}">${embeddedJson(value)}</script>`;
}

/** JSON for an element of a page: it cannot end the element, nor begin another. */
export function embeddedJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/gu, (char) => `&#${char.charCodeAt(0)};`);
}
