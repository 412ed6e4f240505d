import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents/turns";
import { type Checkpoint, createCheckpoint, encodeCheckpoint } from "@quasar/checkpoint";
import { expect, onTestFinished, test } from "vitest";
import { doctor, git, killAll, lastRecord, type Place, place, quasar, start } from "./harness.ts";
import { agents, LONG, neverContent, oneCycle } from "./scripts.ts";

const runsOf = (at: Place): string => join(at.repo, ".git/quasar/runs");

/** A run that was stopped, not approved. */
async function stopped(at: Place): Promise<string> {
  const args = ["run", "Write", "--json", "--max-cycles", "1", ...agents(at, neverContent())];
  const run = await quasar(at, args);
  expect(run.code, run.stderr).toBe(3);
  return String(lastRecord(run)["runId"]);
}

/** A process that carries a run's id, in a folder. */
function carrier(at: Place, cwd: string, runId: string): number {
  const child = spawn("sleep", ["60"], {
    cwd,
    env: { ...at.env, QUASAR_RUN_ID: runId },
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}

/** Makes what was written so far another machine's. */
function forgetKey(at: Place): void {
  rmSync(join(at.outside, "home/.local/state/quasar"), { recursive: true });
}

const UNKNOWN = "20200101-000000-abcdef";

test("the doctor leaves agents alone that work for a tree inside this one", async () => {
  const at = place();
  const inner = join(at.repo, "inner");
  git(at, "worktree", "add", "-q", "-b", "inner", inner);
  writeFileSync(join(at.repo, ".git/info/exclude"), "inner\n");
  const running = start(at, ["run", "Write", ...agents(at, oneCycle(LONG))], { cwd: inner });
  expect(await running.sees("coder    works")).toBe(true);
  const [runId = ""] = /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(running.stdout()) ?? [];
  // The supervisor and its agent.
  while (findRunProcesses(runId)?.length !== 2) await sleep(20);
  const done = await doctor(at, ["--fix"]);
  expect(done, done.stdout).toMatchObject({ code: 0 });
  expect(findRunProcesses(runId)).toHaveLength(2);
  await killAll(running);
});

test("the doctor ends no process of an unknown run that is at work in another repository", async () => {
  const [at, other] = [place(), place()];
  const pids = [carrier(at, at.repo, UNKNOWN), carrier(other, other.repo, UNKNOWN)];
  const done = await doctor(at, ["--fix"]);
  expect(done, done.stdout).toMatchObject({ code: 1, stdout: expect.stringContaining(UNKNOWN) });
  expect(findRunProcesses(UNKNOWN)).toEqual(pids);
});

test("the doctor passes over what only looks like a run's id", async () => {
  const at = place();
  carrier(at, at.repo, "not a run id");
  expect(await doctor(at, ["--fix"])).toMatchObject({ code: 0 });
});

test.for([
  ["a file", (path: string) => writeFileSync(path, "x")],
  ["a link", (path: string) => symlinkSync("/", path)],
  [
    "a folder with a link for an archive",
    (path: string) => {
      mkdirSync(path);
      symlinkSync("/", join(path, "archive"));
    },
  ],
] as const)("the doctor tells of %s in the place of a run, and continues", async ([, make]) => {
  const at = place();
  const runId = await stopped(at);
  make(join(runsOf(at), UNKNOWN));
  writeFileSync(join(runsOf(at), runId, ".checkpoint.toml.0123456789abcdef.tmp"), "half");
  const done = await doctor(at, ["--fix", "--json"]);
  const problems = lastRecord(done)["problems"] as { check: string; fixed: boolean }[];
  expect(problems, done.stderr).toEqual([
    expect.objectContaining({ check: "runs", message: expect.stringContaining(UNKNOWN) }),
    expect.objectContaining({ check: "left over", fixed: true }),
  ]);
});

test("two hundred unfinished runs need no more open files than a few", async () => {
  const at = place();
  const runId = await stopped(at);
  for (let n = 0; n < 199; n += 1) {
    const id = `20200101-000000-${n.toString(16).padStart(6, "0")}`;
    cpSync(join(runsOf(at), runId), join(runsOf(at), id), { recursive: true });
  }
  const list = await quasar(at, ["ls", "--all"], { openFiles: 64 });
  expect(list.stdout.split("\n"), `a head and all: ${list.stderr}`).toHaveLength(202);
  const another = ["run", "Another", "--new", ...agents(at, oneCycle())];
  const again = await quasar(at, another, { openFiles: 64 });
  expect(again, again.stderr).toMatchObject({ code: 0 });
});

test("a lock that is moved aside is no branch afterwards, and nothing behind a link is touched", async () => {
  const at = place();
  await stopped(at);
  const heads = join(at.repo, ".git/refs/heads");
  const theirs = join(at.outside, "theirs");
  mkdirSync(theirs);
  writeFileSync(join(theirs, "Cargo.lock"), "theirs");
  symlinkSync(theirs, join(heads, "x"));
  writeFileSync(join(heads, "main.lock"), `${git(at, "rev-parse", "HEAD")}\n`);
  const done = await quasar(at, ["resume", "--max-cycles", "2", ...agents(at, oneCycle())]);
  expect(done, done.stderr).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("main.lock"),
  });
  expect(readdirSync(theirs)).toEqual(["Cargo.lock"]);
  expect(readdirSync(heads).toSorted()).toEqual(["main", "x"]);
  expect(readdirSync(join(at.repo, ".git")).join()).toContain("refs-heads-main.lock.left-");
});

