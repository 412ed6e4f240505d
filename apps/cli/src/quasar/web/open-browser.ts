import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeFile } from "@quasar/durable";
import { makeOwnFolder } from "@quasar/runs/own-folder";
import { desktopOpener } from "../../shared/open-file.ts";
import { webFolder } from "./address.ts";

/**
 * Shows an address in a browser, by a file that only the user can read and that leads there: what is an argument of a
 * program every user of the machine can see.
 *
 * @returns What removes the file.
 * @throws {CliError} `ERR_NOT_INSTALLED`
 */
export async function openBrowser(url: string): Promise<() => void> {
  const folder = webFolder();
  makeOwnFolder(folder);
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
