import { readFileSync } from "node:fs";

/** The version of the command, as its `package.json` says, beside the folder of what was built. */
export function readVersion(): string {
  return readManifest().version;
}

/** The same for a person: with the commit that it was packed from, where it was packed. */
export function versionText(): string {
  const { version, gitHead } = readManifest();
  return gitHead === undefined ? version : `${version} (${gitHead.slice(0, 10)})`;
}

function readManifest(): { readonly version: string; readonly gitHead?: string } {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return JSON.parse(text) as ReturnType<typeof readManifest>;
}
