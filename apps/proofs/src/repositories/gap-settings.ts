import { join } from "node:path";
import type { Place } from "../blackbox/place.ts";
import { commit, run, type Setting, unlessTold, write } from "./setting.ts";

/** What a commit passes over, and so looks committed: found before a review, and given back to the coder. */
export const GAP_SETTINGS: readonly Setting[] = [
  {
    name: "whose coder leaves a folder that nobody may look into",
    isUnprivileged: true,
    coder: unlessTold(
      "cannot look into",
      "[ -e closed ] || { mkdir closed; echo closed > closed/notes.txt; chmod 000 closed; }",
      "chmod 755 closed",
    ),
    ends: { code: 0, head: { "closed/notes.txt": "closed" }, turns: 3 },
  },
  {
    name: "whose coder writes a path that is too long for git",
    coder: unlessTold("cannot look into", longPath(), "rm -rf long; echo short > short.txt"),
    ends: { code: 0, head: { "short.txt": "short" }, turns: 3 },
  },
  {
    name: "whose coder makes a repository within",
    isForTasks: true,
    coder: unlessTold("git repositories of their own", nested(), "rm -rf lib/.git"),
    ends: { code: 0, head: { "lib/notes.txt": "within" }, turns: 3 },
  },
  {
    name: "whose coder makes a repository within that has no commit",
    coder: unlessTold(
      "git repositories of their own",
      "git init -q lib; echo within > lib/notes.txt",
      "rm -rf lib/.git",
    ),
    ends: { code: 0, head: { "lib/notes.txt": "within" }, turns: 3 },
  },
  {
    name: "whose coder commits a repository within as a link",
    coder: unlessTold(
      "committed as links",
      `${nested()}; git -c advice.addEmbeddedRepo=false add lib; git commit -q -m 'Add lib'`,
      "rm -rf lib/.git; git rm -q --cached --ignore-unmatch lib",
    ),
    ends: { code: 0, head: { "lib/notes.txt": "within" }, turns: 3 },
  },
  {
    name: "with a submodule, in whose files the coder works",
    lay: withSubmodule,
    coder: unlessTold(
      "submodules have changed files",
      "echo more >> sub/a.txt; echo new > sub/new.txt",
      "git -C sub reset -q --hard; git -C sub clean -qfd; echo here > here.txt",
    ),
    ends: { code: 0, head: { "here.txt": "here" }, turns: 3 },
  },
  {
    name: "with a submodule that is not checked out, in whose folder the coder works",
    isForTasks: true,
    lay: (at) => {
      withSubmodule(at);
      run(at, "git", "submodule", "--quiet", "deinit", "--all");
    },
    coder: unlessTold(
      "submodules have changed files",
      "echo new > sub/new.txt",
      "rm -f sub/new.txt; echo here > here.txt",
    ),
    ends: { code: 0, head: { "here.txt": "here" }, turns: 3 },
  },
  {
    name: "with a submodule, in whose files the coder works whatever it is asked",
    lay: withSubmodule,
    coder: "echo new > sub/new.txt",
    ends: { code: 5, says: /after another turn of the coder, too: .*submodules/u, turns: 2 },
  },
];

function withSubmodule(at: Place): void {
  const origin = join(at.root, "within");
  write(join(origin, "a.txt"), "within\n");
  run(at, "git", "init", "--quiet", origin);
  commit({ ...at, repo: origin }, "Begin within");
  const args = [
    "-c",
    "protocol.file.allow=always",
    "submodule",
    "--quiet",
    "add",
    "../within",
    "sub",
  ];
  run(at, "git", ...args);
  commit(at, "Add a submodule");
}

/** A folder whose path is longer than any call takes: each is moved into the next one. */
function longPath(): string {
  const name = "n".repeat(250);
  return `rm -rf long outer; mkdir long; echo far > long/far.txt; for nth in $(seq 17); do mkdir outer; mv long outer/${name}; mv outer long; done`;
}

function nested(): string {
  return "git init -q lib; echo within > lib/notes.txt; git -C lib add -A; git -C lib diff --cached --quiet || git -C lib commit -q -m within";
}
