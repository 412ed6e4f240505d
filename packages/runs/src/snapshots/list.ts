import { changedPaths } from "@quasar/git/history";
import { listSnapshots, type Snapshot, type SnapshotPack } from "@quasar/git/snapshots";
import type { Workspace } from "../workspace.ts";
import { listPacks } from "./packs.ts";

/** Uncommitted work of a run that is kept, by a ref of git's or by files of the run. */
export interface RunSnapshot extends Omit<Snapshot, "ref"> {
  /** What brings it back. */
  readonly from: string | SnapshotPack;
}

/** What a run has kept. */
export interface RunSnapshots {
  /** Oldest first. */
  readonly snapshots: readonly RunSnapshot[];
  /** The highest number that is taken; 0 where there is none. */
  readonly last: number;
  /** What is wrong with others. */
  readonly problems: readonly string[];
}

/** Where the snapshots of a run are that has not ended: refs of its repository. */
export function snapshotPrefix(runId: string): string {
  return `refs/quasar/${runId}/`;
}

/**
 * The snapshots of a run, wherever they are kept.
 *
 * @throws {GitError} @throws {RunsError} `ERR_UNSAFE_PATH`
 */
export async function runSnapshots(workspace: Workspace, runId: string): Promise<RunSnapshots> {
  const { packs, last, problems } = listPacks(workspace, runId);
  const refs = await listSnapshots(workspace.root, snapshotPrefix(runId));
  const packed = packs.map((pack): RunSnapshot => {
    const { n, sha, head, createdAt, message } = pack.snapshot;
    return { n, sha, head, createdAt, message, from: pack };
  });
  const named = refs.map(({ ref, ...snapshot }): RunSnapshot => ({ ...snapshot, from: ref }));
  // What has both is on its way from one to the other: the ref goes last.
  const byNumber = new Map([...packed, ...named].map((each) => [each.n, each]));
  const snapshots = [...byNumber.values()].toSorted((a, b) => a.n - b.n);
  return { snapshots, last: Math.max(last, snapshots.at(-1)?.n ?? 0), problems };
}

/** The paths that a snapshot has changed, from the root. @throws {GitError} */
export async function snapshotPaths(
  { root }: Workspace,
  { from, head, sha }: RunSnapshot,
): Promise<readonly string[]> {
  if (typeof from === "string") return changedPaths(root, head, sha);
  return from.snapshot.changes.map(({ path }) => Buffer.from(path, "latin1").toString());
}
