import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents/turns";
import { expect, test } from "vitest";
import {
  emptyPlace,
  git,
  killAll,
  lastRecord,
  MAIN,
  type Place,
  place,
  quasar,
  records,
  start,
  write,
} from "./harness.ts";
import { agents, dearTurns, LONG, neverContent, oneCycle, twoCycles } from "./scripts.ts";

/** What differs between two runs of the same test, by what it is. */
function steady(text: string, at: Place): string {
  return text
    .replaceAll(at.outside, "<place>")
    .replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/gu, "<run>")
    .replaceAll(/\b[0-9a-f]{10}\b/gu, "<sha>")
    .replaceAll(/\d+\.\d s/gu, "<time>")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/gu, "<moment>");
}

function runDirs(at: Place): readonly string[] {
  return readdirSync(join(at.repo, ".git", "quasar", "runs"));
}

test("run works until the reviewer approves, one commit a cycle, and says so in plain lines", async () => {
  const at = place();
  const done = await quasar(at, ["run", "Write work.txt", ...agents(at, twoCycles())]);
  expect(steady(done.stdout, at)).toMatchInlineSnapshot(`
    "quasar run <run>
      task     Write work.txt
      in       <place>/repo, branch main
      agents   coder scripted, reviewer scripted
      allowed  coder: whatever its program does (docs/trust.md)
      limits   3 cycles, $5.00; a coder's turn may spend up to $4.50
    cycle 1 of 3
      coder    works (<run>.1)
      coder    write: work.txt
      coder    done in <time>, $0.30
      commit   <sha>, 1 file, +1 -0
      reviewer works (<run>.2)
      reviewer done in <time>, $0.10
      finding  major: flaw of the first
      review   1 finding, back to the coder
    cycle 2 of 3
      coder    works (<run>.3)
      coder    write: work.txt
      coder    write: more.txt
      coder    done in <time>, $0.20
      commit   <sha>, 2 files, +2 -1
      reviewer works (<run>.4)
      reviewer done in <time>, $0.10
      review   approved
    approved after 2 cycles
    No check ran: only the reviewer saw the work. Add one: --check "<command>"
      cost     $0.70 of $5.00
      commits  <sha> <sha>
      changed  2 files, +2 -0
               more.txt  +1 -0
               work.txt  +1 -0
      report   satisfaction high, risk low
               Small and right.
      next     git log --patch <sha>..
    "
  `);
  const warning =
    "warning: Don't edit files here while this runs: your edits would be committed with the agent's.";
  expect(done).toMatchObject({ code: 0, stderr: `${warning}\n` });
  expect(git(at, "show", "HEAD:work.txt")).toBe("right");
  expect(git(at, "log", "--format=%s").split("\n")).toHaveLength(3);
  expect(git(at, "log", "-1", "--format=%(trailers:key=Quasar-Cycle,valueonly)")).toBe("2");
  expect(git(at, "status", "--porcelain")).toBe("");
});

test("an approved run is kept in the archive, and the seed's own file is gone", async () => {
  const at = place();
  await quasar(at, ["run", "Write work.txt", ...agents(at, oneCycle())]);
  const [id = ""] = runDirs(at);
  const dir = join(at.repo, ".git", "quasar", "runs", id);
  expect(existsSync(join(dir, "archive", "checkpoint.toml"))).toBe(true);
  expect(existsSync(join(dir, "checkpoint.toml"))).toBe(false);
  expect(statSync(join(dir, "archive", "checkpoint.toml")).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(at.repo, ".quasar"))).toEqual([".gitignore"]);
  const status = await quasar(at, ["status"]);
  expect(status.stdout).toContain(`run ${id} approved`);
  expect(await quasar(at, ["resume"])).toMatchObject({ code: 8 });
  expect(await quasar(at, ["resume", id])).toMatchObject({ code: 8 });
});

test.runIf(existsSync("/dev/full"))("a full disk under what is printed drops no work", () => {
  const at = place();
  const args = [process.execPath, MAIN, "run", "Write", ...agents(at, oneCycle())];
  const shell = ["-c", 'exec "$@" >/dev/full', "sh", ...args];
  const { status, stderr } = spawnSync("sh", shell, { cwd: at.repo, env: at.env });
  expect(status, String(stderr)).toBe(0);
  expect(git(at, "show", "HEAD:work.txt")).toBe("right");
});

