import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses, listRunProcesses } from "@quasar/agents/turns";
import type { HookFile } from "@quasar/hookfile";
import { sendSignal } from "@quasar/process";
import { sample } from "@quasar/vitest/lane";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  doctor,
  git,
  lastRecord,
  type Place,
  place,
  quasar,
  records,
  start,
  write,
} from "./harness.ts";
import { listTasks } from "@quasar/tasks";
import {
  agentsOf,
  FIX,
  atlas,
  atlasJson,
  type AtlasPlace,
  atlasPlace,
  scripted,
  startAtlas,
  VALIDATED,
  workTreeOf,
} from "./atlas/harness.ts";
import { holdingModel, releaseModel } from "./held.ts";
import { APPROVAL } from "./scripts.ts";

// To the commands the machine is a Mac: no /proc, a `ps` that hides the variables of shells, another host
// name in each process. Its agents are shells.

const DARWIN = import.meta.resolve("@quasar/vitest/darwin");

/**
 * A coder that says where it sees another one at work, and waits until it may write. One that has ended, and that
 * the system has not cleared away yet, is at work no more.
 */
const CODER = (outside: string): string => `
  other=$(cat ${outside}/pid 2> /dev/null)
  if [ -n "$other" ] && kill -0 "$other" 2> /dev/null && ! grep -q ') Z ' "/proc/$other/stat"
  then echo "$other" >> ${outside}/two; fi
  echo $$ > ${outside}/pid
  while [ ! -e ${outside}/go ]; do sleep 0.05; done
  echo right > work.txt
`;

function aMac(): Place {
  const at = place();
  write(at.outside, { "coder.sh": CODER(at.outside), review: APPROVAL });
  onTestFinished(() => letWrite(at));
  return { ...at, env: { ...at.env, NODE_OPTIONS: `--import ${DARWIN}` } };
}

/** Reads a file by other letters, as calls do that block and those that do not. */
const READ = `
  import { readFileSync } from "node:fs";
  import { readFile } from "node:fs/promises";
  const path = process.cwd() + "/REPO/A.TXT";
  process.stdout.write(readFileSync(path, "utf8") + (await readFile(path, "utf8")));
`;

const letWrite = (at: Place): void => writeFileSync(join(at.outside, "go"), "");

const AGENTS = ({ outside }: Place): readonly string[] => [
  ...["--coder", `command:sh ${outside}/coder.sh`],
  ...["--reviewer", `command:cat ${outside}/review`],
];

/** The process of the coder that is at work, once it is another one. */
async function coderAfter(at: Place, before: number): Promise<number> {
  for (;;) {
    const path = join(at.outside, "pid");
    const pid = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
    if (pid !== 0 && pid !== before) return pid;
    await sleep(20);
  }
}

function supervisorOf(runId: string): number {
  const isSupervisor = (pid: number): boolean =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("supervisor.js");
  return findRunProcesses(runId)?.find(isSupervisor) ?? 0;
}

const KILLS = {
  runner: ["runner"],
  agent: ["agent"],
  supervisor: ["supervisor"],
  "runner, then the supervisor": ["runner", "supervisor"],
  all: ["runner", "supervisor", "agent"],
} as const;

/** A run of which everything was killed while the coder works, and whose process ids others have by now. */
async function killedWhole(): Promise<Place & { readonly reused: string }> {
  const at = aMac();
  const running = start(at, ["run", "Write", "--json", "--max-budget", "0", ...AGENTS(at)]);
  const agent = await coderAfter(at, 0);
  const runId = String(records(running.stdout().split("\n")[0] ?? "")[0]?.["runId"]);
  const pids = [running.child.pid ?? 0, supervisorOf(runId), agent];
  for (const pid of pids) sendSignal(pid, "SIGKILL");
  await running.finished;
  letWrite(at);
  return { ...at, reused: pids.join() };
}

/** Of a bugfix of which something is killed while its coder works, and that waits for its review: what came of it. */
async function bugfix(
  killed: readonly (keyof Pids)[],
  machine: Readonly<Record<string, string>>,
): Promise<object> {
  const made = atlasPlace();
  const at = { ...made, env: { ...made.env, ...machine } };
  const turns = FIX.map((turn) => ({ ...turn, says: ["Reading"] }));
  const agents = scripted(at, turns, await holdingModel(at, "coder"));
  const args = ["start", "fix null pointer in config", "--template", "bugfix", ...VALIDATED];
  const running = startAtlas(at, [...args, ...agents]);
  expect(await running.sees("coder    works")).toBe(true);
  const pids = await pidsOf(at, running.child.pid ?? 0);
  for (const each of killed) sendSignal(pids[each], "SIGKILL");
  const isResumed = killed.includes("runner");
  if (isResumed) await running.finished;
  releaseModel(at);
  const done = isResumed ? await atlas(at, ["resume"]) : await running.finished;
  expect(done.code, done.stderr).toBe(9);
  const { hook, cost } = await atlasJson(at, ["status"]);
  const { state, steps } = hook as HookFile;
  const there = { ...at, repo: workTreeOf(at) };
  return {
    state,
    steps: steps.map(({ name, status }) => [name, status]),
    cost: (cost as { spentUsd: number }).spentUsd,
    commits: git(there, "log", "--format=%s", "main.."),
    tree: git(there, "ls-tree", "-r", "HEAD"),
    left: (listRunProcesses() ?? []).filter(({ workTree }) => workTree === there.repo),
  };
}

