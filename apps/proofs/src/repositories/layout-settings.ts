import { rmSync } from "node:fs";
import { join } from "node:path";
import { commit, run, type Setting } from "./setting.ts";

/** Where a repository lies, and what is inside of it. */
export const LAYOUT_SETTINGS: readonly Setting[] = [
  {
    name: "in a linked work tree",
    isForTasks: true,
    lay: (at) => {
      const linked = join(at.root, "linked");
      run(at, "git", "worktree", "add", "--quiet", "-b", "side", linked);
      return { ...at, repo: linked };
    },
    ends: { code: 0 },
  },
  {
    name: "in a bare repository",
    lay: (at) => {
      const bare = join(at.root, "bare.git");
      run(at, "git", "clone", "--quiet", "--bare", at.repo, bare);
      return { ...at, repo: bare };
    },
    ends: { code: 2, says: /bare repository/u },
  },
  {
    name: "in a SHA-256 repository",
    isForTasks: true,
    lay: (at) => {
      rmSync(join(at.repo, ".git"), { recursive: true });
      run(at, "git", "init", "--quiet", "--initial-branch=main", "--object-format=sha256");
      commit(at, "Begin again");
    },
    ends: { code: 0 },
  },
];