test("--json prints versioned events and a result", async () => {
  const at = place();
  const done = await quasar(at, ["run", "Write work.txt", "--json", ...agents(at, twoCycles())]);
  const all = records(done.stdout);
  expect(all.every(({ v, time }) => v === 1 && typeof time === "string")).toBe(true);
  const types = all.map(({ type }) => type);
  expect([types[0], types.at(-1)]).toEqual(["run", "result"]);
  expect(types.filter((type) => type === "agent_start")).toHaveLength(4);
  expect(all.at(-1)).toMatchObject({ exit: 0, outcome: "approved", cycle: 2 });
  expect(Number(all.at(-1)?.["spentUsd"])).toBeCloseTo(0.7);
});

test("takes the task from a file and from standard input", async () => {
  const at = place();
  write(at.outside, { "task.md": "# From a file\r\n\r\nmore\n" });
  const args = agents(at, oneCycle());
  const file = await quasar(at, ["run", "-f", join(at.outside, "task.md"), ...args]);
  expect(file).toMatchObject({ code: 0, stdout: expect.stringContaining("# From a file") });
  const input = "From standard input";
  const stdin = await quasar(at, ["run", "-", ...args], { input });
  expect(stdin).toMatchObject({ code: 0, stdout: expect.stringContaining(input) });
});

test("a filter that fails sends the cycle back without a review", async () => {
  const at = place();
  const turns = twoCycles().map((turn) => ({ ...turn, match: turn.match && "work.txt is wrong" }));
  const check = "grep -q right work.txt || { echo work.txt is wrong; exit 1; }";
  const args = ["run", "Write work.txt", "--filter", check, ...agents(at, turns)];
  const done = await quasar(at, [...args, "--json"]);
  expect(records(done.stdout).filter(({ type }) => type === "check_done")).toMatchObject([
    { cycle: 1, passed: false },
    { cycle: 2, passed: true },
  ]);
});

test("the cycles used up end with 3, and a resume with more continues", async () => {
  const at = place();
  const args = ["run", "Write", "--max-cycles", "1", ...agents(at, neverContent())];
  const stopped = await quasar(at, args);
  expect(stopped).toMatchObject({ code: 3, stdout: expect.stringContaining("--max-cycles 3") });
  const status = await quasar(at, ["status"]);
  expect(status.stdout).toMatch(/stopped\n[^]*because  Max cycles reached/u);
  agents(at, twoCycles());
  const again = await quasar(at, ["resume", "--max-cycles", "3"]);
  expect(again.stdout).toContain("cycle 2 of 3");
});

test("the budget used up ends with 4, and a resume with more continues", async () => {
  const at = place();
  const args = ["run", "Write", "--max-budget", "0.25", ...agents(at, neverContent())];
  const stopped = await quasar(at, args);
  const [, figure = ""] = /quasar resume \S+ --max-budget ([\d.]+)/u.exec(stopped.stdout) ?? [];
  expect(stopped).toMatchObject({
    code: 4,
    stdout: expect.stringContaining("Resume with a budget"),
  });
  expect(await quasar(at, ["resume"])).toMatchObject({ code: 4 });
  expect((await quasar(at, ["status"])).stdout).toContain(`--max-budget ${figure}`);
  agents(at, oneCycle());
  expect(await quasar(at, ["resume", "--max-budget", figure])).toMatchObject({ code: 0 });
});

test("turns of $1.50 fit into the default budget where the first review approves", async () => {
  const at = place();
  const done = await quasar(at, [
    "run",
    "Write",
    ...agents(at, dearTurns("first"), { responseUsd: 1.5 }),
  ]);
  expect(done).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("cost     $3.00 of $5.00"),
  });
  expect(done.stdout).toContain("limits   3 cycles, $5.00; a coder's turn may spend up to $4.50");
});

test("a turn that no longer fits is not started, and a resume with the figure that is told ends approved", async () => {
  const at = place();
  const stopped = await quasar(at, [
    "run",
    "Write",
    ...agents(at, dearTurns("second"), { responseUsd: 1.5 }),
  ]);
  expect(stopped.code).toBe(4);
  expect(stopped.stdout).toContain("cost     $3.00 of $5.00");
  const because =
    "The coder's next turn needs at least $3.00 and may spend $1.50 ($3.00 of $5.00 spent).";
  expect(stopped.stdout).toContain(`${because} Resume with a budget of $9.30.`);
  const [, command = ""] = /quasar (resume \S+ --max-budget [\d.]+)/u.exec(stopped.stdout) ?? [];
  expect(command).toMatch(/ --max-budget 9\.3$/u);
  const resumed = await quasar(at, command.split(" "));
  expect(resumed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("cost     $6.00 of $9.30"),
  });
});

