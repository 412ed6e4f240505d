import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  emptyPlace,
  git,
  lastRecord,
  type Place,
  place,
  quasar,
  records,
  write,
} from "./harness.ts";
import { agents, oneCycle } from "./scripts.ts";

/** Puts a `git` before the real one on the PATH. */
function replaceGit(at: Place, body: (real: string) => string): Place {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const bin = join(at.outside, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${body(real)}\n`, { mode: 0o755 });
  return { ...at, env: { ...at.env, PATH: `${bin}:${at.env["PATH"]}` } };
}

const SAYS_NONE = `echo "fatal: not a git repository (or any of the parent directories): .git" >&2; exit 128`;

test("a run in which git once fails to read the repository ends with an error, not approved without a commit", async () => {
  const at = place();
  const count = join(at.outside, "count");
  const script = agents(at, oneCycle());
  const said: string[] = [];
  // Each git process of the beginning in turn, until the coder works.
  for (let nth = 1; nth <= 6; nth += 1) {
    rmSync(count, { force: true });
    rmSync(join(at.outside, "bin"), { recursive: true, force: true });
    const struck = replaceGit(
      at,
      (real) => `
echo x >> '${count}'
if [ $(wc -l < '${count}') -eq ${nth} ]; then ${SAYS_NONE}; fi
exec '${real}' "$@"`,
    );
    const run = await quasar(struck, ["run", "Write work.txt", "--json", "--new", ...script]);
    const { message, next } = lastRecord(run);
    expect(run.code, `git process ${nth}: ${run.stdout}`).toBe(1);
    expect(String(message)).toContain(join(at.repo, ".git"));
    said.push(String(next));
  }
  expect(said.join()).not.toContain("git init");
  expect(said.join()).toContain(`ls -la ${join(at.repo, ".git")}`);
  expect(git(at, "log", "--format=%s")).toBe("Start");
});

test("an invalid .git is named, and nothing advises to make a repository of it", async () => {
  const at = emptyPlace();
  mkdirSync(join(at.repo, ".git"));
  const run = await quasar(at, ["run", "Write work.txt", ...agents(at, oneCycle())]);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain(`git cannot use "${join(at.repo, ".git")}"`);
  expect(run.stderr).not.toContain("git init");
});

test("a bare repository is refused as wrong usage, and what is advised gives a work tree to run in", async () => {
  const from = place();
  const bare = join(from.outside, "my bare.git");
  git(from, "clone", "--quiet", "--bare", from.repo, bare);
  const script = agents(from, oneCycle());
  const refused = await quasar(from, ["run", "Write work.txt", "--json", ...script], { cwd: bare });
  expect(refused.code).toBe(2);
  const { code, next } = lastRecord(refused);
  expect(code).toBe("ERR_BARE_REPOSITORY");
  const [advice = ""] = next as readonly string[];
  expect(advice).toContain("worktree add");
  const options = { cwd: from.outside, env: from.env, encoding: "utf8", stdio: "pipe" } as const;
  const cwd = execFileSync("sh", ["-c", `{ ${advice}; } >&2 && pwd`], options).trim();
  const run = await quasar(from, ["run", "Write work.txt", ...script], { cwd });
  expect(run.code).toBe(0);
  expect(git({ ...from, repo: cwd }, "ls-files")).toBe("a.txt\nwork.txt");
});

test("a repository that an agent has called bare is resumed once what is advised was typed", async () => {
  const at = place();
  const bare = ["--lint", "git config core.bare true"];
  const stopped = await quasar(at, ["run", "Write work.txt", ...bare, ...agents(at, oneCycle())]);
  expect(stopped.code).toBe(5);
  const refused = await quasar(at, ["resume", "--json"]);
  expect(lastRecord(refused)["code"]).toBe("ERR_BARE_REPOSITORY");
  const [advice = ""] = lastRecord(refused)["next"] as readonly string[];
  execFileSync("sh", ["-c", advice], { env: at.env, cwd: at.repo });
  expect(git(at, "show", "HEAD:work.txt")).not.toBe("");
  const plan = await quasar(at, ["resume", "--plan"]);
  expect(plan.code).toBe(0);
});

test("a repository of another user is refused with the command that lets git work in it", async () => {
  const at = place();
  const foreign = replaceGit(at, (real) => `GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '${real}' "$@"`);
  const args = ["run", "Write work.txt", "--json", ...agents(at, oneCycle())];
  const refused = await quasar(foreign, args);
  expect(refused.code).toBe(1);
  const [advice = ""] = lastRecord(refused)["next"] as readonly string[];
  const [command = ""] = advice.split("   # ");
  execFileSync("sh", ["-c", command], { env: at.env, cwd: at.repo });
  expect((await quasar(foreign, args)).code).toBe(0);
});

/** A bare repository with a file under Git LFS, and its object. */
function lfsOrigin(at: Place): string {
  git(at, "lfs", "install");
  write(at.repo, { ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n" });
  write(at.repo, { "logo.bin": "an image\n" });
  git(at, "add", "--all");
  git(at, "-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "-qm", "Logo");
  const origin = join(at.outside, "origin.git");
  git(at, "clone", "--quiet", "--bare", at.repo, origin);
  git(at, "remote", "add", "origin", `file://${origin}`);
  git(at, "lfs", "push", "--all", "origin");
  return origin;
}

test.for([
  ["a fresh clone", []],
  ["a work tree of its own, made of a fresh clone", ["--worktree"]],
] as const)("a run with files under Git LFS begins and is approved in %s", async ([, flags]) => {
  const from = place();
  const origin = lfsOrigin(from);
  for (const installed of [true, false]) {
    if (!installed) rmSync(join(from.env["HOME"] ?? "", ".gitconfig"));
    const clone = join(from.outside, `clone-${installed}`);
    git(from, "clone", "--quiet", `file://${origin}`, clone);
    const at = { ...from, repo: clone };
    const args = ["run", "Write work.txt", "--json", ...flags, ...agents(at, oneCycle())];
    const run = await quasar(at, args);
    expect(run.code, run.stdout).toBe(0);
    const { workTree } = records(run.stdout).find(({ type }) => type === "run") ?? {};
    const tree = { ...at, repo: String(workTree) };
    expect(git(tree, "show", "HEAD:work.txt")).toBe("right");
    expect(git(tree, "show", "HEAD:logo.bin")).toContain("git-lfs.github.com/spec/v1");
    expect(git(tree, "status", "--porcelain")).toBe("");
    expect(readFileSync(join(tree.repo, "logo.bin"), "utf8").includes("an image")).toBe(installed);
  }
});

test.for([
  ["is refused", 'touch "$PWD/untracked"', 6],
  ["cannot be made", "exit 1", 1],
] as const)(
  "a work tree for a run that %s is left nowhere, nor its branch",
  async ([, hook, code]) => {
    const at = place();
    const file = join(at.repo, ".git/hooks/post-checkout");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${hook}\n`, { mode: 0o755 });
    const before = git(at, "for-each-ref");
    const run = await quasar(at, ["run", "x", "--worktree", ...agents(at, oneCycle())]);
    expect(run.code, run.stderr).toBe(code);
    expect(git(at, "for-each-ref")).toBe(before);
    expect(git(at, "worktree", "list").split("\n")).toHaveLength(1);
    expect(readdirSync(at.outside).filter((name) => name.startsWith("repo-"))).toEqual([]);
  },
);

test("the commits of a run, its own and its agent's, are by whom the CI says by variables", async () => {
  const CI = {
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "user.name",
    GIT_CONFIG_VALUE_0: "The CI",
    GIT_CONFIG_KEY_1: "core.hooksPath",
    GIT_CONFIG_VALUE_1: "/nowhere",
    GIT_AUTHOR_EMAIL: "author@localhost",
    GIT_COMMITTER_EMAIL: "ci@localhost",
  };
  const at = place();
  const coder = join(at.outside, "coder.sh");
  const commit = 'echo one > one.txt; git add one.txt; git commit -qm "By the agent"';
  writeFileSync(coder, `#!/bin/sh\n${commit}\necho two > two.txt\n`, { mode: 0o755 });
  const [, , , reviewer = ""] = agents(at, oneCycle());
  const args = ["run", "x", "--coder", `command:${coder}`, "--reviewer", reviewer];
  const run = await quasar(at, args, { env: CI });
  expect(run.code, run.stdout + run.stderr).toBe(0);
  const by = "The CI <author@localhost>, The CI <ci@localhost>";
  expect(git(at, "log", "--format=%an <%ae>, %cn <%ce>", "-2")).toBe(`${by}\n${by}`);
});
