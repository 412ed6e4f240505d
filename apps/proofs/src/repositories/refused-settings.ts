import { join } from "node:path";
import type { Place } from "../blackbox/place.ts";
import { commit, hook, run, type Setting, unlessTold, write } from "./setting.ts";

/** What git or a git hook does not take of the coder's work, which fixes it once it reads why. */
export const REFUSED_SETTINGS: readonly Setting[] = [
  {
    name: "whose pre-commit hook refuses what the coder wrote",
    isForTasks: true,
    lay: refuseTodo,
    coder: unlessTold("a TODO is left", "echo TODO > notes.txt", "echo done > notes.txt"),
    ends: { code: 0, head: { "notes.txt": "done" }, turns: 3 },
  },
  {
    name: "whose pre-commit hook formats without staging, and says so",
    lay: (at) =>
      hook(
        at,
        "pre-commit",
        `if [ -e notes.txt ] && grep -q ' $' notes.txt; then
  sed -i 's/ *$//' notes.txt
  printf '%s\\n' 'trim trailing whitespace.....Failed' '- files were modified by this hook' >&2
  exit 1
fi`,
      ),
    coder: "printf 'one  \\n' > notes.txt",
    ends: { code: 0, head: { "notes.txt": "one" }, turns: 4 },
  },
  {
    name: "whose pre-commit hook refuses whatever the coder tries",
    lay: (at) => hook(at, "pre-commit", `echo "the hook needs a linter" >&2; exit 1`),
    ends: { code: 1, says: /pre-commit hook.*the hook needs a linter/isu, turns: 3 },
  },
  {
    name: "whose pre-commit hook refuses what lint formatted",
    lay: refuseTodo,
    coder: `case "$prompt" in *'a TODO is left'*) echo right > notes.txt ;; *) [ -e notes.txt ] || echo one > notes.txt ;; esac`,
    flags: ["--lint", "sed -i 's/one/TODO/' notes.txt"],
    ends: { code: 0, head: { "notes.txt": "right" }, turns: 3 },
  },
  {
    name: "in a sparse checkout, whose coder writes outside of its cone",
    isForTasks: true,
    lay: sparse,
    coder: unlessTold(
      "sparse",
      "mkdir -p outside; echo c > outside/c.txt",
      "rm -f outside/c.txt; echo c > inside/c.txt",
    ),
    ends: {
      code: 0,
      head: { "inside/c.txt": "c", "outside/b.txt": "b", "outside/c.txt": undefined },
      turns: 3,
    },
  },
  {
    name: "in a sparse checkout, whose coder changes a file outside of its cone",
    lay: sparse,
    coder: unlessTold(
      "sparse",
      "mkdir -p outside; echo changed > outside/b.txt",
      "echo b > outside/b.txt; echo changed > inside/a.txt",
    ),
    ends: { code: 0, head: { "inside/a.txt": "changed", "outside/b.txt": "b" }, turns: 3 },
  },
  {
    name: "under core.safecrlf, whose coder mixes line endings",
    isForTasks: true,
    lay: (at) => {
      run(at, "git", "config", "core.autocrlf", "input");
      run(at, "git", "config", "core.safecrlf", "true");
    },
    coder: unlessTold(
      "CRLF",
      "printf 'one\\r\\ntwo\\n' > notes.txt",
      "printf 'one\\ntwo\\n' > notes.txt",
    ),
    ends: { code: 0, head: { "notes.txt": "one\ntwo" }, turns: 3 },
  },
  {
    name: "whose coder leaves a file that nobody may read",
    isUnprivileged: true,
    coder: unlessTold(
      "Permission denied",
      "[ -e notes.txt ] || { echo closed > notes.txt; chmod 000 notes.txt; }",
      "chmod 644 notes.txt",
    ),
    ends: { code: 0, head: { "notes.txt": "closed" }, turns: 3 },
  },
];

function refuseTodo(at: Place): void {
  const found = "git grep --cached -q TODO -- notes.txt";
  hook(at, "pre-commit", `if ${found}; then echo "notes.txt: a TODO is left" >&2; exit 1; fi`);
}

function sparse(at: Place): void {
  write(join(at.repo, "inside/a.txt"), "a\n");
  write(join(at.repo, "outside/b.txt"), "b\n");
  commit(at, "Add two folders");
  run(at, "git", "sparse-checkout", "set", "--cone", "inside");
}
