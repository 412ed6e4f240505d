import { Buffer } from "node:buffer";
import { join, resolve } from "node:path";
import {
  type FileSystem,
  loadFile,
  nodeFileSystem,
  readFileHead,
  readWholeFile,
  recoverDirectory,
  removeFile,
  replaceFile,
  quarantine,
} from "@quasar/durable";
import { createArtifactFolder } from "./artifact-folder.ts";
import { fitText, restoreTexts } from "./artifacts.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { MAX_CHECKPOINT_BYTES } from "./encode.ts";
import { CheckpointError } from "./errors.ts";
import { acknowledged, isDamage, isOtherVersion, unusable } from "./file-errors.ts";
import { checkpointFileName, checkpointNames, isNameOf, plainFileName } from "./file-name.ts";
import { type CheckpointHead, HEAD_BYTES, headOf, readHead } from "./head.ts";
import { judgeBytes } from "./judge.ts";
import type { References } from "./references.ts";
import { sealText } from "./seal.ts";
import { checkShape } from "./shape.ts";
import type {
  CheckpointListing,
  CheckpointProblem,
  FileCheckpointStore,
  FileCheckpointStoreOptions,
  LoadedCheckpoint,
  LoadedCheckpoints,
  LoadedSummary,
  RecoveredCheckpoints,
} from "./store.ts";
import { readSummary, summaryOf } from "./summary.ts";

/** As {@link FileCheckpointStore}, but what is asked for is returned at once. */
export interface CheckpointFiles {
  save(checkpoint: Checkpoint): void;
  load(phaseId: string): LoadedCheckpoint | undefined;
  loadAll(): LoadedCheckpoints;
  remove(phaseId: string): void;
  list(): CheckpointListing;
  loadSummary(phaseId: string): LoadedSummary | undefined;
  loadBooks(phaseId: string): Awaited<ReturnType<FileCheckpointStore["loadBooks"]>>;
  recover(): RecoveredCheckpoints;
}

export interface CheckpointFilesOptions extends FileCheckpointStoreOptions {
  /** A larger file is neither written nor read. @default 4 MiB */
  readonly maxBytes?: number | undefined;
}

interface Repaired {
  readonly aside: readonly string[];
  readonly loaded: LoadedCheckpoint | undefined;
}

