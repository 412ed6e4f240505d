import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeFile } from "@quasar/durable";
import { openUser } from "@quasar/runs/internal";
import { desktopOpener } from "../../shared/open-file.ts";

/**
 * Shows an address in a browser, by a file that only the user can read and that leads there: what is an argument of a
 * program every user of the machine can see.
 *
 * @returns What removes the file.
 * @throws {CliError} `ERR_NOT_INSTALLED`
 */
export async function openBrowser(url: string): Promise<() => void> {
  const folder = join(openUser().folders.state, "web");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `open-${randomBytes(8).toString("hex")}.html`);
  const html = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${url}"><title>Quasar</title>\n`;
  writeFileSync(path, html, { mode: 0o600, flag: "wx" });
  try {
    await desktopOpener().open(path);
  } catch (error) {
    removeFile(path);
    throw error;
  }
  return () => removeFile(path);
}
