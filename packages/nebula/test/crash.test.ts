import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ApplyEnd } from "../src/engine/apply.ts";
import type { Told } from "../src/events.ts";
import { refsOf } from "../src/state/home.ts";
import { aPlace, MANIFEST, phase, type Place, type Work, write } from "./place.ts";

const WORK: Work = {
  "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
  "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
};

const FILES = {
  "nebula.toml": MANIFEST,
  "a.md": phase("a"),
  "b.md": phase("b", 'depends_on = ["a"]'),
};

/** Interrupts a nebula at the first event of a type. */
async function stoppedAt(place: Place, type: Told["type"], work: Work = WORK): Promise<ApplyEnd> {
  const stop = new AbortController();
  const onEvent = (event: Told): void => {
    if (event.type === type) stop.abort();
  };
  return place.apply(work, { signal: stop.signal, onEvent });
}

test("what is interrupted while it lands has been interrupted, and has not failed", async () => {
  const place = aPlace({}, FILES);
  const { reason, state } = await stoppedAt(place, "candidate_made");
  expect(reason).toBe("interrupted");
  expect(state.phases[0]?.status).toBe("landing");
});

test("a candidate that was recorded is held by its ref before it lands", async () => {
  const place = aPlace({}, FILES);
  const { state } = await stoppedAt(place, "candidate_made");
  const ref = refsOf(state.id).candidate(1);
  await place.apply(WORK);
  expect(place.git("rev-parse", ref)).toBe(state.phases[0]?.candidate);
});

test("a ref of ours whose commit is lost is made anew", async () => {
  const place = aPlace({}, FILES);
  const { state } = await stoppedAt(place, "candidate_made");
  write(join(place.repo, ".git"), { [refsOf(state.id).candidate(1)]: `${"1".repeat(40)}\n` });
  const { reason } = await place.apply(WORK);
  expect(reason).toBe("done");
  expect(place.git("rev-parse", refsOf(state.id).candidate(1))).toBe(state.phases[0]?.candidate);
});

test("a lock that a dead git has left in the tree of the verifications is in nobody's way", async () => {
  const files = { ...FILES, "nebula.toml": `${MANIFEST}[execution]\nverify = ["true"]\n` };
  const place = aPlace({}, files);
  await stoppedAt(place, "phase_landed");
  const [tree] = globSync(join(place.repo, ".git/worktrees/verify"));
  writeFileSync(join(tree ?? "", "index.lock"), "");
  const { reason } = await place.apply(WORK);
  expect(reason).toBe("done");
});

test("a verification that a dead engine has left running is ended before the next one", async () => {
  const place = aPlace({}, FILES);
  const { state } = await stoppedAt(place, "candidate_made");
  const env = { ...process.env, QUASAR_RUN_ID: `${state.id}-command-1` };
  const left = spawn("sleep", ["60"], { env, detached: true, stdio: "ignore" });
  onTestFinished(() => void left.kill("SIGKILL"));
  const ended = once(left, "exit");
  const { reason } = await place.apply(WORK);
  expect(reason).toBe("done");
  await ended;
});

test("trees are set up side by side: the end of one command does not end another", async () => {
  const setup = `case $PWD in */p1-*) sleep 3;; esac`;
  const manifest = `${MANIFEST}[execution]\nsetup = [${JSON.stringify(setup)}]\n`;
  const place = aPlace({}, { ...FILES, "nebula.toml": manifest, "b.md": phase("b") });
  const { reason } = await place.apply(WORK);
  expect(reason).toBe("done");
});