/** The store's whole work, synchronous, so that no signal handler comes between its steps. */
export function createCheckpointFiles(options: CheckpointFilesOptions): CheckpointFiles {
  const { sealKey, repositoryId = "", random, now = () => new Date() } = options;
  const { maxBytes = MAX_CHECKPOINT_BYTES } = options;
  const dir = resolve(options.dir);
  const fs = options.fsync === false ? unsynced(options.fs) : (options.fs ?? nodeFileSystem);
  const artifacts = createArtifactFolder(dir, { fs, random });
  /** The newest revision of the phases whose files this store has seen to. */
  const revisions = new Map<string, number>();

  function restored(checkpoint: Checkpoint, references: References): Checkpoint {
    return restoreTexts(checkpoint, references, artifacts.read);
  }

  /**
   * @param isExpected - Whether the file's name and this phase id agree.
   * @param restore - Puts the texts back that are elsewhere.
   */
  function loadName(
    name: string,
    isExpected: (phaseId: string) => boolean,
    restore = restored,
  ): LoadedCheckpoint | undefined {
    try {
      const found = loadFile(join(dir, name), (bytes) => judge(bytes, isExpected, restore), {
        fs,
        maxBytes,
      });
      if (found === undefined) return undefined;
      if (found.value instanceof CheckpointError) throw found.value;
      const problems = found.problems.map((problem) => `${name}: ${problem.message}`);
      return { ...found.value, source: found.source, problems };
    } catch (error) {
      throw unusable(name, error);
    }
  }

  /** Another version's file is no damage: the generation before it must not take its place. */
  function judge(bytes: Uint8Array, isExpected: (phaseId: string) => boolean, restore = restored) {
    try {
      const { checkpoint, references, seal } = judgeBytes(view(bytes), { sealKey, repositoryId });
      if (!isExpected(checkpoint.phaseId)) {
        const message = `its phase_id ${JSON.stringify(checkpoint.phaseId)} is not that of its name`;
        throw new CheckpointError("ERR_INVALID_CHECKPOINT", message);
      }
      return { checkpoint: restore(checkpoint, references), seal };
    } catch (error) {
      if (isOtherVersion(error)) return error;
      throw error;
    }
  }

  /** The shorter way to a file that has nothing wrong with it; `undefined` for any other. */
  function loadWhole(name: string): LoadedCheckpoint | undefined {
    try {
      const bytes = readWholeFile(join(dir, name), { fs, maxBytes });
      const found = bytes && judge(bytes, (id) => isNameOf(name, id));
      if (found === undefined || found instanceof CheckpointError) return undefined;
      return { ...found, source: "current", problems: [] };
    } catch {
      return undefined; // the longer way says why
    }
  }

  /** The shorter way to what our own file, whole, says first; `undefined` for any other. */
  function readOwnSummary(phaseId: string): LoadedSummary | undefined {
    try {
      const bytes = readWholeFile(join(dir, checkpointFileName(phaseId)), { fs, maxBytes });
      const summary = bytes && readSummary(view(bytes), { sealKey, repositoryId });
      if (summary === undefined || summary.phaseId !== phaseId) return undefined;
      return { summary, source: "current", seal: "valid", problems: [] };
    } catch {
      return undefined; // the longer way says why
    }
  }

  /** Our name for a phase, then the Go original's where there is such a file. */
  function* namesOf(phaseId: string): Generator<string> {
    yield checkpointFileName(phaseId);
    const plain = plainFileName(phaseId);
    // By the folder's own spelling: where case is folded, the plain name may be another phase's.
    if (plain !== undefined && checkpointNames(readNames()).includes(plain)) yield plain;
  }

  function loadPhase(phaseId: string, restore = restored): LoadedCheckpoint | undefined {
    for (const name of namesOf(phaseId)) {
      const loaded = loadName(name, (id) => id === phaseId, restore);
      if (loaded !== undefined) return loaded;
    }
    return undefined;
  }

  /** Sets damaged generations aside until the newest is whole: their new names, and what it says. */
  function repair(name: string, isExpected: (phaseId: string) => boolean): Repaired {
    const path = join(dir, name);
    const aside: string[] = [];
    for (;;) {
      try {
        const loaded = loadName(name, isExpected);
        if (loaded?.source !== "previous" || fs.lstat(path) === undefined) return { aside, loaded };
      } catch (error) {
        if (!isDamage(error)) throw error;
      }
      const to = quarantine(path, { fs, random, now: now() });
      if (to === undefined) return { aside, loaded: loadName(name, isExpected) };
      aside.push(to.slice(dir.length + 1));
    }
  }

  function saveNow(checkpoint: Checkpoint): void {
    checkShape(checkpoint);
    const { phaseId } = checkpoint;
    const name = checkpointFileName(phaseId);
    const known = revisions.get(phaseId) ?? firstRevision(phaseId);
    const revision = Math.max(checkpoint.revision, known) + 1;
    const runId = checkpoint.runId.toWellFormed();
    const { text, artifacts: texts } = fitText({ ...checkpoint, revision }, maxBytes);
    const bytes = sealText(text, sealKey, { repositoryId, runId, phaseId, revision });

    revisions.delete(phaseId); // unless it is acknowledged, what is on disk is not known
    artifacts.save(name, texts, () => replaceFile(join(dir, name), bytes, { fs, random }));
    revisions.set(phaseId, revision);
  }

  /** What is on disk before this store's first save; a damaged file does not become a generation. */
  function firstRevision(phaseId: string): number {
    const isExpected = (id: string): boolean => id === phaseId;
    for (const name of namesOf(phaseId)) {
      const { loaded } = repair(name, isExpected);
      if (loaded !== undefined) return loaded.checkpoint.revision;
    }
    return 0;
  }

  function mendUnlessNewer(name: string, phaseId: string): void {
    try {
      repair(name, (id) => id === phaseId);
    } catch (error) {
      if (!isOtherVersion(error)) throw error;
    }
  }

  function removeNow(phaseId: string): void {
    // The Go original's first: left alone, it would be loaded in place of ours, which is newer.
    for (const name of [...namesOf(phaseId)].toReversed()) {
      // Else a damaged file would for a moment be all there is: its generations go before it.
      if (!revisions.has(phaseId)) mendUnlessNewer(name, phaseId);
      artifacts.remove(name, () => removeFile(join(dir, name), { fs }));
    }
    revisions.delete(phaseId);
  }

  function readNames(): readonly string[] {
    try {
      const stat = fs.lstat(dir);
      if (stat === undefined) return [];
      if (stat.kind === "directory") return fs.readdir(dir);
    } catch (error) {
      throw unusable(dir, error);
    }
    throw new CheckpointError("ERR_UNREADABLE", `${dir} is not a folder, or is a link to one`);
  }

  function readHeadOf(name: string): CheckpointHead | undefined {
    const bytes = readFileHead(join(dir, name), HEAD_BYTES, { fs });
    const head = bytes === undefined ? undefined : readHead(view(bytes).toString(), name);
    if (head !== undefined && isNameOf(name, head.phaseId)) return head;
    const loaded = loadName(name, (id) => isNameOf(name, id));
    return loaded === undefined ? undefined : headOf(loaded.checkpoint, name);
  }

  /** Calls `visit` with each checkpoint's name; what it throws hides no other. */
  function forEachName(visit: (name: string) => void): readonly CheckpointProblem[] {
    const problems: CheckpointProblem[] = [];
    for (const name of checkpointNames(readNames())) {
      try {
        visit(name);
      } catch (error) {
        const isOurs = error instanceof CheckpointError;
        problems.push({ file: name, error: isOurs ? error : unusable(name, error) });
      }
    }
    return problems;
  }

  return {
    save: (checkpoint) => acknowledged(() => saveNow(checkpoint)),

    load: (phaseId) => loadPhase(phaseId),

    loadAll() {
      const checkpoints = new Map<string, LoadedCheckpoint>();
      const problems = forEachName((name) => {
        const loaded = loadWhole(name) ?? loadName(name, (id) => isNameOf(name, id));
        if (loaded === undefined) return;
        const { phaseId } = loaded.checkpoint;
        if (name === checkpointFileName(phaseId) || !checkpoints.has(phaseId)) {
          checkpoints.set(phaseId, loaded);
        }
      });
      return { checkpoints, problems };
    },

    remove: (phaseId) => acknowledged(() => removeNow(phaseId)),

    list() {
      const heads = new Map<string, CheckpointHead>();
      const problems = forEachName((name) => {
        const head = readHeadOf(name);
        if (head === undefined) return;
        if (name === checkpointFileName(head.phaseId) || !heads.has(head.phaseId)) {
          heads.set(head.phaseId, head);
        }
      });
      return { heads: [...heads.values()], problems };
    },

    loadSummary(phaseId) {
      const own = readOwnSummary(phaseId);
      if (own !== undefined) return own;
      const loaded = loadPhase(phaseId);
      if (loaded === undefined) return undefined;
      const { checkpoint, ...how } = loaded;
      return { ...how, summary: summaryOf(checkpoint) };
    },

    loadBooks(phaseId) {
      const loaded = loadPhase(phaseId, (checkpoint) => checkpoint);
      if (loaded === undefined) return undefined;
      const { totalCostUsd, unknownCostUsd, hasUnreportedCosts, maxBudgetUsd } = loaded.checkpoint;
      const { turn, failure, ledger } = loaded.checkpoint;
      const money = { totalCostUsd, unknownCostUsd, hasUnreportedCosts, maxBudgetUsd };
      return { ...money, turn, failure, ledger };
    },

    recover() {
      const aside: string[] = [];
      acknowledged(() => {
        recoverDirectory(dir, { fs, accept: (name) => name.startsWith("checkpoint.") });
        artifacts.recover();
      });
      revisions.clear();
      const problems = forEachName((name) => {
        const repaired = repair(name, (id) => isNameOf(name, id));
        aside.push(...repaired.aside);
        if (repaired.loaded === undefined) return;
        const { phaseId, revision } = repaired.loaded.checkpoint;
        if (name === checkpointFileName(phaseId)) revisions.set(phaseId, revision);
      });
      artifacts.collect();
      return { quarantined: aside, problems };
    },
  };
}

/** Buffer's methods over the same bytes. */
function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function unsynced(fs: FileSystem = nodeFileSystem): FileSystem {
  return Object.assign(Object.create(fs) as FileSystem, { fsync: () => undefined });
}
