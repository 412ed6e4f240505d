import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { CoderEnd, CoderPlan, PersonDeed, Plan } from "./outcome-plan.ts";
import type { WorkTree } from "./work-tree.ts";

// What agents, checks, git hooks and persons do to a work tree, with git itself.

export const SOURCE = "app.txt";
const NOTES = "notes.txt";
const NESTED = "sub";

/** Where a person works in the source: far from what the coder is to fix. */
const MINE = "line 9";

/** Bugs to be fixed, and lines that are none of the run's business. */
export const BUGGY = Array.from({ length: 12 }, (_, n) => {
  const cycle = { 1: 1, 4: 2 }[n];
  return cycle === undefined ? `line ${n}\n` : `bug ${cycle}\n`;
}).join("");

export const fixOf = (cycle: number): string => `fix ${cycle}`;
export const madeIn = (cycle: number): string => `made-${cycle}.txt`;

/** Git, called by who may fail at it. */
export function tryGit({ git }: WorkTree, turnId: string, ...args: readonly string[]): boolean {
  const before = process.env["GIT_REFLOG_ACTION"];
  if (turnId !== "") {
    process.env["GIT_REFLOG_ACTION"] = `quasar:${turnId.replace(/\.(\d+)$/u, "/$1")}`;
  }
  try {
    git(...args);
    return true;
  } catch {
    return false;
  } finally {
    if (before === undefined) delete process.env["GIT_REFLOG_ACTION"];
    else process.env["GIT_REFLOG_ACTION"] = before;
  }
}