interface Pids {
  readonly runner: number;
  readonly supervisor: number;
  readonly agent: number;
}

/** The supervisor and the agent of the task's turn that is under way. */
async function pidsOf(at: AtlasPlace, runner: number): Promise<Pids> {
  for (;;) {
    const pids = (await agentsOf(at)).flatMap((each) => each.pids);
    const isSupervisor = (pid: number): boolean =>
      readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("supervisor.js");
    const [supervisor] = pids.filter(isSupervisor);
    const [agent] = pids.filter((pid) => pid !== supervisor);
    if (supervisor !== undefined && agent !== undefined) return { runner, supervisor, agent };
    await sleep(20);
  }
}

describe.skipIf(process.platform !== "linux")("on a Mac", () => {
  test.for(Object.entries(KILLS))(
    "a run ends the same, and no two agents work at once, where kill -9 hits the %s",
    async ([, killed]) => {
      const at = aMac();
      const args = ["run", "Write", "--json", "--max-budget", "0", ...AGENTS(at)];
      const running = start(at, args);
      const agent = await coderAfter(at, 0);
      const runId = String(records(running.stdout().split("\n")[0] ?? "")[0]?.["runId"]);
      const pids = { runner: running.child.pid ?? 0, agent, supervisor: supervisorOf(runId) };
      for (const each of killed) sendSignal(pids[each], "SIGKILL");

      const isFollowed = killed.join() === "runner";
      const isResumed = killed.some((each) => each === "runner");
      if (isResumed) await running.finished;
      const going = isResumed ? start(at, ["resume", "--json"]) : running;
      if (isFollowed) expect(await going.sees('"how":"followed"'), going.stdout()).toBe(true);
      else await coderAfter(at, agent);
      letWrite(at);

      const done = await going.finished;
      expect(done, done.stderr).toMatchObject({ code: 0 });
      expect(lastRecord(done)).toMatchObject({ outcome: "approved" });
      expect(existsSync(join(at.outside, "two"))).toBe(false);
      expect(git(at, "show", "HEAD:work.txt")).toBe("right");
      expect(git(at, "rev-list", "--count", "HEAD")).toBe("2");
      expect(await quasar(at, ["status"])).toMatchObject({ code: 0 });
      expect(findRunProcesses(runId)).toEqual([]);
    },
  );

  test.for([
    ["the process ids of a run belong to somebody else by now", {}],
    ["that was started anew, and whose process ids belong to others", { DARWIN_BOOT: "another" }],
  ] as const)("where %s, a resume touches and follows none of them", async ([, boot]) => {
    const at = await killedWhole();
    const signals = join(at.outside, "signals");
    const env = { ...boot, DARWIN_REUSED: at.reused, DARWIN_SIGNALS: signals };
    const done = await quasar(at, ["resume", "--json"], { env: { ...at.env, ...env } });
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(done.stdout).not.toContain('"followed"');
    expect(lastRecord(done)).toMatchObject({ outcome: "approved" });
    expect(git(at, "rev-list", "--count", "HEAD")).toBe("2");
    expect(existsSync(signals)).toBe(false);
  });

  test("that was started anew, status, the plan and the resume agree that nobody drives the run", async () => {
    const killed = await killedWhole();
    const env = { ...killed.env, DARWIN_BOOT: "another", DARWIN_REUSED: killed.reused };
    const at = { ...killed, env };
    expect(lastRecord(await quasar(at, ["status", "--json"]))).toMatchObject({
      runs: [{ status: "interrupted" }],
    });
    const plan = lastRecord(await quasar(at, ["resume", "--plan", "--json"]));
    expect(plan).toMatchObject({ exit: 0, items: [{}, { kind: "run-again" }] });
    const done = await quasar(at, ["resume", "--json"]);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(lastRecord(done)).toMatchObject({ outcome: "approved" });
  });

  test.for([
    ["a sub-folder of the tree, it begins no work beside it", "repo/sub", {}, 6],
    ["another folder, it works", "elsewhere", {}, 0],
    ["a folder that lsof fails to tell, it works", "repo", { DARWIN_BROKEN: "lsof" }, 0],
  ] as const)("where an agent of another run is in %s", async ([, dir, broken, code]) => {
    const at = aMac();
    letWrite(at);
    const cwd = join(at.outside, dir);
    mkdirSync(cwd, { recursive: true });
    // Its shell shows no variables: it is known by its parent.
    const agent = `require("node:child_process").spawn("sh", ["-c", "sleep 60 & wait"]);`;
    const env = { ...at.env, NODE_OPTIONS: "", QUASAR_RUN_ID: "other-implement-1" };
    const other = spawn(process.execPath, ["-e", agent], { cwd, env, detached: true });
    onTestFinished(() => sendSignal(-(other.pid ?? 0), "SIGKILL"));
    await expect.poll(() => findRunProcesses("other-implement-1")?.length).toBe(3);

    const asked = join(at.outside, "asked");
    const mac = { ...at, env: { ...at.env, ...broken, DARWIN_ASKED: asked } };
    const done = await quasar(mac, ["run", "Write", ...AGENTS(at)]);
    expect(done, done.stderr).toMatchObject({ code });
    if (code !== 0)
      expect(done.stderr).toContain("an agent of other-implement-1 works in this tree");
    expect(readFileSync(asked, "utf8").match(/^lsof /gmu)).toHaveLength(1);
  });

  test("whose ps and sysctl fail, a run ends the same", async () => {
    const at = aMac();
    letWrite(at);
    const env = { ...at.env, DARWIN_BROKEN: "ps,sysctl" };
    const done = await quasar(at, ["run", "Write", "--json", ...AGENTS(at)], { env });
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(git(at, "show", "HEAD:work.txt")).toBe("right");
  });

  test("whose ps fails is not asked for the processes of each run that has not ended", async () => {
    const at = aMac();
    letWrite(at);
    write(at.outside, { refusal: "ISSUE:\nSEVERITY: major\nDESCRIPTION: not enough" });
    const asked = join(at.outside, "asked");
    const env = { ...at.env, DARWIN_BROKEN: "ps", DARWIN_ASKED: asked };
    const refused = [
      "--coder",
      `command:sh ${at.outside}/coder.sh`,
      "--reviewer",
      `command:cat ${at.outside}/refusal`,
    ];
    const counts: number[] = [];
    for (let open = 0; open < 4; open += 1) {
      writeFileSync(asked, "");
      const done = await quasar(at, ["run", "--new", "Write", "--max-cycles", "1", ...refused], {
        env,
      });
      expect(done.code, done.stderr).toBe(3);
      counts.push(readFileSync(asked, "utf8").match(/^ps -a/gmu)?.length ?? 0);
    }
    // Where no run is open nobody looks.
    expect(counts.slice(2)).toEqual([counts[1], counts[1]]);
  });

  test("where a git that was killed has left its lock, the doctor says how to move it aside", async () => {
    const at = aMac();
    letWrite(at);
    const lock = join(at.repo, ".git/index.lock");
    writeFileSync(lock, "");
    const found = lastRecord(await doctor(at, ["--fix", "--json"]));
    const problems = found["problems"] as readonly {
      readonly check: string;
      readonly next: string[];
    }[];
    const [advice = ""] = problems.find(({ check }) => check === "git locks")?.next ?? [];
    expect(existsSync(lock)).toBe(true);
    execFileSync("sh", ["-c", advice.replace(/ {3}# .*$/u, "")], { cwd: at.repo });
    expect(existsSync(lock)).toBe(false);
    const done = await quasar(at, ["run", "Write", ...AGENTS(at)]);
    expect(done.code, done.stderr).toBe(0);
  });

  test.for(sample(Object.entries(KILLS), 1, 2))(
    "a bugfix ends as it does on Linux where kill -9 hits the %s",
    async ([, killed]) => {
      const linux = await bugfix(killed, {});
      expect(linux).toMatchObject({ state: "awaiting_human", left: [] });
      expect(await bugfix(killed, { NODE_OPTIONS: `--import ${DARWIN}` })).toEqual(linux);
    },
  );

  test("whose disk folds case, a run ends the same", async () => {
    const at = aMac();
    letWrite(at);
    write(at.outside, { "read.mjs": READ });
    const env = { ...at.env, DARWIN_FOLDS: at.outside };
    const read = execFileSync(process.execPath, ["read.mjs"], { cwd: at.outside, env });
    expect(read.toString()).toBe("one\none\n");
    const done = await quasar(at, ["run", "Write", "--json", ...AGENTS(at)], { env });
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(git(at, "show", "HEAD:work.txt")).toBe("right");
    expect(await doctor(at, [], { env })).toMatchObject({ code: 0 });
  });

  test("whose disk folds case, no workspace is put over another", async () => {
    const made = atlasPlace();
    const mac = { NODE_OPTIONS: `--import ${DARWIN}`, DARWIN_FOLDS: made.home };
    const at = { ...made, env: { ...made.env, ...mac } };
    for (const workspace of ["Login", "login"]) {
      const args = [
        "start",
        `look at ${workspace}`,
        "--template",
        "look",
        "--workspace",
        workspace,
      ];
      const done = await atlas(at, [...args, ...scripted(at)]);
      expect(done.code, done.stderr).toBe(9);
    }
    const workspaces = listTasks(made.home).map(({ dir }) => dir.split("/").at(-3) ?? "");
    expect(workspaces.toSorted()).toEqual(["Login", "login-2"]);
  });
});
