import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Checkpoint } from "@quasar/checkpoint";
import { aCheckpoint } from "@quasar/checkpoint/testing";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { lockWorkspace } from "../src/driving/lock.ts";
import { listRuns, runIds, summaries } from "../src/look/list.ts";
import type { ListedRun } from "../src/look/summary.ts";
import { runStores } from "../src/store.ts";
import { openUser } from "../src/user/user.ts";
import { openWorkspace, type Workspace } from "../src/workspace.ts";

let folder: string;
let workspace: Workspace;

beforeEach(async () => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "list-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  vi.stubEnv("HOME", folder);
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  execFileSync("git", ["init", "-q", join(folder, "repo")]);
  workspace = await openWorkspace(join(folder, "repo"));
});

let made = 0;

async function aRun(
  change: Partial<Checkpoint> = {},
  { sealKey = openUser().sealKey(), ended = false } = {},
) {
  const runId = `20261120-180405-${(made += 1).toString(16).padStart(6, "0")}`;
  const { current, archive } = runStores(workspace, runId, sealKey);
  const taskTitle = `\n  Task ${made}\nand more of it`;
  const saved = aCheckpoint({ phaseId: "", runId, taskTitle, totalCostUsd: made, ...change });
  for (const store of [current, ended ? archive : current]) await store.save(saved);
  if (ended) await current.remove();
  return { runId, dir: join(workspace.runsDir, runId) };
}

const outcome = (name: string) => ({
  outcome: { outcome: name, message: `it is ${name}`, allow: [], requests: 0 },
});

const checkpointsIn = (dir: string): readonly string[] =>
  readdirSync(dir).filter((name) => name.startsWith("checkpoint.toml"));

function cut(dir: string): void {
  for (const name of checkpointsIn(dir)) {
    const path = join(dir, name);
    const bytes = readFileSync(path);
    rmSync(path);
    writeFileSync(path, bytes.subarray(0, -200));
  }
}

/** One of each kind. */
async function allKinds(): Promise<void> {
  await aRun();
  await aRun(outcome("max_cycles"));
  await aRun(outcome("interrupted"));
  await aRun({}, { ended: true });
  await aRun(outcome("abandoned"), { ended: true });
  await aRun(outcome("max_cycles"), { sealKey: Buffer.alloc(32, 1) });
  await aRun(outcome("abandoned"), { sealKey: Buffer.alloc(32, 1), ended: true });
  cut((await aRun(outcome("max_cycles"))).dir);
  cut(join((await aRun({}, { ended: true })).dir, "archive"));
  const { dir } = await aRun();
  for (const name of checkpointsIn(dir)) {
    renameSync(join(dir, name), join(dir, `${name}.damaged-20261120T180405Z`));
  }
  const newer = await aRun();
  writeFileSync(join(newer.dir, "checkpoint.toml"), "version = 9\n");
  mkdirSync(join(workspace.runsDir, "20261120-180405-ffffff"));
  writeFileSync(join(workspace.runsDir, "20261120-180405-fffffe"), "no folder");
}

const shown = (run: ListedRun): ListedRun => {
  const { id, status, task, reason, cycle, spentUsd, unknownUsd, savedAt } = run;
  return { id, status, task, reason, cycle, spentUsd, unknownUsd, savedAt };
};

async function both(): Promise<readonly (readonly ListedRun[])[]> {
  const ids = runIds(workspace);
  const lists: ListedRun[][] = [[], []];
  for await (const run of listRuns(workspace, openUser(), ids)) lists[0]?.push(shown(run));
  for await (const run of summaries(workspace, ids)) lists[1]?.push(shown(run));
  return lists;
}

test("a list says of runs of every kind what is said of each when all of it is read", async () => {
  await allKinds();
  const [listed, whole] = await both();
  expect(listed).toEqual(whole);
  expect(listed?.map(({ status }) => status).toReversed()).toEqual([
    "interrupted",
    "stopped",
    "interrupted",
    "approved",
    "abandoned",
    "stopped",
    "abandoned",
    "damaged",
    "damaged",
    "damaged",
    "damaged",
    "damaged",
  ]);
  chmodSync(join(folder, "state", "quasar", "seal.key"), 0o644);
  expect((await both())[0]).toEqual(listed);
});

test("the run that somebody works on is running in a list too", async () => {
  const { runId } = await aRun();
  await aRun(outcome("max_cycles"), { ended: true });
  const lock = await lockWorkspace(workspace);
  onTestFinished(() => lock.release());
  writeFileSync(join(workspace.stateDir, "lock.run"), `${process.pid} ${runId}\n`);
  const [listed, whole] = await both();
  expect(listed).toEqual(whole);
  expect(listed?.find(({ id }) => id === runId)).toMatchObject({ status: "running" });
});

test("a run is shown although its open turn has a name that is none of its own", async () => {
  const nobody = { pid: 0, processStart: 0, bootId: "", host: "" };
  const counts = {
    attempt: 1,
    allowanceUsd: 0,
    reservedUsd: 0.5,
    unmetered: false,
    retries: 0,
    kills: 0,
  };
  const words = {
    startedAt: "2026-11-20T18:04:05Z",
    sessionId: "",
    resumed: false,
    retryAt: "",
    treeMark: "",
  };
  const turn = { id: "another.1", role: "coder", status: "started", ...nobody } as const;
  const { runId } = await aRun({ failure: "", turn: { ...turn, ...counts, ...words } });
  const found: unknown[] = [];
  for await (const run of summaries(workspace, [runId])) found.push(run);
  expect(found).toMatchObject([
    { id: runId, openTurn: { reservedUsd: 0.5, reportedUsd: undefined } },
  ]);
});