test.for([
  ["its folder", (at: Place) => ({ cwd: at.repo })],
  ["a flag", (at: Place) => ({ cwd: at.outside, args: [`--git-dir=${join(at.repo, ".git")}`] })],
  ["-C", (at: Place) => ({ cwd: "/", args: ["-C", at.repo] })],
  ["a variable", (at: Place) => ({ cwd: "/", env: { GIT_DIR: join(at.repo, ".git") } })],
] as readonly [string, (at: Place) => { cwd: string; args?: string[]; env?: object }][])(
  "the lock of a git that works here by %s is left alone",
  async ([, make]) => {
    const at = place();
    const { cwd, args = [], env } = make(at);
    const child = spawn("git", [...args, "cat-file", "--batch"], {
      cwd,
      env: { ...at.env, ...env },
      stdio: ["pipe", "ignore", "ignore"],
    });
    onTestFinished(() => void child.kill());
    const lock = join(at.repo, ".git/index.lock");
    writeFileSync(lock, "");
    expect(await doctor(at, ["--fix"])).toMatchObject({ code: 1 });
    expect(existsSync(lock)).toBe(true);
    child.kill();
    await new Promise((resolve) => child.once("exit", resolve));
    expect(await doctor(at, ["--fix"])).toMatchObject({ code: 0 });
    expect(existsSync(lock)).toBe(false);
  },
);

test("a checkpoint of another machine's stays that when its run is given up", async () => {
  const at = place();
  const runId = await stopped(at);
  forgetKey(at);
  expect(await quasar(at, ["abandon", runId])).toMatchObject({ code: 0 });
  const fork = await quasar(at, ["fork", runId, "--json"]);
  expect(fork.code).toBe(6);
  expect(lastRecord(fork)).toMatchObject({ code: "ERR_FOREIGN_CHECKPOINT" });
});

test("a fork of another machine's checkpoint has none of its settings, which name programs", async () => {
  const at = place();
  const runId = await stopped(at);
  forgetKey(at);
  const fork = await quasar(at, ["fork", runId, "--trust", "--json"]);
  expect(fork.code, fork.stderr).toBe(0);
  const { workTree, runId: forked } = lastRecord(fork);
  const path = join(at.repo, ".git/worktrees", `repo-${String(forked)}`);
  const text = readFileSync(join(path, `quasar/runs/${String(forked)}/checkpoint.toml`), "utf8");
  expect(text).toContain(String(forked));
  expect(text).not.toContain("scripted:");
  expect(existsSync(String(workTree))).toBe(true);
});

test("a run that was given up is not begun anew when it is pruned", async () => {
  const at = place();
  const runId = await stopped(at);
  expect(existsSync(join(at.repo, ".quasar/checkpoint.toml"))).toBe(true);
  await quasar(at, ["abandon", runId]);
  expect(await quasar(at, ["prune", runId])).toMatchObject({ code: 0 });
  expect(await quasar(at, ["resume"])).toMatchObject({ code: 8 });
});

