import { cpSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Repository } from "@quasar/git";
import { depotRefs, fetchFromDepot, restoreFolder } from "@quasar/git/depot";
import { replaceFile } from "@quasar/durable";
import { makeFolders, namesIn } from "@quasar/process/files";
import { type NebulaHome, nebulaHome, runsFolder } from "../state/home.ts";
import { depotNames } from "./depot-names.ts";
import type { Epoch } from "../port/index.ts";

/** What of a run's folder is of the process that works in it. */
const OWN = /(?:^|\/)(?:lock|[^/]*\.tmp|[^/]*\.sock)$/u;

/** Whether a file of a run's folder stays on its machine. @param path - Relative, with `/`. */
export function staysHere(path: string): boolean {
  return OWN.test(path);
}

/**
 * Copies a run's folder as it is at this moment of the process that works on it, and of no other: what is continued from the
 * copy continues as after a kill just then.
 */
export function copyRun(runDir: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  makeFolders(dirname(to));
  const filter = (path: string): boolean => !staysHere(relative(runDir, path));
  cpSync(runDir, to, { recursive: true, filter });
}

/** Bytes of the largest run that is fetched. */
const MOST_RUN_BYTES = 1024 * 1024 * 1024;

export interface RunToFetch {
  readonly depot: string;
  readonly nebula: string;
  /** The ref of the phase. */
  readonly work: string;
  readonly runId: string;
  /** Whose copies count, the newest first. */
  readonly epochs: readonly Epoch[];
  readonly signal: AbortSignal;
}

/**
 * Has the folder of a run be here as its last worker has copied it, with its last commit; what was here before is kept beside
 * it. One that is here already stays.
 *
 * @returns Its last commit, `""` where it has none; `undefined` where there was no copy.
 */
export async function fetchRun(
  repository: Repository,
  { depot, nebula, work, runId, epochs, signal }: RunToFetch,
): Promise<string | undefined> {
  const names = depotNames(nebula);
  const patterns = epochs.map((epoch) => names.run(work, runId, epoch));
  const there = await depotRefs(repository, { url: depot, patterns, signal });
  const epoch = epochs.find((each) => there.has(names.run(work, runId, each)));
  if (epoch === undefined) return undefined;
  const [run, tip] = [names.run(work, runId, epoch), names.tip(work, runId, epoch)];
  const wants = [run, tip].map((ref) => ({ ref, into: ref }));
  const got = await fetchFromDepot(repository, { url: depot, wants, signal });
  const commit = got.get(run);
  if (commit === undefined) return undefined;
  const cameAt = got.get(tip) ?? "";
  const home = nebulaHome(repository.commonDir, nebula);
  const dir = join(runsFolder(home, work), runId);
  if (existsSync(dir) && readMark(home, work, runId)?.commit === commit) {
    markRun(home, { work, runId, commit, isOwn: false });
    return cameAt;
  }
  const fetched = join(home.dir, "fetched", `${work}-${runId}`);
  rmSync(fetched, { recursive: true, force: true });
  makeFolders(dirname(fetched));
  await restoreFolder(repository, { commit, dir: fetched, maxBytes: MOST_RUN_BYTES, signal });
  putAside(home, dir);
  makeFolders(dirname(dir));
  renameSync(fetched, dir);
  markRun(home, { work, runId, commit, isOwn: false });
  return cameAt;
}

/** Which copy a run's folder is the same as, and whether this machine has made it. */
interface Mark {
  readonly commit: string;
  readonly isOwn: boolean;
}

export function markRun(
  home: NebulaHome,
  { work, runId, commit, isOwn }: Mark & { readonly work: string; readonly runId: string },
): void {
  const text = `${commit}${isOwn ? OWN_COPY : ""}\n`;
  replaceFile(markOf(home, work, runId), Buffer.from(text), { keepPrevious: false });
}

const OWN_COPY = " own";

function readMark(home: NebulaHome, work: string, runId: string): Mark | undefined {
  const path = markOf(home, work, runId);
  if (!existsSync(path)) return undefined;
  const [commit = "", own] = readFileSync(path, "utf8").trim().split(" ");
  return { commit, isOwn: own !== undefined };
}

/** Whether what is here of a run is of this machine: what was only fetched is still another one's. */
export function isOwnRun(home: NebulaHome, work: string, runId: string): boolean {
  if (!existsSync(join(runsFolder(home, work), runId))) return false;
  return readMark(home, work, runId)?.isOwn ?? true;
}

function markOf({ dir }: NebulaHome, work: string, runId: string): string {
  return join(dir, "copies", `${work}-${runId}`);
}

/** Nothing is removed: the folder of a worker that was taken over may say what it was about. */
function putAside({ dir }: NebulaHome, runDir: string): void {
  if (!existsSync(runDir)) return;
  const kept = join(dir, "before");
  makeFolders(kept);
  renameSync(runDir, join(kept, `${namesIn(kept).length + 1}`));
}
