import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atlas, atlasPlace } from "./atlas/harness.ts";
import { type Place, place, quasar, records, write } from "./harness.ts";
import { agents, oneCycle } from "./scripts.ts";

/** A place whose git takes three seconds for one of its commands. */
function withSlowGit<P extends Place>(at: P, command: string): P {
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const bin = join(at.outside, "bin");
  const slow = `case " $* " in *" ${command} "*) sleep 3;; esac`;
  write(bin, { git: `#!/bin/sh\n${slow}\nexec ${real} "$@"\n` });
  chmodSync(join(bin, "git"), 0o755);
  return { ...at, env: { ...at.env, PATH: `${bin}:${at.env["PATH"]}` } };
}

const COMMITTING = "  working  git is committing (its hooks run too)\n";
const counted = (text: string, part: string): number => text.split(part).length - 1;

test("a run says what it is at where that takes over two seconds, once, and not among JSON", async () => {
  const at = withSlowGit(place(), "commit");
  const done = await quasar(at, ["run", "Write", ...agents(at, oneCycle())]);
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(counted(done.stdout, COMMITTING)).toBe(1);
  expect(counted(done.stdout, "  working")).toBe(1);

  const other = withSlowGit(place(), "commit");
  const json = await quasar(other, ["run", "Write", "--json", ...agents(other, oneCycle())]);
  expect(json.code, json.stdout + json.stderr).toBe(0);
  expect(records(json.stdout).length).toBeGreaterThan(0);
  expect(json.stdout + json.stderr).not.toContain("working");
});

test("a task says that git checks out its work tree where that takes over two seconds", async () => {
  const at = withSlowGit(atlasPlace(), "worktree add");
  const started = await atlas(at, [
    ...["start", "Fix it", "--template", "bugfix"],
    ...agents(at, oneCycle()),
  ]);
  expect(counted(started.stdout, "  working  git is checking out the work tree\n")).toBe(1);
});