test("a damaged save of a run that is given up is kept", async () => {
  const at = place();
  const runId = await stopped(at);
  const dir = join(runsOf(at), runId);
  rmSync(join(dir, "checkpoint.toml"));
  writeFileSync(join(dir, "checkpoint.toml"), "damaged");
  expect(await quasar(at, ["abandon", runId])).toMatchObject({ code: 0 });
  const aside = readdirSync(dir).filter((name) => name.includes(".damaged-"));
  expect(aside.map((name) => readFileSync(join(dir, name), "utf8"))).toEqual(["damaged"]);
});

/** A journal whose chain holds, whatever its records are. */
function forgeJournal(path: string, facts: readonly unknown[]): void {
  let prev = "0".repeat(64);
  const lines = facts.map((data, at) => {
    const line = JSON.stringify({ seq: at + 1, prev, data });
    prev = createHash("sha256").update(line).digest("hex");
    return `${line}\n`;
  });
  writeFileSync(path, lines.join(""));
}

test("nothing in a journal acts on the terminal, nor keeps the log from being shown", async () => {
  const at = place();
  const runId = await stopped(at);
  const evil = "\u001b[2J\u009b2J\u0007\u202e";
  const every = { role: evil, turnId: evil, sha: evil, n: [evil], check: evil, cycle: [[evil]] };
  const told =
    "cycle_start agent_start turn_recovered committed snapshot check_done waiting result";
  const facts = told.split(" ").map((type) => ({ type, ...every, until: evil, outcome: evil }));
  let deep: unknown = "x";
  for (let n = 0; n < 2000; n += 1) deep = [deep];
  const odd = [null, 5, "text", [1], { type: 5 }, {}];
  forgeJournal(join(runsOf(at), runId, "events.jsonl"), [
    ...odd,
    ...facts,
    { type: "notice", message: "the last", time: evil, more: deep },
  ]);
  const log = await quasar(at, ["log"]);
  expect(log, log.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("the last") });
  // oxlint-disable-next-line no-control-regex
  expect(log.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
  const json = await quasar(at, ["log", "--json"], { isForged: true });
  const lines = json.stdout.trimEnd().split("\n");
  expect(lines.map((line) => typeof (JSON.parse(line) as { type: string }).type)).toEqual(
    lines.map(() => "string"),
  );
});

test("log -f ends when nobody reads it any more", async () => {
  const at = place();
  const running = start(at, ["run", "Write", ...agents(at, oneCycle(LONG))]);
  expect(await running.sees("coder    works")).toBe(true);
  const [runId = ""] = /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(running.stdout()) ?? [];
  const log = start(at, ["log", "-f"]);
  expect(await log.sees("cycle 1")).toBe(true);
  log.child.stdout?.destroy();
  forgeJournal(join(runsOf(at), runId, "events.jsonl"), [{ type: "notice", message: "more" }]);
  await once(log.child, "exit");
  expect(log.child.exitCode).toBe(0);
  await killAll(running);
});

test("what the doctor suggests to type is harmless, whatever a thing is called", async () => {
  const at = place();
  const runId = await stopped(at);
  const evil = "$(touch${IFS}PWNED)";
  git(at, "update-ref", `refs/quasar/${UNKNOWN}/${evil}`, "HEAD");
  writeFileSync(join(at.repo, `.git/refs/heads/${evil}.lock`), "");
  writeFileSync(join(runsOf(at), runId, `x.damaged-${evil}`), "");
  const done = await doctor(at, ["--json"]);
  const { problems } = lastRecord(done) as { problems: { next: string[] }[] };
  const steps = problems.flatMap(({ next }) => next).filter((step) => step.includes(evil));
  expect(steps).toHaveLength(4);
  for (const step of steps) expect(step).toMatch(/'[^']*\$\(touch\$\{IFS\}PWNED\)[^']*'/u);
});

test("the doctor removes what any save in a run's folder has left", async () => {
  const at = place();
  const runId = await stopped(at);
  writeFileSync(join(runsOf(at), runId, ".events.jsonl.0123456789abcdef.tmp"), "half");
  expect(await doctor(at, ["--fix"])).toMatchObject({ code: 0 });
  expect(await doctor(at)).toMatchObject({ code: 0 });
});

