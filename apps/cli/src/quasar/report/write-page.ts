import { mkdirSync, readdirSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { readFileHead, removeFile, replaceFile } from "@quasar/durable";
import { isReportPage, type RenderedReport } from "@quasar/page";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";

/** The folder beside a page for what is too large for it: `report_files` of `report.html`. */
export function filesFolderOf(path: string): string {
  return `${basename(path, extname(path))}_files`;
}

/**
 * Writes a page, whole or not at all, and its files before it.
 *
 * @param path - Absolute.
 * @param force - Whether it may replace what is no report.
 * @returns the bytes written
 * @throws {CliError} `ERR_EXISTS` where something else is there.
 */
export function writePage(
  path: string,
  { html, files }: RenderedReport,
  { force = false }: { readonly force?: boolean | undefined } = {},
): number {
  const head = readFileHead(path, HEAD_BYTES);
  if (!force && head !== undefined && !isReportPage(Buffer.from(head).toString())) {
    throw new CliError("ERR_EXISTS", `${cleanLine(path)} is there and is no report`, {
      next: [`quasar report --html ${shellWord(cleanLine(path))} --force`],
    });
  }
  const folder = join(dirname(path), filesFolderOf(path));
  if (head !== undefined) removeFormer(folder, new Set(files.map(({ name }) => name)));
  if (files.length > 0) mkdirSync(folder, { recursive: true });
  for (const { name, text } of files) replace(join(folder, name), text);
  return replace(path, html) + files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

const HEAD_BYTES = 1000;

/** Transcripts of the report that is replaced. */
function removeFormer(folder: string, kept: ReadonlySet<string>): void {
  for (const name of namesIn(folder)) {
    if (/^\d+\.txt$/u.test(name) && !kept.has(name)) removeFile(join(folder, name));
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // There is none, or it is no folder: then nothing of a report is there.
  }
}

function replace(path: string, text: string): number {
  const bytes = Buffer.from(text);
  replaceFile(path, bytes, { keepPrevious: false });
  return bytes.length;
}
