import { createHash } from "node:crypto";
import { join } from "node:path";
import { replaceFile } from "@quasar/durable";
import { NebulaError } from "../errors.ts";
import { type NebulaHome, specFolder } from "../state/home.ts";
import { type LoadedNebula, loadNebula } from "./load.ts";
import { MANIFEST_FILE } from "./manifest.ts";
import type { NebulaFiles } from "./parse.ts";
import type { NebulaSpec } from "./types.ts";

/**
 * Keeps a copy of a nebula's files, from which alone it is worked on from then on: what becomes of its folder changes
 * nothing.
 *
 * @returns Its revision: a digest of the files.
 */
export function keepSpec(home: NebulaHome, { files }: Pick<LoadedNebula, "files">): string {
  const revision = revisionOf(files);
  const folder = specFolder(home, revision);
  for (const { file, text } of filesOf(files)) {
    replaceFile(join(folder, file), Buffer.from(text), { keepPrevious: false });
  }
  return revision;
}

/** @throws {NebulaError} `ERR_DAMAGED` where the copy is not what was kept. */
export function readSpec(home: NebulaHome, revision: string): NebulaSpec {
  const { spec, files } = loadNebula(specFolder(home, revision));
  if (spec !== undefined && revisionOf(files) === revision) return spec;
  const folder = specFolder(home, revision);
  throw new NebulaError("ERR_DAMAGED", `${folder} is not the copy that was kept of the nebula`);
}

function revisionOf(files: NebulaFiles): string {
  const hash = createHash("sha256");
  for (const { file, text } of filesOf(files)) hash.update(JSON.stringify([file, text]));
  return hash.digest("hex").slice(0, 16);
}

function filesOf({ manifest = "", phases }: NebulaFiles): NebulaFiles["phases"] {
  return [{ file: MANIFEST_FILE, text: manifest }, ...phases];
}