test("no text of a checkpoint acts on the terminal, whichever command shows it", async () => {
  const at = place();
  const runId = await stopped(at);
  const evil = "\u001b[2J\u009b\u0007\u202e";
  const turn = {
    id: evil,
    role: "coder",
    attempt: 1,
    status: "started",
    unmetered: false,
    allowanceUsd: 0.5,
    retries: 0,
    kills: 0,
    retryAt: "",
    reservedUsd: 0.5,
    startedAt: "2026-01-01T00:00:00Z",
    sessionId: evil,
    resumed: false,
    treeMark: evil,
    pid: 1,
    processStart: 1,
    bootId: evil,
    host: evil,
  } as const;
  const finding = {
    id: evil,
    severity: evil,
    description: evil,
    cycle: 1,
    status: "found",
  } as const;
  const entry = {
    turnId: evil,
    role: "coder",
    cycle: 1,
    attempt: 1,
    status: "settled",
    source: "reported",
    reservedUsd: 1,
    costUsd: 1,
    unknownUsd: 0,
    startedAt: "2026-01-01T00:00:00Z",
    endedAt: "2026-01-01T00:00:00Z",
    sessionId: evil,
  } as const;
  const forged = createCheckpoint({
    runId,
    gitSha: evil,
    baseCommitSha: evil,
    taskTitle: evil,
    taskBeadId: evil,
    nebulaName: evil,
    failure: evil,
    retryAt: evil,
    cycle: 2,
    phase: "coding",
    cycleCommits: [evil, `x${evil}`],
    filterCheckName: evil,
    untouchablePaths: [evil],
    findings: [finding],
    allFindings: [finding],
    turn,
    ledger: [entry],
    branch: evil,
    outcome: { outcome: evil, message: evil, allow: [evil], requests: 3 },
    settings: { coder: evil, lint: evil },
  } as unknown as Partial<Checkpoint>);
  const dir = join(runsOf(at), runId);
  for (const place of ["", "archive"]) {
    for (const name of readdirSync(dir).filter((each) => each.startsWith("checkpoint."))) {
      rmSync(join(dir, name));
    }
    mkdirSync(join(dir, place), { recursive: true });
    writeFileSync(join(dir, place, "checkpoint.toml"), encodeCheckpoint(forged));
    const looks = "ls|status|show|cost|log|snapshots|resume --plan|resume|fork ID|doctor|prune ID";
    for (const look of `${looks}|resume --plan --force|restore 1`.split("|")) {
      const done = await quasar(at, look.replace("ID", runId).split(" "));
      const said = done.stdout + done.stderr;
      // oxlint-disable-next-line no-control-regex
      expect(said, look).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
      expect(said, look).not.toContain("QUASAR_DEBUG");
    }
  }
});

test("what is given up counts from then on, not from its last save", async () => {
  const at = place();
  const runId = await stopped(at);
  await sleep(2500);
  expect(await quasar(at, ["abandon", runId])).toMatchObject({ code: 0 });
  const pruned = await quasar(at, ["prune", "--older-than", "2s", "--json"]);
  expect(lastRecord(pruned)).toMatchObject({ runIds: [] });
});

test("a link in the place of .quasar/.gitignore, which git does not follow, is replaced", async () => {
  const at = place();
  mkdirSync(join(at.repo, ".quasar"));
  symlinkSync(join(at.outside, "theirs"), join(at.repo, ".quasar/.gitignore"));
  expect(lastRecord(await doctor(at, ["--fix", "--json"]))["problems"]).toMatchObject([
    { check: "ignored", fixed: true },
  ]);
  expect(git(at, "status", "--porcelain")).toBe("");
  expect(existsSync(join(at.outside, "theirs"))).toBe(false);
});

test("prune removes nothing where it cannot remove all", async () => {
  const at = place();
  const ids: string[] = [];
  for (const task of ["One", "Two"]) {
    const run = await quasar(at, ["run", task, "--json", ...agents(at, oneCycle())]);
    ids.push(String(lastRecord(run)["runId"]));
  }
  carrier(at, at.outside, ids[0] ?? "");
  const refused = await quasar(at, ["prune", "--older-than", "0s", "--json"]);
  expect(lastRecord(refused)).toMatchObject({ code: "ERR_AGENT_ALIVE" });
  expect(readdirSync(runsOf(at)).toSorted()).toEqual(ids.toSorted());
});
