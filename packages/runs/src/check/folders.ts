import { chmodSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { forgetRun, lockHolder } from "../driving/lock.ts";
import { FOLDER } from "../real-folder.ts";
import { shellWord } from "../text/format.ts";
import { ignoreOwnFolder } from "../work-tree.ts";
import type { Place, Problem } from "./problem.ts";

/** A note of who works here, by a runner that was killed. */
export function lookAtLock({ workspace }: Place): readonly Problem[] {
  const note = join(workspace.stateDir, "lock.run");
  const isThere = lstatSync(note, { throwIfNoEntry: false }) !== undefined;
  const holder = lockHolder(workspace);
  const isHeld = holder !== undefined && holder.pid !== process.pid; // we fix under the lock
  if (!isThere || isHeld) return [];
  const message = "a runner was killed: its note beside the lock is left (the lock itself is free)";
  const fix = { does: "remove the note", run: () => forgetRun(workspace) };
  return [{ code: "RUNNER_KILLED", message, fix, next: [] }];
}

/** Our folder in the work tree, where git has to be told to pass over it. */
export function lookAtIgnore({ workspace: { root } }: Place): readonly Problem[] {
  const folder = join(root, FOLDER);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const stat = lstatSync(join(folder, ".gitignore"), { throwIfNoEntry: false });
  if (stat?.isFile() === true && stat.size > 0) return [];
  const message = `${FOLDER}/.gitignore is missing or empty: git would commit what is in ${FOLDER}`;
  const fix = { does: "write it", run: () => ignoreOwnFolder(root) };
  return [{ code: "NOT_IGNORED", message, fix, next: [] }];
}

/** What others can read or write that is nobody's but the user's. */
export function lookAtModes({ workspace, user: { folders } }: Place): readonly Problem[] {
  const paths = [
    join(folders.state, "seal.key"),
    folders.state,
    workspace.stateDir,
    workspace.runsDir,
  ];
  return paths.flatMap((path): readonly Problem[] => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink() || (stat.mode & 0o077) === 0) return [];
    const mode = stat.isDirectory() ? 0o700 : 0o600;
    const isKey = path.endsWith("seal.key");
    const danger = isKey
      ? ": who has read it can make checkpoints that look like this machine's"
      : "";
    const message = `${path} is open to others (mode ${(stat.mode & 0o777).toString(8)})${danger}`;
    const fix = { does: `chmod ${mode.toString(8)}`, run: () => chmodSync(path, mode) };
    const next = isKey
      ? [{ shell: `mv ${shellWord(path)} ${shellWord(`${path}.old`)}`, note: "makes a new key" }]
      : [];
    return [{ code: "OPEN_TO_OTHERS", message, fix, next }];
  });
}
