import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { initDepot, makeRepository } from "@quasar/git/depot";
import { expect, onTestFinished, test } from "vitest";
import { takeLane } from "./take-lane.ts";

test("what the holder before lands until the lane is taken is known here", async () => {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "take-lane-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [theirs, ours, depot] = [join(root, "a"), join(root, "b"), join(root, "depot.git")];
  const gitIn = (cwd: string, ...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
      ...{ cwd, encoding: "utf8" },
    }).trim();
  const land = (): string => {
    gitIn(theirs, "commit", "-q", "--allow-empty", "-m", "Land");
    gitIn(theirs, "push", "-q", depot, "HEAD:refs/heads/nebula/demo");
    return gitIn(theirs, "rev-parse", "HEAD");
  };
  execFileSync("git", ["init", "-q", theirs]);
  await initDepot(depot);
  const before = land();
  await makeRepository(ours);
  const { signal } = new AbortController();
  const state = { id: "aaaaaaaaaa", branch: "nebula/demo", revision: "" };
  let landed = "";
  const laneRef = {
    async take(base: string) {
      expect(base).toBe(before);
      landed = land();
    },
  };
  await takeLane(await openRepository(ours, { signal }), laneRef, { depot, state, signal });
  expect(landed).not.toBe("");
  expect(gitIn(ours, "rev-parse", "nebula/demo")).toBe(landed);
});
