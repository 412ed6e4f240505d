import { Buffer } from "node:buffer";
import { join } from "node:path";
import {
  type FileStat,
  type FileSystem,
  type Random,
  readWholeFile,
  recoverDirectory,
  replaceFile,
} from "@quasar/durable";
import { ARTIFACTS_DIR, MAX_ARTIFACT_BYTES } from "./artifacts.ts";
import { MAX_CHECKPOINT_BYTES } from "./encode.ts";
import { artifactName } from "./references.ts";

/**
 * The artifacts beside the checkpoints of a folder. What fails is thrown as long as the checkpoint
 * has not been changed; afterwards nothing is: an artifact too many is left to the next recovery.
 */
export interface ArtifactFolder {
  /** The bytes of an artifact, `undefined` where it is missing. */
  read(this: void, sha256: string): Uint8Array | undefined;
  /** Calls `replace` once the artifacts are on disk, then removes what was named before it only. */
  save(
    checkpointName: string,
    artifacts: ReadonlyMap<string, Uint8Array>,
    replace: () => void,
  ): void;
  /** Calls `removeIt`, then removes what only this checkpoint named. */
  remove(checkpointName: string, removeIt: () => void): void;
  /** Makes durable what is there. */
  recover(): void;
  /** Removes every artifact that no checkpoint names. */
  collect(): void;
}

/** What a checkpoint's two generations name. */
interface Named {
  readonly newest: ReadonlySet<string>;
  readonly before: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

/** @see SPEC.md, "Artifacts" */
export function createArtifactFolder(
  dir: string,
  options: { readonly fs: FileSystem; readonly random: Random | undefined },
): ArtifactFolder {
  const { fs } = options;
  const folder = join(dir, ARTIFACTS_DIR);
  const maxBytes = MAX_CHECKPOINT_BYTES;
  /** Durable by this process's own doing, as long as it is still the same file. */
  const written = new Map<string, FileStat>();
  /** By checkpoint, of those that this store has saved. */
  const named = new Map<string, Named>();
  /** Written for a save that failed, or named by no generation any more. */
  const doubtful = new Set<string>();

  const isFolder = (): boolean => fs.lstat(folder)?.kind === "directory";

  const names = (): readonly string[] =>
    isFolder() ? fs.readdir(folder).filter((name) => artifactName.test(name)) : [];

  const write = (sha256: string, bytes: Uint8Array): void => {
    const path = join(folder, sha256);
    if (isUnchanged(written.get(sha256), fs.lstat(path))) return;
    replaceFile(path, bytes, { ...options, keepPrevious: false });
    const stat = fs.lstat(path);
    if (stat !== undefined) written.set(sha256, stat);
  };

  /** Which of `artifacts` the checkpoints name that `isWanted` picks by their names. */
  const namedBy = (
    artifacts: readonly string[],
    isWanted: (name: string) => boolean,
  ): ReadonlySet<string> => {
    const found = new Set<string>();
    if (artifacts.length === 0) return found;
    for (const name of fs.readdir(dir)) {
      if (!name.startsWith("checkpoint.") || !isWanted(name)) continue;
      const stat = fs.lstat(join(dir, name));
      if (stat?.kind !== "file" || stat.size > maxBytes) continue;
      const bytes = readWholeFile(join(dir, name), { fs, maxBytes }) ?? new Uint8Array();
      for (const artifact of artifacts) if (contains(bytes, artifact)) found.add(artifact);
    }
    return found;
  };

  const namedOnDisk = (checkpointName: string): ReadonlySet<string> => {
    const isOne = (name: string): boolean =>
      name === checkpointName || (name.startsWith(`${checkpointName}.`) && name.endsWith(".prev"));
    return unlessUnreadable(() => namedBy(names(), isOne), NOTHING);
  };

  /** Removes those of `candidates` that no file names: a generation or what was quarantined may. */
  const removeUnnamed = (candidates: ReadonlySet<string>): void => {
    if (candidates.size === 0) return;
    unlessUnreadable(() => {
      const present = names().filter((name) => candidates.has(name));
      const inUse = namedBy(present, () => true);
      for (const name of present) {
        if (inUse.has(name)) continue;
        fs.unlink(join(folder, name));
        written.delete(name);
      }
    }, undefined);
  };

  return {
    read: (sha256) =>
      isFolder()
        ? readWholeFile(join(folder, sha256), { fs, maxBytes: MAX_ARTIFACT_BYTES })
        : undefined,

    save(checkpointName, artifacts, replace) {
      const { newest, before } = named.get(checkpointName) ?? {
        newest: namedOnDisk(checkpointName),
        before: NOTHING,
      };
      named.delete(checkpointName); // unless it is replaced, what its generations name is not known
      for (const [sha256, bytes] of artifacts) {
        write(sha256, bytes);
        doubtful.add(sha256);
      }
      replace();
      named.set(checkpointName, { newest: new Set(artifacts.keys()), before: newest });
      for (const sha256 of before) if (!newest.has(sha256)) doubtful.add(sha256);
      for (const sha256 of artifacts.keys()) doubtful.delete(sha256);
      removeUnnamed(doubtful);
      doubtful.clear();
    },

    remove(checkpointName, removeIt) {
      const last = namedOnDisk(checkpointName);
      named.delete(checkpointName);
      removeIt();
      removeUnnamed(last);
    },

    recover() {
      named.clear();
      recoverDirectory(folder, { fs, accept: (name) => artifactName.test(name) });
    },

    collect: () => removeUnnamed(new Set(unlessUnreadable(names, []))),
  };
}

/** For what comes after the acknowledgement: where something cannot be read, everything is kept. */
function unlessUnreadable<T>(act: () => T, otherwise: T): T {
  try {
    return act();
  } catch {
    return otherwise;
  }
}

function isUnchanged(a: FileStat | undefined, b: FileStat | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.ctimeNs === b.ctimeNs;
}

function contains(bytes: Uint8Array, name: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(name, 0, "latin1");
}
