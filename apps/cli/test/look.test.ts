import { execFileSync } from "node:child_process";
import {
  appendFileSync,
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
import { stripVTControlCharacters } from "node:util";
import { PRICES_AS_OF } from "@quasar/agents/prices";
import { createFileCheckpointStore } from "@quasar/checkpoint";
import { openJournal } from "@quasar/durable/journal";
import { takeSnapshot } from "@quasar/git/snapshots";
import { expect, test } from "vitest";
import { COMMANDS } from "../src/quasar/commands.ts";
import {
  ANY_AGENT,
  doctor,
  git,
  lastRecord,
  MAIN,
  type Place,
  place,
  quasar,
  records,
  start,
  write,
} from "./harness.ts";
import { agents, issue, LONG, neverContent, oneCycle, twoCycles } from "./scripts.ts";

async function done(at: Place): Promise<string> {
  const run = await quasar(at, [
    "run",
    "Write \u001b[31mwork.txt",
    "--json",
    ...agents(at, twoCycles()),
  ]);
  expect(run.code, run.stderr).toBe(0);
  return String(lastRecord(run)["runId"]);
}

async function killed(at: Place, delayMs = LONG): Promise<string> {
  const running = start(at, ["run", "Write work.txt", ...agents(at, oneCycle(delayMs))]);
  expect(await running.sees("coder    works")).toBe(true);
  const runId = /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(running.stdout())?.[0] ?? "";
  const out = join(at.repo, ".git/quasar/runs", runId, "turns/1.out");
  while (!existsSync(out)) await sleep(10);
  running.child.kill("SIGKILL");
  await running.finished;
  return runId;
}

test("cost lists each turn, and the entries add up to what counts", async () => {
  const at = place();
  const runId = await done(at);
  const bill = lastRecord(await quasar(at, ["cost", "--json"]));
  expect(bill).toMatchObject({ v: 1, type: "cost", runId, unknownUsd: 0, maxBudgetUsd: 5 });
  const turns = bill["turns"] as { turnId: string; spentUsd: number; status: string }[];
  expect(turns.map(({ turnId }) => turnId)).toEqual([1, 2, 3, 4].map((n) => `${runId}.${n}`));
  expect(turns.reduce((sum, { spentUsd }) => sum + spentUsd, 0)).toBeCloseTo(0.7);
  expect(bill["spentUsd"]).toBeCloseTo(0.7);
  const text = await quasar(at, ["cost", runId]);
  expect(text.stdout).toMatch(/\n +3 +coder +2 +done +\$0\.20 +a\n/u);
  expect(text.stdout).not.toContain("\u001b[31m");
});

test("cost names the turn whose end is not known, with what is reserved for it", async () => {
  const at = place();
  await killed(at);
  const bill = lastRecord(await quasar(at, ["cost", "--json"]));
  expect(bill).toMatchObject({ turns: [], openTurn: { role: "coder", attempt: 1 } });
  expect((await quasar(at, ["cost"])).stdout).toMatch(
    /\$0\.00 of \$5\.00, and up to \$\d\.\d\d for the turn whose end is not known\n[^]* coder +1 +open .* o\n[^]* o not finished yet\n/u,
  );
});

test("cost says of which date the price list is by which it counts", async () => {
  const at = place();
  const runId = await done(at);
  expect((await quasar(at, ["cost"])).stdout).not.toContain(PRICES_AS_OF);
  const dir = join(at.repo, ".git/quasar/runs", runId, "archive");
  const store = createFileCheckpointStore({ dir });
  const checkpoint = (await store.load())?.checkpoint;
  if (checkpoint === undefined) throw new Error("no checkpoint");
  const ledger = checkpoint.ledger.map((entry) => ({ ...entry, source: "computed" as const }));
  await store.save({ ...checkpoint, ledger });
  const { stdout } = await quasar(at, ["cost"]);
  expect(stdout).toMatch(/\n {2}prices +.* of \d{4}-\d\d-\d\d\n/u);
  expect(stdout).toContain(PRICES_AS_OF);
  expect(stdout).toMatch(/\n +1 +coder .* p\n/u);
  expect(lastRecord(await quasar(at, ["cost", "--json"]))).toMatchObject({
    pricesAsOf: PRICES_AS_OF,
  });
});

test("show lists the turn whose end is not known", async () => {
  const at = place();
  await killed(at);
  expect((await quasar(at, ["show"])).stdout).toMatch(/\n +1 +coder +1 +open +\d{4}-/u);
});

test("show says what of a run could not be read", async () => {
  const at = place();
  const runId = await killed(at);
  rmSync(join(at.repo, ".git/quasar/runs", runId, "checkpoint.toml"));
  writeFileSync(join(at.repo, ".git/quasar/runs", runId, "checkpoint.toml"), "?");
  const { stdout } = await quasar(at, ["show"]);
  expect(stdout).toMatch(/\n {2}damage +checkpoint\.toml: /u);
  expect(stdout).toMatch(/\n {2}next +quasar resume/u);
});

test("show and doctor tell of a supervisor that failed by itself, and of none that did not", async () => {
  const at = place();
  const runId = await killed(at);
  expect((await quasar(at, ["show"])).stdout).not.toContain("supervisor");
  const said = "2026-11-22T10:00:00.000Z RangeError: \u001b[31mno memory\n    at supervise\n";
  writeFileSync(join(at.repo, ".git/quasar/runs", runId, "turns", "1.err"), said);
  const { stdout } = await quasar(at, ["show"]);
  expect(stdout).toMatch(
    /\n {2}error +the supervisor of turn 1 failed:\n +2026-11-22T.*no memory\n/u,
  );
  expect(stdout).not.toContain("\u001b[31m");
  expect(lastRecord(await quasar(at, ["show", "--json"]))).toMatchObject({
    supervisorFailures: [{ turnId: `${runId}.1`, text: expect.stringContaining("no memory") }],
  });
  const found = await doctor(at);
  expect(found.code).toBe(1);
  expect(found.stdout).toContain(`the supervisor of turn ${runId}.1 failed: 2026-11-22T10:00`);
  expect(found.stdout).toContain(`quasar show ${runId}`);
});

/** Damages all that is kept of a run's state. */
function ruin(at: Place, runId: string): string {
  const dir = join(at.repo, ".git/quasar/runs", runId);
  for (const name of readdirSync(dir).filter((each) => each.startsWith("checkpoint.toml"))) {
    rmSync(join(dir, name));
    writeFileSync(join(dir, name), "?");
  }
  return dir;
}

test("a run that cannot be read is named, with what can be done, and its journal is shown", async () => {
  const at = place();
  const runId = await killed(at);
  ruin(at, runId);
  for (const name of ["show", "cost"]) {
    const refused = await quasar(at, [name, "--json"]);
    expect(refused.code).toBe(7);
    expect(lastRecord(refused)).toMatchObject({
      code: "ERR_CORRUPT",
      message: expect.stringContaining(runId),
      next: [expect.stringContaining(`quasar resume ${runId}`), expect.stringContaining("log")],
    });
  }
  expect((await quasar(at, ["ls"])).stdout).not.toContain("$0.00");
  expect((await quasar(at, ["snapshots"])).stdout).toContain(`run ${runId} has no snapshots`);
  expect((await quasar(at, ["log"])).stdout).toMatch(/cycle 1\n.*coder +works/u);
});

test("log gives each day once, and each fact its time to the second", async () => {
  const at = place();
  await done(at);
  const { stdout } = await quasar(at, ["log"]);
  expect(stdout).toMatch(/^\d{4}-\d\d-\d\d\n\d\d:\d\d:\d\d {2}/u);
  expect(stdout.match(/^\d{4}-/gmu)).toHaveLength(1);
  expect(stdout).toMatch(/\n\d\d:\d\d:\d\d {4}ended +approved\n$/u);
});

test("log shows what a journal holds that we have not written, and obeys none of it", async () => {
  const at = place();
  const runId = await done(at);
  const path = join(at.repo, ".git/quasar/runs", runId, "events.jsonl");
  const journal = openJournal(path);
  const hostile = "\u001b]0;x\u0007";
  for (const data of [
    null,
    7,
    "text",
    { type: hostile, time: hostile },
    { type: "agent_start", role: hostile, turnId: hostile, attempt: 1, time: hostile },
    { type: "turn_recovered", role: hostile, turnId: hostile, how: hostile },
    { type: "result", outcome: hostile, message: hostile },
    { type: "forked", from: hostile, cycle: hostile },
    { type: "cycle_start", cycle: hostile },
    { type: "review_complete", approved: false, findings: hostile },
  ]) {
    journal.append(data);
  }
  journal.close();
  const log = await quasar(at, ["log"]);
  expect(log, log.stderr).toMatchObject({ code: 0, stderr: "" });
  expect(log.stdout).toContain("\\u{1b}]0;x\\u{7}");
  // oxlint-disable-next-line no-control-regex
  expect(log.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/u);
});

test("ls lists the runs, newest first", async () => {
  const at = place();
  expect((await quasar(at, ["ls"])).stdout).toContain("no runs in this work tree yet");
  const older = await done(at);
  const newer = await killed(at);
  const { runs } = lastRecord(await quasar(at, ["ls", "--json"])) as {
    runs: { runId: string; status: string }[];
  };
  expect(runs.map(({ runId: id, status }) => [id, status])).toEqual([
    [newer, "interrupted"],
    [older, "approved"],
  ]);
  expect((await quasar(at, ["ls"])).stdout.split("\n"), "a head and two runs").toHaveLength(4);
});

test("status, log and the run list the worst of many findings, and show lists all", async () => {
  const at = place();
  const text = Array.from({ length: 30 }, (_, n) => issue(`flaw number ${n} of the file`)).join(
    "\n",
  );
  const turns = [
    { role: "coder", text: "Written.", files: { "work.txt": "1\n" } },
    { role: "reviewer", text },
  ] as const;
  const ran = await quasar(at, ["run", "Write", "--max-cycles", "1", ...agents(at, turns)]);
  expect(ran.code, ran.stderr).toBe(3);
  const [runId = ""] = readdirSync(join(at.repo, ".git/quasar/runs"));
  const told = (stdout: string): number => stdout.match(/flaw number/gu)?.length ?? 0;
  for (const { stdout } of [ran, await quasar(at, ["status"]), await quasar(at, ["log"])]) {
    expect([told(stdout), stdout.includes(`and 10 more: quasar show ${runId}`)]).toEqual([
      20,
      true,
    ]);
  }
  expect(told((await quasar(at, ["show"])).stdout)).toBe(30);
});

test("status --all shows the newest in full, each other in a line, and how to continue with an unfinished one", async () => {
  const at = place();
  const open = await killed(at);
  await quasar(at, ["abandon", open, "--yes"]);
  const stopped = await quasar(at, [
    "run",
    "Stop",
    "--max-cycles",
    "1",
    ...agents(at, neverContent()),
  ]);
  expect(stopped.code, stopped.stderr).toBe(3);
  const newest = await done(at);
  const [oldest, second] = readdirSync(join(at.repo, ".git/quasar/runs")).toSorted();
  const { stdout } = await quasar(at, ["status", "--all"]);
  const lines = stdout.split("\n");
  expect(lines[0]).toBe(`run ${newest} approved`);
  const list = lines.slice(lines.indexOf("older runs") + 1);
  expect(list.slice(0, 2)).toEqual([
    expect.stringMatching(`^  ${second}  \\S+ \\S+  stopped .* Stop$`),
    expect.stringMatching(`^  ${oldest}  \\S+ \\S+  abandoned .* Write work.txt$`),
  ]);
  expect(list[2]).toBe(`  next     quasar resume ${second} --max-cycles 3`);
  const { runs } = lastRecord(await quasar(at, ["status", "--all", "--json"]));
  expect(runs).toMatchObject([
    { runId: newest },
    { runId: second, task: "Stop" },
    { runId: oldest },
  ]);
});

test("show has the reviewer's report", async () => {
  const at = place();
  const report =
    "REPORT:\nSATISFACTION: high\nRISK: low\nSUMMARY: the file is right\n\nAPPROVED: yes";
  const turns = [
    { role: "coder", text: "Done.", files: { "work.txt": "right\n" } },
    { role: "reviewer", text: report },
  ] as const;
  const run = await quasar(at, ["run", "Write", ...agents(at, turns)]);
  expect(run.code, run.stderr).toBe(0);
  const { stdout } = await quasar(at, ["show"]);
  expect(stdout).toMatch(/\n {2}report +satisfaction high, risk low\n +the file is right\n/u);
  expect(lastRecord(await quasar(at, ["show", "--json"]))).toMatchObject({
    report: { satisfaction: "high", risk: "low", summary: "the file is right" },
  });
});

test("a run that was killed in a work tree of its own is named where it was started, with the command that resumes it", async () => {
  const at = place();
  const args = ["run", "Write", "--worktree", "--leash", ...agents(at, oneCycle(LONG))];
  const running = start(at, args);
  expect(await running.sees("works")).toBe(true);
  running.child.kill("SIGKILL");
  await running.finished;
  const [runId = ""] = /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(running.stdout()) ?? [];
  const command = `cd ${at.repo}-${runId} && quasar resume ${runId}`;
  const status = await quasar(at, ["status"]);
  expect(status.stdout).toContain(`unfinished, in a work tree of its own: run ${runId}`);
  expect(status.stdout).toContain(command);
  for (const named of [[], [runId]]) {
    const resume = await quasar(at, ["resume", ...named]);
    expect(resume.code).toBe(8);
    expect(resume.stderr).toContain(command);
  }
});

test("the help of resume shows no default that a run to be resumed does not have", async () => {
  const run = (await quasar(place(), ["run", "--help"])).stdout;
  expect(run).toContain("(default: 3)");
  const resume = (await quasar(place(), ["resume", "--help"])).stdout;
  expect(resume).toContain("--max-cycles");
  expect(resume).not.toContain("(default:");
});

test("show tells all of a run and where its files are", async () => {
  const at = place();
  const runId = await done(at);
  const { stdout } = await quasar(at, ["show", runId]);
  for (const part of ["approved", "snapshot none", `runs/${runId}`]) {
    expect(stdout).toContain(part);
  }
  expect(stdout).toMatch(/\n +3 +coder +2 +done +\d\.\d s +\$0\.20 +\d{4}-\d\d-\d\d \d\d:\d\d\n/u);
  expect(stdout).toMatch(/\n +1 +found +major +flaw of the first\n/u);
  expect(stdout).toMatch(/\n {2}next +git log --patch [0-9a-f]{10}\.\.\n$/u);
  expect(lastRecord(await quasar(at, ["show", "--json"]))).toMatchObject({
    type: "show",
    run: { runId },
    turns: Array.from({ length: 4 }, () => ({ durationMs: expect.any(Number) })),
    allFindings: [{ description: "flaw of the first" }],
  });
});

test.for(["cost", "show", "log", "snapshots"])(
  "%s says when there is no such run",
  async (name) => {
    const at = place();
    expect(await quasar(at, [name])).toMatchObject({
      code: 8,
      stderr: expect.stringContaining("no runs in this work tree yet"),
    });
    expect(await quasar(at, [name, "20261121-101500-7f3a9c"])).toMatchObject({ code: 2 });
    expect(await quasar(at, [name, "../../etc"])).toMatchObject({ code: 2 });
  },
);

test("log shows the events of a run, over a crash", async () => {
  const at = place();
  const runId = await killed(at, 3000);
  expect(await quasar(at, ["resume"])).toMatchObject({ code: 0 });
  const { stdout } = await quasar(at, ["log", runId]);
  expect(stdout).toMatch(
    /cycle 1\n[^]*coder +works[^]*resumed from checkpoint[^]*ended +approved/u,
  );
  const facts = records((await quasar(at, ["log", "--json"])).stdout);
  expect(facts.filter(({ type }) => type === "committed")).toHaveLength(1);
  expect(facts.every(({ v, time }) => v === 1 && typeof time === "string")).toBe(true);
});

test("log follows a run until it has ended", async () => {
  const at = place();
  const running = start(at, ["run", "Write work.txt", ...agents(at, oneCycle(1000))]);
  expect(await running.sees("coder    works")).toBe(true);
  const followed = await quasar(at, ["log", "--follow"]);
  expect(followed.stdout).toMatch(/ended +approved/u);
  await running.finished;
});

test("log says when the journal was changed, and shows what comes before", async () => {
  const at = place();
  const runId = await done(at);
  const journal = join(at.repo, ".git/quasar/runs", runId, "events.jsonl");
  writeFileSync(journal, readFileSync(journal, "utf8").replace('"cycle":2', '"cycle":3'));
  const log = await quasar(at, ["log"]);
  expect(log).toMatchObject({ code: 7, stderr: expect.stringContaining("is damaged") });
  expect(log.stdout).toContain("cycle 1\n");
  expect(log.stdout).not.toContain("approved");
});

test("a snapshot is listed, brought back, and what it replaced is a snapshot too", async () => {
  const at = place();
  const runId = await done(at);
  write(at.repo, { "work.txt": "half done\n", "new.txt": "new\n" });
  await takeSnapshot(at.repo, { prefix: `refs/quasar/${runId}/`, message: "before a test" });
  const { snapshots } = lastRecord(await quasar(at, ["snapshots", "--json"])) as {
    snapshots: object[];
  };
  expect(snapshots).toMatchObject([{ n: 1, message: "before a test", paths: { length: 2 } }]);
  expect((await quasar(at, ["snapshots"])).stdout).toMatch(/1 .* 2 files +before a test/u);

  git(at, "checkout", "--", "work.txt");
  write(at.repo, { "new.txt": "something else\n" });
  const restored = await quasar(at, ["restore", "1"]);
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
  expect(readFileSync(join(at.repo, "work.txt"), "utf8")).toBe("half done\n");
  expect(readFileSync(join(at.repo, "new.txt"), "utf8")).toBe("new\n");
  expect(restored.stdout).toContain("quasar restore 2");
  expect(await quasar(at, ["restore", "2"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(at.repo, "new.txt"), "utf8")).toBe("something else\n");
  const again = await quasar(at, ["restore", "2"]);
  expect(again.stdout).toContain("nothing: the files were like that");
  expect(again.stdout, "nothing is left to undo").not.toContain("next");
  expect(await quasar(at, ["restore", "9"])).toMatchObject({ code: 2 });
  expect(await quasar(at, ["restore", "-1"])).toMatchObject({ code: 2 });
});

test("a snapshot of an ended run is no ref, and says so where its pack is damaged", async () => {
  const at = place();
  const runId = await done(at);
  write(at.repo, { "work.txt": "half done\n", "new.txt": "new\n" });
  await takeSnapshot(at.repo, { prefix: `refs/quasar/${runId}/`, message: "before a test" });
  expect(await doctor(at, ["--fix"])).toMatchObject({ code: 0 });
  expect(git(at, "for-each-ref", "refs/quasar")).toBe("");
  const listed = lastRecord(await quasar(at, ["snapshots", "--json"]));
  const pack = join(at.repo, ".git/quasar/runs", runId, "snapshots/1.pack");
  expect(listed).toMatchObject({ snapshots: [{ n: 1, pack, paths: ["new.txt", "work.txt"] }] });
  expect(lastRecord(await quasar(at, ["show", "--json"]))).toMatchObject({
    snapshots: [{ n: 1, pack }],
  });
  git(at, "checkout", "--", "work.txt");
  const whole = readFileSync(pack);
  writeFileSync(pack, whole.subarray(0, 30));
  const refused = await quasar(at, ["restore", "1"]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("is damaged") });
  writeFileSync(pack, whole);
  expect(await quasar(at, ["restore", "1"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(at.repo, "work.txt"), "utf8")).toBe("half done\n");
});

test("nothing is restored while an agent works in the tree", async () => {
  const at = place();
  const runId = await killed(at);
  write(at.repo, { "new.txt": "mine\n" });
  await takeSnapshot(at.repo, { prefix: `refs/quasar/${runId}/`, message: "mine" });
  appendFileSync(join(at.repo, "new.txt"), "more\n");
  const refused = await quasar(at, ["restore", "1", "--json"]);
  expect(refused.code).toBe(6);
  expect(lastRecord(refused)).toMatchObject({ code: "ERR_AGENT_ALIVE" });
  expect(existsSync(join(at.repo, "new.txt"))).toBe(true);
  expect(readFileSync(join(at.repo, "new.txt"), "utf8")).toBe("mine\nmore\n");
});

test("log says which run a fork comes from", async () => {
  const at = place();
  const runId = await killed(at);
  const fork = lastRecord(await quasar(at, ["fork", runId, "--json"]));
  const cwd = String(fork["workTree"]);
  const { stdout } = await quasar(at, ["log"], { cwd });
  expect(stdout).toMatch(new RegExp(` begun +forked from ${runId}, in cycle 1\n$`, "u"));
});

test("the help fits a terminal of 80 columns, and each command has examples in its own", async () => {
  const at = place();
  const overview = (await quasar(at, ["--help"])).stdout;
  const shown = [...overview.matchAll(/^ {2}([a-z]+)(?: \[options\]| {2,}\w)/gmu)].map(
    ([, name]) => name,
  );
  const names = COMMANDS.filter(({ isUnlisted }) => isUnlisted !== true).map(({ name }) => name);
  expect(new Set(shown)).toEqual(new Set(names.map((name) => name.split(" ")[0])));
  for (const args of [[], ...names.map((name) => name.split(" "))]) {
    const help = await quasar(at, [...args, "--help"]);
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(new RegExp(`Examples:\n[^]* {2}quasar ${args.join(" ")}`, "u"));
    for (const line of help.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  }
});

test("--json prints one object, of the command's type", async () => {
  const at = place();
  await done(at);
  for (const name of ["status", "list", "show", "cost", "snapshots", "prune", "doctor"]) {
    const told = records((await quasar(at, [name, "--json"])).stdout);
    expect(told, name).toMatchObject([{ v: 1, type: name }]);
  }
});

/** What a command prints on a terminal of so many columns. */
function onTerminal(at: Place, args: readonly string[], columns: number, env = {}): string {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  const words = ["-qec", `stty cols ${columns}; ${command}`, "/dev/null"];
  const options = { cwd: at.repo, env: { ...at.env, TERM: "xterm", ...env } };
  return execFileSync("script", words, { ...options, encoding: "utf8", input: "" });
}

test("on a terminal no line is longer than that is wide, and NO_COLOR is heeded", async () => {
  const at = place();
  const long =
    "the session token is compared with ==, which leaks its length and its prefix by time";
  const turns = neverContent().map((turn) =>
    turn.role === "reviewer" ? { ...turn, text: issue(`${long}, \u001b[31m and ${long}`) } : turn,
  );
  const run = await quasar(at, ["run", long, "--max-cycles", "1", "--json", ...agents(at, turns)]);
  const runId = String(lastRecord(run)["runId"]);
  write(at.repo, { "new.txt": "new\n" });
  await takeSnapshot(at.repo, { prefix: `refs/quasar/${runId}/`, message: long });
  // A command to type next is never broken: that with this program's path is not told where its name starts it.
  const bin = join(at.outside, "bin");
  mkdirSync(bin);
  symlinkSync(MAIN, join(bin, "quasar"));
  const env = { ...ANY_AGENT, PATH: `${bin}:${at.env["PATH"]}` };
  for (const name of ["status", "ls", "show", "log", "cost", "snapshots", "doctor", "prune"]) {
    const shown = onTerminal(at, [name], 80, env);
    expect(shown, name).toContain("\u001b[");
    for (const line of stripVTControlCharacters(shown).split("\r\n")) {
      expect(line.length, `${name}: ${line}`).toBeLessThanOrEqual(80);
    }
  }
  expect(onTerminal(at, ["show"], 120)).toContain(" and the session token");
  expect(onTerminal(at, ["show"], 80, { NO_COLOR: "1" })).not.toContain("\u001b");
});
