import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";

const IDENTITY = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.invalid",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.invalid",
};

/** A git repository of a test's own, with one commit. */
export interface WorkTree {
  readonly dir: string;
  git(...args: readonly string[]): string;
  write(file: string, text: string): void;
  head(): string;
  /** Subjects of the commits after the first, oldest first. */
  subjects(): readonly string[];
  /** Content of the files, by name. */
  files(): Readonly<Record<string, string>>;
  remove(): void;
}

let template: WorkTree | undefined;
afterAll(() => template?.remove());

/** A repository with one commit; a copy of one that is made once. */
export function createWorkTree(): WorkTree {
  template ??= makeTemplate();
  return copyWorkTree(template);
}

function makeTemplate(): WorkTree {
  const tree = workTreeAt(createFolder());
  tree.git("init", "-q", "-b", "main");
  tree.write("README", "a project\n");
  tree.git("add", "-A");
  tree.git("commit", "-q", "-m", "first");
  return tree;
}

function copyWorkTree({ dir }: WorkTree): WorkTree {
  const copy = createFolder();
  cpSync(dir, copy, { recursive: true });
  return workTreeAt(copy);
}

function workTreeAt(dir: string): WorkTree {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, {
      cwd: dir,
      encoding: "utf8",
      env: { ...process.env, ...IDENTITY },
      // What git says on stderr is in the error, and else nobody's.
      stdio: ["ignore", "pipe", "pipe"],
    });
  const tree: WorkTree = {
    dir,
    git,
    write(file, text) {
      mkdirSync(dirname(join(dir, file)), { recursive: true });
      writeFileSync(join(dir, file), text);
    },
    head: () => git("rev-parse", "HEAD").trim(),
    subjects: () =>
      git("log", "--reverse", "--format=%s", "HEAD").split("\n").slice(1).filter(Boolean),
    files: () =>
      Object.fromEntries(
        readdirSync(dir)
          .filter((name) => name !== ".git")
          .toSorted()
          .map((name) => [name, readFileSync(join(dir, name), "utf8")]),
      ),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
  return tree;
}

export function createFolder(): string {
  return mkdtempSync(join(tmpdir(), "quasar-loop-"));
}
