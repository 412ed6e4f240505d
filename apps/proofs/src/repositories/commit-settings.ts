import { join } from "node:path";
import type { Place } from "../blackbox/place.ts";
import { commit, executable, hook, run, type Setting, write } from "./setting.ts";

/** What guards, formats or changes commits. */
export const COMMIT_SETTINGS: readonly Setting[] = [
  {
    name: "whose commits are signed with a key",
    isForTasks: true,
    lay: (at) => sign(at, true),
    ends: {
      code: 0,
      also: (at) => {
        const made = run(at, "git", "rev-list", "--grep=^Quasar-Turn: ", "HEAD");
        const shas = made.split("\n").filter((sha) => sha !== "");
        if (shas.length === 0) throw new Error("no commit is the run's");
        for (const sha of shas) {
          const isSigned = run(at, "git", "cat-file", "commit", sha).includes("gpgsig ");
          if (!isSigned) throw new Error(`${sha} is not signed`);
        }
      },
    },
  },
  {
    name: "whose commits are to be signed without a key that can be used",
    lay: (at) => sign(at, false),
    ends: { code: 6, says: /signed.*passphrase/iu, turns: 0 },
  },
  {
    name: "whose commit-msg hook takes Conventional Commits only",
    isForTasks: true,
    lay: (at) => {
      const allowed = "^(feat|fix|docs|style|refactor|test|chore)(\\([a-z-]+\\))?: .{1,90}$";
      const refusal = 'echo "subject may not be empty, type may not be empty [commitlint]" >&2';
      hook(
        at,
        "commit-msg",
        `head -n 1 "$1" | grep -Eq '${allowed}' || { ${refusal}; exit 1; }
if grep -nE '.{101,}' "$1"; then echo "body lines must not be longer than 100" >&2; exit 1; fi`,
      );
    },
    ends: { code: 0 },
  },
  {
    name: "whose pre-commit hook in core.hooksPath formats and stages",
    isForTasks: true,
    lay: (at) => {
      executable(join(at.repo, ".husky/pre-commit"), `${format("notes.txt")}\ngit add --all`);
      run(at, "git", "config", "core.hooksPath", ".husky");
      commit(at, "Add a hook");
    },
    coder: "printf 'one  \\n' > notes.txt",
    ends: { code: 0, head: { "notes.txt": "one" } },
  },
  {
    name: "whose post-commit hook amends",
    isForTasks: true,
    lay: (at) =>
      hook(
        at,
        "post-commit",
        `[ -z "$AMENDING" ] || exit 0
echo amended > amended.txt
git add amended.txt
AMENDING=1 git commit --quiet --amend --no-edit --no-verify`,
      ),
    ends: { code: 0, head: { "amended.txt": "amended" } },
  },
  {
    name: "that begins with a file of the person's, accepted as dirty, and whose lint formats",
    lay: (at) => {
      write(join(at.repo, "mine.txt"), "mine\n");
      commit(at, "Add mine.txt");
      write(join(at.repo, "mine.txt"), "mine, not committed\n");
    },
    coder: "printf 'one  \\n' > notes.txt",
    flags: ["--accept-dirty", "--lint", format("notes.txt")],
    ends: {
      code: 0,
      head: { "notes.txt": "one", "mine.txt": "mine" },
      dirty: [" M mine.txt"],
    },
  },
];

/** Takes the blanks at the ends of lines away. */
function format(file: string): string {
  return `if [ -e ${file} ]; then sed -i 's/ *$//' ${file}; fi`;
}

function sign(at: Place, isUsable: boolean): void {
  const key = join(at.root, "key");
  run(at, "ssh-keygen", "-q", "-t", "ed25519", "-N", isUsable ? "" : "a passphrase", "-f", key);
  run(at, "git", "config", "gpg.format", "ssh");
  run(at, "git", "config", "user.signingkey", `${key}.pub`);
  run(at, "git", "config", "commit.gpgsign", "true");
}