test("a limit for one turn that is too low is reported with the flag that raises it", async () => {
  const at = place();
  const args = [
    "run",
    "Write",
    "--max-turn-budget",
    "2",
    ...agents(at, dearTurns("first"), { responseUsd: 1.5 }),
  ];
  const refused = await quasar(at, args);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain(
    "The coder's first turn needs at least $3.00: two of its model's",
  );
  const [, limit = ""] = /quasar run --max-turn-budget ([\d.]+) "…" /u.exec(refused.stderr) ?? [];
  expect((await quasar(at, ["list"])).stdout).toContain("no runs");
  const raised = args.map((arg) => (arg === "2" ? limit : arg));
  expect(await quasar(at, raised)).toMatchObject({ code: 0 });
});

test("an unreported cost is kept apart from what is known", async () => {
  const at = place();
  const command = [
    "--coder",
    "command:echo x > work.txt",
    "--reviewer",
    "command:echo APPROVED: yes",
  ];
  const limited = await quasar(at, ["run", "Write", ...command]);
  expect(limited.stdout).toContain("cost     $0.00 known, up to $1.67 more, of $5.00");
  const json = lastRecord(await quasar(at, ["status", "--json"])) as { runs: unknown[] };
  expect(json.runs[0]).toMatchObject({ knownUsd: 0, unknownUsd: expect.closeTo(1.667, 2) });
  const unlimited = await quasar(at, ["run", "Write", "--max-budget", "0", ...command]);
  const unreported = "cost     $0.00 known; some turns reported no cost";
  expect(unlimited.stdout).toContain(unreported);
  expect((await quasar(at, ["status"])).stdout).toContain(unreported);
});

test("a dirty tree is refused with 6, names the files and the ways on", async () => {
  const at = place();
  write(at.repo, { "a.txt": "mine\n", "new.txt": "mine\n" });
  const args = ["run", "Write", ...agents(at, oneCycle())];
  const refused = await quasar(at, [...args, "--json"]);
  expect(refused.code).toBe(6);
  expect(lastRecord(refused)).toMatchObject({ v: 1, type: "error", code: "ERR_DIRTY", exit: 6 });
  expect(refused.stderr).toMatch(/a\.txt\n.*new\.txt\n[^]*--worktree[^]*--accept-dirty/u);

  const accepted = await quasar(at, [...args, "--accept-dirty"]);
  expect(accepted.code).toBe(0);
  expect(git(at, "diff", "--name-only", "HEAD~1", "HEAD")).toBe("work.txt");
  expect(git(at, "status", "--porcelain").split("\n")).toEqual(["M a.txt", "?? new.txt"]);
});

test("--worktree works beside a dirty tree, on a branch of its own", async () => {
  const at = place();
  write(at.repo, { "a.txt": "mine\n" });
  const args = ["run", "Write", "--worktree", "--json", ...agents(at, oneCycle())];
  const done = await quasar(at, args);
  expect(done.code).toBe(0);
  const { workTree, runId } = records(done.stdout)[0] as { workTree: string; runId: string };
  expect(workTree).toBe(`${at.repo}-${runId}`);
  const { next } = lastRecord(done) as { next: string[] };
  expect(next[0]).toMatch(`cd ${workTree} && git log`);
  expect(git(at, "branch", "--format=%(refname:short)")).toContain(`quasar/${runId}`);
  expect(git(at, "show", `quasar/${runId}:work.txt`)).toBe("right");
  expect(git(at, "status", "--porcelain")).toBe("M a.txt");
});

test("a git operation in progress is refused with 6", async () => {
  const at = place();
  writeFileSync(join(at.repo, ".git", "MERGE_HEAD"), `${git(at, "rev-parse", "HEAD")}\n`);
  const refused = await quasar(at, ["run", "Write", ...agents(at, oneCycle())]);
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("a merge") });
});

