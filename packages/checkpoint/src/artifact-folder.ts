import { Buffer } from "node:buffer";
import { join } from "node:path";
import {
  type FileSystem,
  type Random,
  readWholeFile,
  recoverDirectory,
  replaceFile,
} from "@quasar/durable";
import { ARTIFACTS_DIR, artifactName, MAX_ARTIFACT_BYTES } from "./artifacts.ts";
import { MAX_CHECKPOINT_BYTES } from "./encode.ts";

/** The artifacts beside the checkpoints of a folder. */
export interface ArtifactFolder {
  /** The bytes of an artifact, `undefined` where it is missing. */
  read(this: void, sha256: string): Uint8Array | undefined;
  /** Returns once they are on disk, and notes those that the checkpoint names no more. */
  write(checkpointName: string, artifacts: ReadonlyMap<string, Uint8Array>): void;
  /** Notes which artifacts a checkpoint that is about to go may be the last to name. */
  suspect(checkpointName: string): void;
  /** Removes what was written or noted and is no longer named by any checkpoint of the folder. */
  collectUnused(): void;
  /** Makes durable what is there, and notes it all. */
  recover(): void;
}

/** @see SPEC.md, "Artifacts" */
export function createArtifactFolder(
  dir: string,
  options: { readonly fs: FileSystem; readonly random: Random | undefined },
): ArtifactFolder {
  const { fs } = options;
  const folder = join(dir, ARTIFACTS_DIR);
  const maxBytes = MAX_CHECKPOINT_BYTES;
  /** Durable, by this process's own doing. */
  const written = new Set<string>();
  /** By checkpoint, what its last save here named. */
  const named = new Map<string, ReadonlySet<string>>();
  const suspects = new Set<string>();

  const isFolder = (): boolean => fs.lstat(folder)?.kind === "directory";

  const names = (): readonly string[] =>
    isFolder() ? fs.readdir(folder).filter((name) => artifactName.test(name)) : [];

  /** Also generations and what was set aside: any file that may still be wanted. */
  const checkpointBytes = (isWanted: (name: string) => boolean): readonly Uint8Array[] =>
    fs
      .readdir(dir)
      .filter((name) => name.startsWith("checkpoint.") && isWanted(name))
      .filter((name) => {
        const stat = fs.lstat(join(dir, name));
        return stat?.kind === "file" && stat.size <= maxBytes;
      })
      .map((name) => readWholeFile(join(dir, name), { fs, maxBytes }) ?? new Uint8Array());

  return {
    read: (sha256) =>
      isFolder()
        ? readWholeFile(join(folder, sha256), { fs, maxBytes: MAX_ARTIFACT_BYTES })
        : undefined,

    write(checkpointName, artifacts) {
      for (const [sha256, bytes] of artifacts) {
        if (!written.has(sha256)) {
          replaceFile(join(folder, sha256), bytes, { ...options, keepPrevious: false });
        }
        written.add(sha256);
      }
      for (const sha256 of named.get(checkpointName) ?? []) {
        if (!artifacts.has(sha256)) suspects.add(sha256);
      }
      named.set(checkpointName, new Set(artifacts.keys()));
    },

    suspect(checkpointName) {
      const present = names();
      if (present.length === 0) return;
      const generations = checkpointBytes((name) => name.startsWith(checkpointName));
      for (const name of present) {
        if (generations.some((bytes) => contains(bytes, name))) suspects.add(name);
      }
    },

    collectUnused() {
      if (suspects.size === 0) return;
      const present = names().filter((name) => suspects.has(name));
      const bytes = present.length === 0 ? [] : checkpointBytes(() => true);
      for (const name of present) {
        if (bytes.some((text) => contains(text, name))) continue;
        fs.unlink(join(folder, name));
        suspects.delete(name);
        written.delete(name);
      }
    },

    recover() {
      recoverDirectory(folder, { fs });
      for (const name of names()) suspects.add(name);
    },
  };
}

function contains(bytes: Uint8Array, name: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(name, 0, "latin1");
}
