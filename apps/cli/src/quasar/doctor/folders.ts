import { chmodSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { forgetRun, lockHolder, ignoreOwnFolder, FOLDER } from "@quasar/runs";
import { shellWord } from "@quasar/runs/text";
import type { Ground, Problem } from "./problem.ts";

/** A note of who works here, by a runner that was killed. */
export function lookAtLock({ workspace }: Ground): readonly Problem[] {
  const note = join(workspace.stateDir, "lock.run");
  const isThere = lstatSync(note, { throwIfNoEntry: false }) !== undefined;
  const holder = lockHolder(workspace);
  const isHeld = holder !== undefined && holder.pid !== process.pid; // we mend under the lock
  if (!isThere || isHeld) return [];
  const message = "a runner was killed: its note beside the lock is left (the lock itself is free)";
  return [{ message, fix: { does: "remove the note", run: () => forgetRun(workspace) }, next: [] }];
}

/** Our folder in the work tree, where git has to be told to pass over it. */
export function lookAtIgnore({ workspace: { root } }: Ground): readonly Problem[] {
  const folder = join(root, FOLDER);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const stat = lstatSync(join(folder, ".gitignore"), { throwIfNoEntry: false });
  if (stat?.isFile() === true && stat.size > 0) return [];
  const message = `${FOLDER}/.gitignore is missing or empty: git would commit what is in ${FOLDER}`;
  return [{ message, fix: { does: "write it", run: () => ignoreOwnFolder(root) }, next: [] }];
}

/** What others can read or write that is nobody's but the user's. */
export function lookAtModes({ workspace, folders }: Ground): readonly Problem[] {
  const paths = [
    join(folders.state, "seal.key"),
    folders.state,
    workspace.stateDir,
    workspace.runsDir,
  ];
  return paths.flatMap((path) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isSymbolicLink() || (stat.mode & 0o077) === 0) return [];
    const mode = stat.isDirectory() ? 0o700 : 0o600;
    const isKey = path.endsWith("seal.key");
    const danger = isKey
      ? ": who has read it can make checkpoints that look like this machine's"
      : "";
    const message = `${path} is open to others (mode ${(stat.mode & 0o777).toString(8)})${danger}`;
    const fix = { does: `chmod ${mode.toString(8)}`, run: () => chmodSync(path, mode) };
    return [
      {
        message,
        fix,
        next: isKey
          ? [`mv ${shellWord(path)} ${shellWord(`${path}.old`)}   (makes a new key)`]
          : [],
      },
    ];
  });
}
