import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents/turns";
import { byLane, randomOf, sample, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import {
  git,
  lastRecord,
  type Place,
  place,
  quasar,
  records,
  type Running,
  start,
  recordOf,
} from "./harness.ts";
import { holdingModel, releaseModel, takeOver } from "./held.ts";
import { agents, oneCycle } from "./scripts.ts";

const ROUNDS = byLane({ fast: 1, whole: 2, long: 20 });

interface Held {
  readonly at: Place;
  readonly run: Running;
  readonly runId: string;
  /** Of the run's agent and its supervisor. */
  readonly pids: readonly number[];
  readonly lock: string;
}

/** A run whose agent of that role is in the middle of its turn. */
async function held(role: "coder" | "reviewer"): Promise<Held> {
  const at = place();
  const model = await holdingModel(at, role);
  const turns = oneCycle().map((turn) => ({ ...turn, says: ["Reading"] }));
  const run = start(at, ["run", "Write", "--json", ...agents(at, turns, { model })]);
  const said = recordOf("agent_event", 1, role);
  expect(await run.sees(said), run.stdout()).toBe(true);
  const runId = String(records(run.stdout().split("\n")[0] ?? "")[0]?.["runId"]);
  const pids = findRunProcesses(runId) ?? [];
  expect(pids).not.toEqual([]);
  return { at, run, runId, pids, lock: join(at.repo, ".git/quasar/lock") };
}

const REMOVALS: Readonly<Record<string, (lock: string) => void>> = {
  "the lock file is removed": (lock) => rmSync(lock),
  "the lock file is replaced": (lock) => {
    rmSync(lock);
    writeFileSync(lock, "");
  },
  "all lock files are removed": (lock) => {
    for (const each of [lock, `${lock}.owner.json`, `${lock}.run`]) rmSync(each);
  },
};

const CASES = (["coder", "reviewer"] as const).flatMap((role) =>
  Object.keys(REMOVALS).flatMap((how) =>
    Array.from({ length: ROUNDS }, (_, round) => [role, how, round] as const),
  ),
);

test.for(sample(CASES, 3, 3))(
  "a run in its %s's turn keeps driving when %s (round %i)",
  { timeout: 180_000 },
  async ([role, how, round]) => {
    const pause = randomOf(seed + round);
    const { at, run, runId, pids, lock } = await held(role);
    const pid = run.child.pid;
    REMOVALS[how]?.(lock);
    await sleep(pause() * 1500);

    const status = await quasar(at, ["status"]);
    expect(status.stdout).toContain("running");
    expect(status.stdout).toContain(`process ${pid} on`);
    expect(status.stdout).not.toContain("quasar resume");

    const second = start(at, ["resume", "--json"]);
    const isEarly = pause() < 0.5;
    if (isEarly) releaseModel(at);
    const { code, stdout, stderr } = await second.finished;
    if (!isEarly || code !== 8) {
      expect(code, stdout + stderr).toBe(6);
      expect(stdout + stderr).toContain(`process ${pid} on`);
      expect(stdout + stderr).toContain(`kill -INT ${pid}`);
    }
    if (!isEarly) expect(findRunProcesses(runId)).toEqual(pids);

    releaseModel(at);
    const first = await run.finished;
    expect(first.code, first.stdout + first.stderr).toBe(0);
    expect(lastRecord(first)["outcome"]).toBe("approved");
    expect(lastRecord(first)["spentUsd"]).toBeCloseTo(0.4);
    const [{ status: kept } = {}] = lastRecord(await quasar(at, ["ls", "--json"]))["runs"] as {
      status: string;
    }[];
    expect(kept).toBe("approved");
    expect(git(at, "log", "--format=%s").split("\n")).toHaveLength(2);
    expect((await quasar(at, ["resume"])).code).toBe(8);
  },
);

function filesOf({ at, runId }: Held): readonly string[] {
  const dir = join(at.repo, ".git/quasar/runs", runId);
  const names = ["checkpoint.toml", "events.jsonl"];
  return names.map((name) => readFileSync(join(dir, name), "utf8"));
}

test.for(["coder", "reviewer"] as const)(
  "a run in its %s's turn steps back where another process has its lock, and is resumed whole",
  { timeout: 180_000 },
  async (role) => {
    const run = await held(role);
    const { at, runId } = run;
    const before = filesOf(run);
    const commits = git(at, "log", "--format=%H");
    const free = takeOver(run.lock);
    releaseModel(at);
    const ended = await run.run.finished;
    expect(ended.code, ended.stdout + ended.stderr).toBe(6);
    expect(lastRecord(ended)).toMatchObject({ outcome: "superseded", exit: 6 });
    expect(lastRecord(ended)["next"]).toContainEqual(expect.stringContaining("quasar resume"));
    expect(filesOf(run)).toEqual(before);
    expect(git(at, "log", "--format=%H")).toBe(commits);
    expect(existsSync(run.lock)).toBe(true);
    expect((await quasar(at, ["status"])).stdout).toContain(`process ${process.pid} on`);

    free();
    const resumed = await quasar(at, ["resume", runId, "--json"]);
    expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
    expect(lastRecord(resumed)["spentUsd"]).toBeCloseTo(0.4);
  },
);

test("an interrupt ends no agent of a run whose lock another process has", async () => {
  const run = await held("reviewer");
  const before = filesOf(run);
  takeOver(run.lock);
  run.run.child.kill("SIGINT");
  const { code, stdout } = await run.run.finished;
  expect(code, stdout).toBe(6);
  expect(findRunProcesses(run.runId)).toEqual(run.pids);
  expect(filesOf(run)).toEqual(before);
  releaseModel(run.at);
});
