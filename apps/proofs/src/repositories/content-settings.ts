import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../blackbox/place.ts";
import { commit, run, type Setting, write } from "./setting.ts";

/** What is in a work tree, and how git takes it. */
export const CONTENT_SETTINGS: readonly Setting[] = [
  {
    name: "in a fresh clone with Git LFS",
    isForTasks: true,
    lay: lfsClone,
    coder: "printf 'a new image' > logo.bin",
    ends: { code: 0, also: hasPointer },
  },
  {
    name: "in a work tree made of a fresh clone with Git LFS",
    lay: (at) => {
      const clone = lfsClone(at);
      const linked = join(at.root, "linked");
      run(clone, "git", "worktree", "add", "--quiet", linked);
      return { ...clone, repo: linked };
    },
    coder: "printf 'a new image' > logo.bin",
    ends: { code: 0, also: hasPointer },
  },
  {
    name: "under core.ignorecase, whose coder changes a file",
    lay: (at) => {
      write(join(at.repo, "Readme.md"), "old\n");
      commit(at, "Add Readme.md");
      run(at, "git", "config", "core.ignorecase", "true");
    },
    coder: "echo new > Readme.md",
    ends: { code: 0, head: { "Readme.md": "new" } },
  },
  {
    name: "whose coder puts a file in the place of a folder",
    lay: (at) => {
      write(join(at.repo, "d/x"), "old\n");
      commit(at, "Add a folder");
    },
    coder: "rm -r d; echo file > d",
    ends: { code: 0, head: { d: "file" } },
  },
  {
    name: "whose coder writes files of odd names",
    isForTasks: true,
    coder: `nl=$(printf 'a\\nb'); for name in "$nl.txt" '"quoted" $(x).txt' 'ü €.txt' './-dash.txt' ' .txt'; do echo odd > "$name"; done`,
    ends: {
      code: 0,
      head: {
        "a\nb.txt": "odd",
        '"quoted" $(x).txt': "odd",
        "ü €.txt": "odd",
        "-dash.txt": "odd",
        " .txt": "odd",
      },
    },
  },
];

/** A clone with a file under Git LFS, which nothing has looked at since. */
function lfsClone(at: Place): Place {
  run(at, "git", "lfs", "install", "--skip-repo");
  write(join(at.repo, ".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  writeFileSync(join(at.repo, "logo.bin"), "an image");
  commit(at, "Add a logo");
  const origin = join(at.root, "origin.git");
  run(at, "git", "clone", "--quiet", "--bare", at.repo, origin);
  run(at, "git", "remote", "add", "origin", `file://${origin}`);
  run(at, "git", "lfs", "push", "--all", "origin");
  const clone = { ...at, repo: join(at.root, "clone") };
  mkdirSync(clone.repo);
  run(clone, "git", "clone", "--quiet", `file://${origin}`, ".");
  return clone;
}

/** Of "a new image". */
const SIZE = 11;

function hasPointer(at: Place): void {
  const pointer = run(at, "git", "show", "HEAD:logo.bin");
  if (!pointer.includes(`size ${SIZE}\n`)) throw new Error(`HEAD has in logo.bin: ${pointer}`);
}
