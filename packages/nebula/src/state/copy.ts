import { createHash } from "node:crypto";
import { join } from "node:path";
import { replaceFile } from "@quasar/durable";
import { NebulaError } from "../errors.ts";
import { type NebulaHome, specFolder } from "./home.ts";
import { byName } from "../spec/by-name.ts";
import { type LoadedNebula, loadNebula } from "../spec/load.ts";
import { MANIFEST_FILE } from "../spec/manifest.ts";
import type { NebulaFiles } from "../spec/parse.ts";
import type { NebulaSpec } from "../spec/types.ts";

/**
 * Keeps a copy of a nebula's files, from which alone it is worked on from then on: what becomes of its folder changes
 * nothing.
 *
 * @returns Its revision: a digest of the files, in whatever order they are given.
 * @throws {NebulaError} `ERR_DAMAGED` where the copy cannot be read again.
 */
export function keepSpec(home: NebulaHome, { files }: Pick<LoadedNebula, "files">): string {
  const revision = revisionOf(files);
  const folder = specFolder(home, revision);
  for (const { file, text } of filesOf(files)) {
    replaceFile(join(folder, file), Buffer.from(text), { keepPrevious: false });
  }
  // What is recorded by this revision has to be read by it.
  readCopy(home, revision);
  return revision;
}

/** @throws {NebulaError} `ERR_DAMAGED` where the copy is not what was kept. */
export function readSpec(home: NebulaHome, revision: string): NebulaSpec {
  return readCopy(home, revision).spec;
}

/** A copy with its texts. @throws {NebulaError} `ERR_DAMAGED` where it is not what was kept. */
export function readCopy(
  home: NebulaHome,
  revision: string,
): LoadedNebula & { readonly spec: NebulaSpec } {
  const folder = specFolder(home, revision);
  const { spec, ...loaded } = loadNebula(folder);
  if (spec !== undefined && revisionOf(loaded.files) === revision) return { ...loaded, spec };
  throw new NebulaError("ERR_DAMAGED", `${folder} is not the copy that was kept of the nebula`);
}

/** Reads the copy that the engine works by, once for each revision. */
export function specReader(home: NebulaHome, revision: () => string): () => NebulaSpec {
  let read: { readonly revision: string; readonly spec: NebulaSpec } | undefined;
  return () => {
    const wanted = revision();
    if (read?.revision !== wanted) read = { revision: wanted, spec: readSpec(home, wanted) };
    return read.spec;
  };
}

function revisionOf(files: NebulaFiles): string {
  const hash = createHash("sha256");
  for (const { file, text } of filesOf(files)) hash.update(JSON.stringify([file, text]));
  return hash.digest("hex").slice(0, 16);
}

function filesOf({ manifest = "", phases }: NebulaFiles): NebulaFiles["phases"] {
  const sorted = phases.toSorted((a, b) => byName(a.file, b.file));
  return [{ file: MANIFEST_FILE, text: manifest }, ...sorted];
}
