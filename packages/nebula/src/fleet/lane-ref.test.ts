import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openRepository } from "@quasar/git";
import { initDepot } from "@quasar/git/depot";
import { openMergeFolder } from "@quasar/git/landing";
import { expect, onTestFinished, test } from "vitest";
import { LaneRef } from "./lane-ref.ts";

const BRANCH = "nebula/demo";

/** A repository with two commits, the first of which is the branch's at the depot. */
async function aLane() {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "lane-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [repo, depot] = [join(root, "repo"), join(root, "depot.git")];
  execFileSync("git", ["init", "-q", repo]);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
      ...{ cwd: repo, encoding: "utf8" },
    }).trim();
  const commit = (): string => {
    git("commit", "-q", "--allow-empty", "-m", "Change");
    return git("rev-parse", "HEAD");
  };
  const [onto, candidate] = [commit(), commit()];
  await initDepot(depot);
  git("push", "-q", depot, `${onto}:refs/heads/${BRANCH}`);
  const repository = await openRepository(repo);
  const over = new AbortController();
  const heard: string[] = [];
  const lane = new LaneRef({
    ...{ repository, depot, nebula: "aaaaaaaaaa", epoch: { n: 1, writer: "00000000" } },
    ...{ mergeFolder: await openMergeFolder(repository), signal: over.signal },
    reach: { away: (what) => void heard.push(`away ${what}`), back: () => {} },
  });
  await lane.take(onto);
  return {
    ...{ depot, heard },
    take: () => lane.take(candidate),
    land: () => lane.land({ branch: BRANCH, onto, candidate }),
    ...{ over, candidate },
    takeAway: () => renameSync(depot, `${depot}.away`),
    bringBack: () => renameSync(`${depot}.away`, depot),
    tip: () => git("ls-remote", depot, BRANCH).split("\t")[0],
  };
}

test("a landing waits for a depot that is out of reach, and is made once that is back", async () => {
  const lane = await aLane();
  lane.takeAway();
  const landing = lane.land();
  await sleep(500);
  lane.bringBack();
  expect(await landing).toBe("landed");
  expect(lane.tip()).toBe(lane.candidate);
});

test("a lane is taken once a depot is back that was out of reach", async () => {
  const lane = await aLane();
  lane.takeAway();
  const taken = lane.take();
  await sleep(500);
  lane.bringBack();
  await taken;
  expect(lane.heard).toEqual([`away ${lane.depot}`]);
  expect(await lane.land()).toBe("landed");
});

test("a landing that waits for the depot ends with the lane", async () => {
  const lane = await aLane();
  lane.takeAway();
  const landing = lane.land();
  setTimeout(() => lane.over.abort(new Error("lost")), 300);
  await expect(landing).rejects.toThrow("lost");
});
