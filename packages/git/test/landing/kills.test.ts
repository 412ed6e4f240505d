import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listWorktrees } from "../../src/worktree.ts";
import { aFolder, git, headOf, read, script } from "../fixture.ts";
import { twoSides } from "./fixture.ts";

const REF = "refs/heads/nebula/x";
const CHILD = join(import.meta.dirname, "children", "begin.ts");

/** Begins a landing; is killed with SIGKILL at a call of git, before or after that has done its work. */
async function begin(
  kill: string | undefined,
): Promise<{ readonly calls: number; readonly end: unknown }> {
  const { root, ours } = twoSides({ f: "f" }, { "d/a": "a" }, {});
  const folder = join(aFolder(), "trees");
  mkdirSync(folder);
  const bin = aFolder();
  const real = join(git(root, "--exec-path").trim(), "git");
  const count = `echo x >> '${bin}/log'; n=$(wc -l < '${bin}/log')`;
  const stop = (when: string): string => `[ "$KILL_AT" = "${when} $((n))" ] && kill -9 $PPID`;
  script(
    bin,
    "git",
    `${count}; ${stop("before")} && exit; '${real}' "$@"; e=$?; ${stop("after")}; exit $e`,
  );
  const run = (at = ""): number | null => {
    const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, KILL_AT: at };
    return spawnSync(process.execPath, [CHILD, root, folder, REF, ours], { env }).status;
  };
  if (kill !== undefined) expect(run(kill), "it was killed").toBe(null);
  else expect(run()).toBe(0);
  const calls = read(bin, "log").length / 2;
  expect(run(), "again").toBe(0);
  const path = join(folder, "p");
  const end = {
    isAtCommit: git(root, "rev-parse", REF).trim() === ours && headOf(path) === ours,
    changed: git(path, "status", "--porcelain"),
    locks: (await listWorktrees(root)).map(({ lock }) => lock),
    names: readdirSync(folder),
    left: existsSync(join(root, ".git", `${REF}.lock`)),
  };
  return { calls, end };
}

test("comes to the same after a kill at each call of git", { timeout: 300_000 }, async () => {
  const { calls, end } = await begin(undefined);
  expect(end).toEqual({
    isAtCommit: true,
    changed: "",
    locks: [undefined, undefined],
    names: ["p"],
    left: false,
  });
  expect(calls).toBeGreaterThan(5);
  for (let call = 1; call <= calls; call += 1) {
    for (const when of ["before", "after"]) {
      const kill = `${when} ${call}`;
      expect((await begin(kill)).end, kill).toEqual(end);
    }
  }
});