test("a bisect in progress is refused with the one command that ends it", async () => {
  const at = place();
  git(at, "bisect", "start");
  const refused = await quasar(at, ["run", "Write", ...agents(at, oneCycle())]);
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("git bisect reset") });
});

test("a task's file that is not there is refused with a way on", async () => {
  const refused = await quasar(place(), ["run", "-f", "/nonexistent"]);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/next +quasar run -f/u) });
});

test("cycles and budget that are both used up are both named", async () => {
  const at = place();
  const limits = ["--max-cycles", "1", "--max-budget", "0.4"];
  const stopped = await quasar(at, ["run", "Write", ...limits, ...agents(at, neverContent())]);
  expect(stopped.stdout).toMatch(/quasar resume \S+ --max-budget [\d.]+ --max-cycles 3/u);
});

test("status lists a finding once, however often it was found", async () => {
  const at = place();
  const args = ["run", "Write", "--max-cycles", "2", ...agents(at, neverContent())];
  expect(await quasar(at, args)).toMatchObject({ code: 3 });
  expect((await quasar(at, ["status"])).stdout).toContain("findings 1 open");
});

test("what is in .quasar stays uncommitted after an agent has cleaned the tree", async () => {
  const at = place();
  const coder = "command:git clean -qfdx; echo x >> work.txt";
  const args = [
    "run",
    "Write",
    "--max-cycles",
    "2",
    "--max-budget",
    "0",
    "--coder",
    coder,
    "--json",
  ];
  const review = "command:printf 'ISSUE:\\nSEVERITY: major\\nDESCRIPTION: no\\n'";
  expect(await quasar(at, [...args, "--reviewer", review])).toMatchObject({ code: 3 });
  expect(git(at, "status", "--porcelain")).toBe("");
  expect(existsSync(join(at.repo, ".quasar", ".gitignore"))).toBe(true);
});

test("a run whose checkpoint was quarantined stays listed, as damaged", async () => {
  const at = place();
  const args = ["run", "Write", "--max-cycles", "1", ...agents(at, neverContent())];
  expect(await quasar(at, args)).toMatchObject({ code: 3 });
  const dir = join(at.repo, ".git", "quasar", "runs", runDirs(at)[0] ?? "");
  for (const name of readdirSync(dir).filter((file) => file.startsWith("checkpoint.toml"))) {
    writeFileSync(join(dir, name), "sealed = 1\nbroken");
  }
  expect(await quasar(at, ["resume"])).toMatchObject({ code: 7 });
  expect((await quasar(at, ["status"])).stdout).toMatch(/damaged\n +because .*quarantined/u);
});

test("a relative script is found from any folder, and other unfinished runs are named", async () => {
  const at = place({ "deep/a.txt": "x\n" });
  agents(at, neverContent());
  const script = "scripted:../script.json";
  const args = ["run", "Write", "--max-cycles", "1", "--coder", script, "--reviewer", script];
  expect(await quasar(at, args)).toMatchObject({ code: 3 });
  expect(await quasar(at, args)).toMatchObject({ code: 3 });
  const [older = ""] = runDirs(at).toSorted();
  agents(at, oneCycle());
  const cwd = join(at.repo, "deep");
  const resumed = await quasar(at, ["resume", "--max-cycles", "3"], { cwd });
  expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining(older) });
});

test("a run on no branch says that its commits will be on none", async () => {
  const at = place();
  git(at, "checkout", "--quiet", "--detach");
  const done = await quasar(at, ["run", "Write", "--json", ...agents(at, oneCycle())]);
  expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining("on no branch") });
  expect(records(done.stdout).find(({ type }) => type === "run")).toMatchObject({ branch: "" });
});

test("another runner is told who works here, and leaves with 6", async () => {
  const at = place();
  const args = ["run", "Write", "--json", ...agents(at, oneCycle(LONG))];
  const first = start(at, args);
  expect(await first.sees('"agent_start"')).toBe(true);
  for (const command of [["resume"], args]) {
    const refused = await quasar(at, command);
    expect(refused.code).toBe(6);
    expect(refused.stderr).toContain(`process ${first.child.pid} on `);
  }
  const status = await quasar(at, ["status", "--json"]);
  const runner = { pid: first.child.pid };
  expect(lastRecord(status)).toMatchObject({ runs: [{ status: "running", runner }] });
  expect((await quasar(at, ["status"])).stdout).toContain(`runner   process ${runner.pid} on `);
});

