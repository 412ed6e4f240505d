import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, lastRecord, type Place, place, quasar, start } from "./harness.ts";
import { agents, LONG, neverContent, type Turn, twoCycles } from "./scripts.ts";

interface Fork {
  readonly runId: string;
  readonly workTree: string;
  readonly branch: string;
  readonly baseSha: string;
  readonly next: readonly string[];
}

/** A run of two cycles that its reviewer never approved. */
async function stopped(at: Place): Promise<string> {
  const args = ["run", "Write work.txt", "--json", "--max-cycles", "2"];
  const done = await quasar(at, [...args, ...agents(at, steps())]);
  expect(done.code, done.stderr).toBe(3);
  return String(lastRecord(done)["runId"]);
}

/** Each cycle writes its own content, and finds its own flaw. */
function steps(): readonly Turn[] {
  const coder = (n: number, match?: string): Turn => ({
    role: "coder",
    text: `Step ${n}.`,
    files: { "work.txt": `step ${n}\n` },
    costUsd: 0.3,
    match,
  });
  return [
    coder(3, "flaw after step 2"),
    coder(2, "flaw after step 1"),
    coder(1),
    {
      role: "reviewer",
      match: "Step 2",
      text: "ISSUE:\nSEVERITY: major\nDESCRIPTION: flaw after step 2\n",
      costUsd: 0.1,
    },
    {
      role: "reviewer",
      match: "Step 1",
      text: "ISSUE:\nSEVERITY: major\nDESCRIPTION: flaw after step 1\n",
      costUsd: 0.1,
    },
    { role: "reviewer", text: "APPROVED: yes", costUsd: 0.1 },
  ];
}

async function forked(at: Place, ...args: string[]): Promise<Fork> {
  const done = await quasar(at, ["fork", ...args, "--json"]);
  expect(done.code, done.stderr).toBe(0);
  return lastRecord(done) as unknown as Fork;
}

/** Runs what a fork says is next. */
async function resumeFork(at: Place, { next, workTree }: Fork): Promise<Record<string, unknown>> {
  const [, args = ""] = /^cd \S+ && quasar (.*)$/u.exec(next[0] ?? "") ?? [];
  const done = await quasar(at, [...args.split(" "), "--json"], { cwd: workTree });
  expect(done.code, done.stderr + done.stdout).toBe(0);
  return lastRecord(done);
}

test("a fork continues from where a run stands, beside it, and with a budget of its own", async () => {
  const at = place();
  const runId = await stopped(at);
  const fork = await forked(at, runId);
  expect(fork).toMatchObject({ fromRunId: runId, cycle: 2, phase: "resolving_issues" });
  expect(fork.baseSha).toBe(git(at, "rev-parse", "HEAD"));
  const result = await resumeFork(at, fork);
  expect(result).toMatchObject({ outcome: "approved", cycle: 3, runId: fork.runId });
  expect(result["spentUsd"]).toBeCloseTo(0.4);
  expect(git(at, "show", `${fork.branch}:work.txt`)).toBe("step 3");
  expect(git(at, "show", "main:work.txt")).toBe("step 2");
  const status = await quasar(at, ["status", runId, "--json"]);
  expect(lastRecord(status)).toMatchObject({ runs: [{ status: "stopped", cycle: 2 }] });
});

test("a fork at a cycle has that cycle's commit and findings, and none of a later one", async () => {
  const at = place();
  const runId = await stopped(at);
  const fork = await forked(at, runId, "--at", "1");
  expect(fork).toMatchObject({ cycle: 1, baseSha: git(at, "rev-parse", "HEAD~1") });
  // The coder is told of the first flaw, so it takes the second step again.
  const args = ["resume", "--json", "--max-cycles", "2"];
  const done = await quasar(at, args, { cwd: fork.workTree });
  const { findings, cycle } = lastRecord(done) as { findings: unknown[]; cycle: number };
  expect(cycle).toBe(2);
  expect(findings).toMatchObject([
    { cycle: 1, description: "flaw after step 1" },
    { cycle: 2, description: "flaw after step 2" },
  ]);
  expect(
    git(at, "log", "--format=%(trailers:key=Quasar-Task,valueonly,separator=)", "-1", fork.branch),
  ).toBe(`task-${fork.runId}`);
});

test("a fork of a run in the middle of a turn leaves behind what was not committed", async () => {
  const at = place();
  const running = start(at, ["run", "Write work.txt", ...agents(at, twoCycles(LONG)), "--leash"]);
  expect(await running.sees("works")).toBe(true);
  running.child.kill("SIGKILL");
  await running.finished;
  const [runId = ""] = /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(running.stdout()) ?? [];
  const fork = await forked(at, runId);
  expect(fork).toMatchObject({ cycle: 1, phase: "bead_created" });
  expect(existsSync(join(fork.workTree, "work.txt"))).toBe(false);
  agents(at, twoCycles());
  expect(await resumeFork(at, fork)).toMatchObject({ outcome: "approved", cycle: 2 });
});

test.for([
  [["--at", "3"], 2, "ERR_USAGE", "--at 2"],
  [["--at", "0"], 2, "ERR_USAGE", ""],
  [["--at", "1e3"], 2, "ERR_USAGE", ""],
] as const)("a fork with %j is refused with %d", async ([args, exit, code, next]) => {
  const at = place();
  const runId = await stopped(at);
  const refused = await quasar(at, ["fork", runId, ...args, "--json"]);
  expect(refused.code).toBe(exit);
  expect(lastRecord(refused)).toMatchObject({ code });
  expect(refused.stderr).toContain(next);
  expect(git(at, "branch", "--format=%(refname:short)")).toBe("main");
});

test("an approved run is forked at an earlier cycle only", async () => {
  const at = place();
  const done = await quasar(at, ["run", "Write", "--json", ...agents(at, twoCycles())]);
  const runId = String(lastRecord(done)["runId"]);
  const refused = await quasar(at, ["fork", runId]);
  expect(refused).toMatchObject({ code: 8, stderr: expect.stringContaining(`${runId} --at 1`) });
  const fork = await forked(at, runId, "--at", "1");
  expect(await resumeFork(at, fork)).toMatchObject({ outcome: "approved", cycle: 2 });
});

test("a fork says where it is, what it leaves behind and what to type", async () => {
  const at = place();
  await quasar(at, ["run", "Write", "--max-cycles", "1", ...agents(at, neverContent())]);
  const { runs } = lastRecord(await quasar(at, ["status", "--json"])) as {
    runs: { runId: string }[];
  };
  const done = await quasar(at, ["fork", runs[0]?.runId ?? ""]);
  const list = (await quasar(at, ["list"])).stdout;
  expect(list).toMatch(/^ {2}\d{8}-\d{6}-[0-9a-f]{6} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}stopped /mu);
  const [forked = ""] = /(?<=^run )\S+(?=,)/u.exec(done.stdout) ?? [];
  expect(list).toContain(`unfinished, in a work tree of its own: run ${forked}\n`);
  const text = done.stdout
    .replaceAll(at.outside, "<place>")
    .replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/gu, "<run>")
    .replaceAll(/\b[0-9a-f]{10}\b/gu, "<sha>");
  expect(text).toMatchInlineSnapshot(`
    "run <run>, forked from <run>
      task     Write
      in       <place>/repo-<run>, branch quasar/<run>
      stands   cycle 1 of 1, findings go back to the coder, at commit <sha>
      cost     $0.00 of $5.00: counted from zero, apart from the other run
      without  what the other run had not committed
      next     cd <place>/repo-<run> && quasar resume <run> --max-cycles 3
    "
  `);
});
