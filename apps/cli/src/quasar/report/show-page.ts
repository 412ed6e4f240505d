import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type ReportData, renderReport } from "@quasar/page";
import { openUser } from "@quasar/runs/internal";
import { makeOwnFolder } from "@quasar/runs/own-folder";
import { cleanLine, size } from "@quasar/runs/text";
import { desktopOpener } from "../../shared/open-file.ts";
import { write } from "../../shared/output/reporter.ts";
import { filesFolderOf, writePage } from "./write-page.ts";

export interface PageOptions {
  /** The file to write. @default one in a folder of the user's own, for `open` */
  readonly html?: string | undefined;
  /** Whether a browser shows it. */
  readonly open?: true | undefined;
  /** Whether it may replace a file that is no report. */
  readonly force?: true | undefined;
}

/**
 * Writes the page of a report, says where, and opens it where that is asked.
 *
 * @throws {CliError} `ERR_EXISTS` where something else is there; `ERR_NOT_INSTALLED` where nothing opens it.
 */
export async function showPage(
  data: ReportData,
  redactionDigest: string,
  { html, open, force }: PageOptions,
): Promise<void> {
  const path = html === undefined ? ownPath(data) : resolve(html);
  const filesFolder = filesFolderOf(path);
  const rendered = renderReport(data, { redactionDigest, filesFolder });
  const bytes = writePage(path, rendered, { force });
  const beside =
    rendered.files.length === 0 ? "" : `, with transcripts in ${cleanLine(filesFolder)}`;
  write(process.stdout, [`${cleanLine(path)}  ${size(bytes)}${beside}`]);
  if (open === true) await desktopOpener().open(path);
}

/** In the user's own folder: a page of the same run takes its place. */
function ownPath(data: ReportData): string {
  const folder = join(openUser().folders.state, "reports");
  if (!existsSync(folder)) makeOwnFolder(folder);
  return join(folder, `${data.kind === "run" ? data.run.id : data.nebula.id}.html`);
}