test("status shows the run as running that is worked on, not the newest one", async () => {
  const at = place();
  const older = start(at, ["run", "Older", ...agents(at, oneCycle(LONG))]);
  expect(await older.sees("works")).toBe(true);
  await killAll(older);
  const [runId = ""] = runDirs(at);
  await quasar(at, ["run", "Newer", "--new", ...agents(at, neverContent()), "--max-cycles", "1"]);
  agents(at, oneCycle(LONG));
  const resumed = start(at, ["resume", runId, "--accept-head"]);
  expect(await resumed.sees("works")).toBe(true);
  const { runs } = lastRecord(await quasar(at, ["status", "--json"])) as { runs: unknown[] };
  expect(runs).toMatchObject([
    { task: "Newer", status: "stopped" },
    { runId, status: "running", runner: { pid: resumed.child.pid, runId } },
  ]);
});

test.for([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s saves, says how to continue and leaves with %d", async ([signal, code]) => {
  const at = place();
  const first = start(at, ["run", "Write", ...agents(at, oneCycle(LONG))]);
  expect(await first.sees("works")).toBe(true);
  first.child.kill(signal);
  const done = await first.finished;
  expect(done).toMatchObject({
    code,
    stdout: expect.stringMatching(/interrupted[^]*quasar resume/u),
  });
  agents(at, oneCycle());
  expect(await quasar(at, ["resume"])).toMatchObject({ code: 0 });
});

/** An agent that obeys no signal but SIGKILL, and writes a file once it is released. */
const IGNORES_SIGNALS =
  "command:trap '' INT TERM; echo here; until [ -e ../go ]; do sleep 0.1; done; echo late > late.txt";

test("a second signal exits at once", async () => {
  const at = place();
  const args = ["run", "Write", "--json", "--coder", IGNORES_SIGNALS, "--reviewer", "command:true"];
  const first = start(at, args);
  expect(await first.sees('"text":"here')).toBe(true);
  first.child.kill("SIGINT");
  expect(await first.sees("press Ctrl-C again to exit now")).toBe(true);
  first.child.kill("SIGINT");
  const done = await first.finished;
  expect(done.code).toBe(130);
  expect(done.stderr).toContain("Stopped. State as of the last save");
  const { runId } = records(done.stdout)[0] as { runId: string };
  expect(done.stderr).toContain(`Next: quasar resume ${runId}`);
  expect(findRunProcesses(runId)).toEqual([]);
});

test("a resume ends an agent that has lost its supervisor, before it starts another one", async () => {
  const at = place();
  const args = ["run", "Write", "--json", "--coder", IGNORES_SIGNALS, "--reviewer", "command:true"];
  const first = start(at, args);
  expect(await first.sees('"text":"here')).toBe(true);
  first.child.kill("SIGKILL");
  await first.finished;
  const { runs } = lastRecord(await quasar(at, ["status", "--json"])) as {
    runs: { openTurn: { alivePid: number } }[];
  };
  process.kill(runs[0]?.openTurn.alivePid ?? 0, "SIGKILL");

  const resumed = await quasar(at, ["resume", "--json", ...agents(at, oneCycle())]);
  expect(resumed.code, resumed.stderr).toBe(0);
  const recovered = records(resumed.stdout).filter(({ type }) => type === "turn_recovered");
  expect(recovered).toMatchObject([{ how: "restarted" }]);
  write(at.outside, { go: "" });
  await sleep(1000);
  expect(existsSync(join(at.repo, "late.txt"))).toBe(false);
});

test("a run that was interrupted is not passed over, and --new leaves it for later", async () => {
  const at = place();
  const first = start(at, ["run", "The first task", ...agents(at, oneCycle(LONG))]);
  await first.sees("works");
  await killAll(first);
  const args = ["run", "Another task", ...agents(at, oneCycle())];
  const refused = await quasar(at, args);
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("The first task") });
  expect(await quasar(at, [...args, "--new"])).toMatchObject({ code: 0 });
  const status = await quasar(at, ["status"]);
  expect(steady(status.stdout, at)).toMatchInlineSnapshot(`
    "run <run> approved
      task     Another task
      stands   cycle 1 of 3, approved
      cost     $0.40 of $5.00
      commits  <sha>
      saved    <moment>
      findings none open
      next     git log --patch <sha>..

    older runs
      <run>  <moment>  interrupted       1    $0.00  The first task
      next     quasar resume <run>
    "
  `);
  const resumed = await quasar(at, ["resume", "--accept-head"]);
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("The first task") });
});

