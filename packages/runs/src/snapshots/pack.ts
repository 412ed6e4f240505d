import { relative } from "node:path";
import { replaceFile, syncFiles } from "@quasar/durable";
import { GitError } from "@quasar/git";
import { hasPlainlyNoRefs } from "@quasar/git/internal";
import {
  listRefs,
  listSnapshots,
  packSnapshot,
  removeRefs,
  type Snapshot,
  verifySnapshotPack,
} from "@quasar/git/snapshots";
import { messageOf } from "../errors.ts";
import { openRunIds, runIds } from "../look/list.ts";
import { repositoryOf, type Workspace } from "../workspace.ts";
import { snapshotPrefix } from "./list.ts";
import { encodeManifest } from "./manifest.ts";
import { listPacks, manifestFile, packFile, packsFolder, readPack } from "./packs.ts";

export interface PackOptions {
  /** Throws where another process drives: asked before anything is written or removed. @default never */
  readonly before?: (() => void) | undefined;
  /** Told why a snapshot stays where it is. @default nobody */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** Ids of the runs of a work tree that have ended, and whose snapshots are still refs. @throws {GitError} */
export async function unpackedRuns(workspace: Workspace): Promise<readonly string[]> {
  const open = new Set(openRunIds(workspace));
  const repository = repositoryOf(workspace);
  const ended = runIds(workspace).filter(
    (id) => !open.has(id) && !hasPlainlyNoRefs(repository, snapshotPrefix(id)),
  );
  if (ended.length === 0) return [];
  const refs = await listRefs(workspace.root, "refs/quasar/");
  const named = new Set(refs.map(({ ref }) => ref.split("/")[2]));
  return ended.filter((id) => named.has(id));
}

/**
 * Moves the snapshots of the runs that have ended from refs into files of theirs; what a crash has left of that,
 * too. Call it under the lock of the work tree.
 *
 * @throws {GitError} and what `before` throws. A snapshot that cannot be moved stays.
 * @see SPEC.md, "Snapshots"
 */
export async function packEndedRuns(
  workspace: Workspace,
  { before = () => {}, onProblem = () => {} }: PackOptions = {},
): Promise<void> {
  for (const runId of await unpackedRuns(workspace)) {
    const packed: Snapshot[] = [];
    for (const snapshot of await listSnapshots(workspace.root, snapshotPrefix(runId))) {
      before();
      try {
        await pack(workspace, runId, snapshot);
        packed.push(snapshot);
      } catch (error) {
        onProblem(`snapshot ${snapshot.n} stays at ${snapshot.ref}: ${messageOf(error)}`);
      }
    }
    before();
    await removeRefs(workspace.root, packed);
  }
}

/** Returns once the files are durable, and were read back. */
async function pack(workspace: Workspace, runId: string, snapshot: Snapshot): Promise<void> {
  const { root, gitDir } = workspace;
  const { n, sha } = snapshot;
  if (await isPacked(workspace, runId, snapshot)) return;
  const folder = packsFolder(workspace, runId);
  const file = packFile(folder, n);
  const packed = await packSnapshot(root, snapshot, file);
  syncFiles(gitDir, [relative(gitDir, file)]);
  replaceFile(manifestFile(folder, n), encodeManifest(packed), { keepPrevious: false });
  const written = readPack(folder, n);
  if (written?.snapshot.sha !== sha) throw new Error(`${file} was changed meanwhile`);
  await verifySnapshotPack(root, written);
}

/** Whether a crash came after the files were written; what is damaged of them is written anew. */
async function isPacked(
  workspace: Workspace,
  runId: string,
  { n, sha }: Snapshot,
): Promise<boolean> {
  const found = listPacks(workspace, runId).packs.find(({ snapshot }) => snapshot.n === n);
  if (found === undefined) return false;
  if (found.snapshot.sha !== sha) throw new Error(`${found.file} is of another one`);
  try {
    await verifySnapshotPack(workspace.root, found);
    return true;
  } catch (error) {
    if (error instanceof GitError && error.code === "ERR_DAMAGED_PACK") return false;
    throw error;
  }
}