export function textOf({ dir }: WorkTree, file: string): string {
  const path = join(dir, file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** Lint or a git hook takes blanks away from the ends of lines; the coder leaves some. */
export function format(tree: WorkTree): void {
  const text = textOf(tree, SOURCE);
  const formatted = text.replaceAll(/ +$/gmu, "");
  if (formatted !== text) tree.write(SOURCE, formatted);
}

const FORMAT = `sed -i 's/ *$//' ${SOURCE}`;
const HOOKS: Readonly<Record<Plan["hook"], readonly [name: string, script: string] | undefined>> = {
  none: undefined,
  // Only where there is something to format: no editor touches a file for nothing.
  formats: ["pre-commit", `if grep -q ' $' ${SOURCE}; then ${FORMAT}; fi`],
  refuses: [
    "pre-commit",
    "[ -e .git/refused ] || { touch .git/refused; echo not yet >&2; exit 1; }",
  ],
  amends: [
    "post-commit",
    '[ -n "$AMENDS" ] || { echo amended > stamp.txt; git add stamp.txt; AMENDS=1 git commit -q --amend --no-verify -C HEAD; }',
  ],
};

export function setHook({ dir }: WorkTree, kind: Plan["hook"]): void {
  const [name, script] = HOOKS[kind] ?? [];
  if (name === undefined) return;
  const folder = join(dir, ".git", "hooks");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** What a coder's turn works at. */
export interface Assignment {
  readonly tree: WorkTree;
  readonly turnId: string;
  readonly cycle: number;
  readonly plan: CoderPlan;
  /** The coder is about to throw uncommitted work away. */
  readonly destroying: () => void;
}

/** The first half of a coder's turn: the fix itself. */
export function fix({ tree, turnId, cycle, plan, destroying }: Assignment): void {
  if (plan.resets) {
    destroying();
    tryGit(tree, turnId, "reset", "-q", "--hard");
  }
  const fixed = `${fixOf(cycle)}  `;
  if (plan.by === "shell") {
    const script = `s/^bug ${cycle}\\>.*/${fixed}/`;
    execFileSync("sed", ["-i", script, SOURCE], { cwd: tree.dir });
    return;
  }
  const bug = new RegExp(`^bug ${cycle}\\b.*$`, "mu");
  tree.write(SOURCE, textOf(tree, SOURCE).replace(bug, fixed));
}

/** The second half: a new file, and what the coder does with git. */
export function wrapUp(assignment: Assignment): void {
  const { tree, cycle, plan } = assignment;
  tree.write(madeIn(cycle), `made in cycle ${cycle}\n`);
  ENDS[plan.end](assignment);
}

function commit({ tree, turnId, cycle }: Assignment): boolean {
  tryGit(tree, turnId, "add", "-A");
  return tryGit(tree, turnId, "commit", "-q", "-m", `the coder's, in cycle ${cycle}`);
}

function nest({ tree, cycle }: Assignment): void {
  const folder = `${NESTED}-${cycle}`;
  mkdirSync(join(tree.dir, folder), { recursive: true });
  writeFileSync(join(tree.dir, folder, "file"), `in ${folder}\n`);
  tree.git("init", "-q", folder);
  tree.git("-C", folder, "add", "-A");
  tree.git("-C", folder, "commit", "-q", "--allow-empty", "-m", "within");
}

/** Makes plain files of repositories within: what the coder does who is told of them. */
export function unnest({ tree, turnId }: Pick<Assignment, "tree" | "turnId">): void {
  for (const folder of nestedFolders(tree)) {
    rmSync(join(tree.dir, folder, ".git"), { recursive: true, force: true });
    tryGit(tree, turnId, "rm", "-q", "-r", "--cached", folder);
  }
}

function nestedFolders({ dir }: WorkTree): readonly string[] {
  return [1, 2].map((n) => `${NESTED}-${n}`).filter((folder) => existsSync(join(dir, folder)));
}

const ENDS: Readonly<Record<CoderEnd, (assignment: Assignment) => void>> = {
  nothing: () => undefined,
  commits: (its) => void commit(its),
  "commits and amends": (its) => {
    if (commit(its)) tryGit(its.tree, its.turnId, "commit", "-q", "--amend", "-m", "better");
  },
  stages: ({ tree, turnId }) => void tryGit(tree, turnId, "add", "-A"),
  unstages: ({ tree, turnId }) => void tryGit(tree, turnId, "reset", "-q"),
  nests: nest,
  "nests and commits": (its) => {
    nest(its);
    commit(its);
  },
  switches: ({ tree, turnId, cycle }) =>
    void tryGit(tree, turnId, "switch", "-q", "-c", `other-${cycle}`),
  detaches: ({ tree, turnId }) => void tryGit(tree, turnId, "checkout", "-q", "--detach"),
  rewrites: ({ tree, turnId }) =>
    void tryGit(tree, turnId, "commit", "-q", "--amend", "--allow-empty", "-m", "rewritten"),
  "resets back": ({ tree, turnId, destroying }) => {
    destroying();
    tryGit(tree, turnId, "reset", "-q", "--hard", "HEAD~1");
  },
  "leaves a rebase": (its) => {
    commit(its);
    const editor = "sequence.editor=sed -i s/^pick/edit/";
    tryGit(its.tree, its.turnId, "-c", editor, "rebase", "-q", "-i", "HEAD~1");
  },
};

/** What a reviewer changes who should only read. */
export function meddle(tree: WorkTree, turnId: string, how: Plan["reviewer"]): void {
  if (how === "reads") return;
  appendFileSync(join(tree.dir, SOURCE), "by the reviewer\n");
  tree.write("review.txt", "by the reviewer\n");
  if (how === "stages") tryGit(tree, turnId, "add", "-A");
}

/** What a person does; `mark` is by what their work is known. */
export function actAsPerson(tree: WorkTree, deed: PersonDeed, mark: string): void {
  if (deed === "edits the same file") {
    const text = textOf(tree, SOURCE);
    tree.write(SOURCE, text.replace(MINE, `${MINE} ${mark}`));
    return;
  }
  appendFileSync(join(tree.dir, NOTES), `${mark}\n`);
  if (deed === "stages") tryGit(tree, "", "add", NOTES);
  if (deed === "stashes") tryGit(tree, "", "stash", "push", "-q", "-u");
  if (deed === "commits") {
    tryGit(tree, "", "add", "-A");
    tryGit(tree, "", "commit", "-q", "-m", "by hand");
  }
}

/** A person's uncommitted work, from before the run: where it is. */
export function workBefore(tree: WorkTree, where: Plan["before"], mark: string): readonly string[] {
  if (where === "none") return [];
  actAsPerson(tree, where === "in the same file" ? "edits the same file" : "edits", mark);
  return [where === "in the same file" ? SOURCE : NOTES];
}