test("commits of others are refused with 6 until they are accepted", async () => {
  const at = place();
  const first = start(at, ["run", "Write", ...agents(at, oneCycle(LONG))]);
  await first.sees("works");
  await killAll(first);
  write(at.repo, { "theirs.txt": "x\n" });
  git(at, "add", "theirs.txt");
  git(at, "-c", "user.name=Eve", "-c", "user.email=eve@localhost", "commit", "-qm", "Theirs");
  agents(at, oneCycle());
  const refused = await quasar(at, ["resume"]);
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("--accept-head") });
  expect(await quasar(at, ["resume", "--accept-head"])).toMatchObject({ code: 0 });
});

/** A run that was killed while its reviewer worked: the coder's work is committed. */
async function killedInReview(at: Place): Promise<void> {
  const turns = oneCycle().map((turn) =>
    turn.role === "reviewer" ? { ...turn, delayMs: LONG } : turn,
  );
  const first = start(at, ["run", "Write", ...agents(at, turns)]);
  expect(await first.sees("reviewer works")).toBe(true);
  await killAll(first);
}

test("a resume refuses edits of the user's with 6, and leaves them alone once accepted", async () => {
  const at = place();
  const ended = ["run", "Write", "--max-cycles", "1", ...agents(at, neverContent())];
  expect(await quasar(at, ended), "no step runs any more").toMatchObject({ code: 3 });
  write(at.repo, { "mine.txt": "mine\n", "a.txt": "edited\n" });
  agents(at, oneCycle());
  const refused = await quasar(at, ["resume", "--max-cycles", "2", "--json"]);
  expect(refused.code).toBe(6);
  expect(lastRecord(refused)).toMatchObject({ code: "ERR_DIRTY" });
  expect(refused.stderr).toMatch(/a\.txt\n.*mine\.txt\n[^]*resume --accept-dirty/u);
  const accepted = await quasar(at, ["resume", "--max-cycles", "2", "--accept-dirty"]);
  expect(accepted.code, accepted.stderr).toBe(0);
  expect(git(at, "log", "--format=", "--name-only", "--", "mine.txt", "a.txt")).toBe("a.txt");
  expect(git(at, "status", "--porcelain").split("\n")).toEqual(["M a.txt", "?? mine.txt"]);
});

test("what lies in the tree after a killed reviewer's turn is undone, and kept where the line says", async () => {
  const at = place();
  await killedInReview(at);
  write(at.repo, { "a.txt": "edited\n" });
  agents(at, oneCycle());
  const done = await quasar(at, ["resume"]);
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain("changed a.txt: undone; its version: quasar restore 1");
  expect(git(at, "status", "--porcelain")).toBe("");
  expect(await quasar(at, ["restore", "1"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(at.repo, "a.txt"), "utf8")).toBe("edited\n");
});

test("a resume takes what lies in the tree of an unfinished coder's turn for its work", async () => {
  const at = place();
  const first = start(at, ["run", "Write", ...agents(at, oneCycle(LONG))]);
  expect(await first.sees("coder    works")).toBe(true);
  await killAll(first);
  write(at.repo, { "half.txt": "half\n" });
  agents(at, oneCycle());
  const done = await quasar(at, ["resume"]);
  expect(done).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/unfinished turn: .*half/u),
  });
  expect(git(at, "show", "HEAD:half.txt")).toBe("half");
});

test("a resume on another branch is refused with 6 until it is accepted", async () => {
  const at = place();
  await killedInReview(at);
  git(at, "switch", "--quiet", "--create", "other");
  agents(at, oneCycle());
  const refused = await quasar(at, ["resume", "--json"]);
  expect(refused.code).toBe(6);
  expect(lastRecord(refused)).toMatchObject({
    code: "ERR_BRANCH_CHANGED",
    next: ["git switch main", "quasar resume --accept-branch"],
  });
  expect(await quasar(at, ["resume", "--accept-branch"])).toMatchObject({ code: 0 });
});

