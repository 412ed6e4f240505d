import { readFileSync } from "node:fs";

/** The version of the command, as its `package.json` says, beside the folder of what was built. */
export function readVersion(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const manifest = JSON.parse(text) as { readonly version: string };
  return manifest.version;
}