test("a repository's commands are not run before the user says so", async () => {
  const at = place();
  write(at.repo, {
    ".quasar/config.toml": 'filter = ["touch ../ran"]\n',
    ".quasar/.gitignore": "*\n",
  });
  const args = ["run", "Write", ...agents(at, oneCycle())];
  const refused = await quasar(at, args);
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("touch ../ran") });
  expect(existsSync(join(at.outside, "ran"))).toBe(false);
  expect(await quasar(at, [...args, "--trust-config"])).toMatchObject({ code: 0 });
  expect(existsSync(join(at.outside, "ran"))).toBe(true);
});

test("outside a repository, and in one without a commit, it says what to type", async () => {
  const none = emptyPlace();
  const args = ["run", "Write", ...agents(none, oneCycle())];
  const outside = await quasar(none, args);
  expect(outside).toMatchObject({ code: 1, stderr: expect.stringContaining("git init") });
  git(none, "init", "--quiet");
  const unborn = await quasar(none, args);
  expect(unborn).toMatchObject({ code: 1, stderr: expect.stringContaining("git commit") });
});

test("init writes a file whose every setting is the default, and never overwrites one", async () => {
  const at = place();
  const done = await quasar(at, ["init", "--json"]);
  const created = [".quasar/config.toml", ".quasar/.gitignore"];
  expect(lastRecord(done)).toMatchObject({ v: 1, type: "init", created, workTree: at.repo });
  const path = join(at.repo, ".quasar", "config.toml");
  const text = readFileSync(path, "utf8").replaceAll(/^# (\w+ = )/gmu, "$1");
  writeFileSync(path, text);
  expect(git(at, "status", "--porcelain")).toBe("?? .quasar/");
  const run = await quasar(at, ["run", "Write", "--json", ...agents(at, oneCycle())]);
  expect(records(run.stdout)[0]).toMatchObject({ maxCycles: 3, maxBudgetUsd: 5 });
  expect(await quasar(at, ["init"])).toMatchObject({ stdout: expect.stringContaining("kept") });
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("status tells that there is nothing yet", async () => {
  expect(await quasar(place(), ["status"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("no runs in this work tree yet"),
  });
});

test("works from a folder deep inside the repository", async () => {
  const at = place({ "src/deep/a.txt": "x\n" });
  const cwd = join(at.repo, "src", "deep");
  const done = await quasar(at, ["run", "Write", ...agents(at, oneCycle())], { cwd });
  expect(done.code).toBe(0);
  expect(git(at, "show", "HEAD:work.txt")).toBe("right");
});

test("leaves nothing outside the repository but the user's own state", async () => {
  const at = place();
  await quasar(at, ["run", "Write", ...agents(at, oneCycle())]);
  expect(readdirSync(at.outside).toSorted()).toEqual(["home", "repo", "script.json"]);
  expect(readdirSync(join(at.outside, "home", ".local", "state"))).toEqual(["quasar"]);
  const key = statSync(join(at.outside, "home", ".local", "state", "quasar", "seal.key"));
  expect(key.mode & 0o777).toBe(0o600);
});

test("commits nothing of the user's own where HOME is the work tree", async () => {
  const at = place();
  const env = { HOME: at.repo, XDG_CACHE_HOME: "" };
  const done = await quasar(at, ["run", "Write", ...agents(at, oneCycle())], { env });
  expect(done.code, done.stderr).toBe(0);
  expect(statSync(join(at.repo, ".local", "state", "quasar", "seal.key")).isFile()).toBe(true);
  expect(git(at, "ls-tree", "-r", "--name-only", "HEAD").split("\n")).toEqual([
    "a.txt",
    "work.txt",
  ]);
  expect(git(at, "status", "--porcelain")).toBe("");
});

test("an approved run whose end cannot be saved exits with 1, and a resume ends it without a turn", async () => {
  const at = place();
  const inTheWay = "for run in .git/quasar/runs/*/; do : > $run/archive; done";
  const args = ["run", "Write work.txt", ...agents(at, oneCycle()), "--filter", inTheWay];
  const done = await quasar(at, args);
  expect(done.code, done.stdout).toBe(1);
  expect(done.stdout).toContain("the work is approved and committed, but that could not be saved");
  expect(done.stdout).toMatch(/quasar resume \d{8}/u);
  rmSync(join(at.repo, ".git", "quasar", "runs", runDirs(at)[0] ?? "", "archive"));
  const resumed = await quasar(at, ["resume"]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stdout).toContain("approved after 1 cycle");
  expect(resumed.stdout).not.toContain(" works ");
});
