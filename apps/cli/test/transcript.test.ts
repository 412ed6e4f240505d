import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeClaude } from "./fake-claude.ts";
import { git, MAIN, type Place, place, quasar, records, start, write } from "./harness.ts";
import { holdingModel, releaseModel } from "./held.ts";
import { agents, oneCycle, type Turn } from "./scripts.ts";

/** One cycle in which each agent says what it does. */
const telling = (): readonly Turn[] =>
  oneCycle().map((turn) => ({ ...turn, says: ["Reading a.txt\u001b[2J", "Writing"] }));

const idOf = (text: string): string => /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(text)?.[0] ?? "";

/** A run of one cycle; what it has printed, and its id. */
async function ran(at: Place, turns = telling()): Promise<{ stdout: string; runId: string }> {
  const { stdout, code } = await quasar(at, ["run", "Write", ...agents(at, turns)]);
  expect(code).toBe(0);
  return { stdout, runId: idOf(stdout) };
}

test("a run tells what its agents say and do, one line each, and how much was changed", async () => {
  const { stdout } = await ran(place());
  expect(stdout).toMatch(/^ {2}coder +Reading a\.txt\\u\{1b\}\[2J\n {2}coder +Writing$/mu);
  expect(stdout).toMatch(/^ {2}reviewer Writing$/mu);
  expect(stdout).toMatch(/^ {2}commit +[0-9a-f]{10}, 1 file, \+1 -0$/mu);
});

test("the end of a coder's turn has its summary, unless one line has said it all", async () => {
  const lines = ["Wrote work.txt.", "", "It is right because it says so.", "COMMIT: feat: work"];
  const [coder, reviewer] = oneCycle();
  if (coder === undefined || reviewer === undefined) throw new Error("there are two");
  const long = { ...coder, text: [...lines.slice(0, 3), "y".repeat(150), lines[3]].join("\n") };
  const { stdout } = await ran(place(), [long, reviewer]);
  expect(stdout).toMatch(
    /done in .*\n {11}Wrote work\.txt\.\n {11}It is right because it says so\.\n {11}y{150}\n {2}commit/u,
  );
  expect((await ran(place(), [{ ...coder, text: "Written." }, reviewer])).stdout).toMatch(
    /done in .*\n {2}commit/u,
  );
});

test("log --agent tells what each agent has said in its turn, and log alone does not", async () => {
  const at = place();
  const { runId } = await ran(at);
  const { stdout } = await quasar(at, ["log", "--agent"]);
  expect(stdout).toMatch(
    /coder +works .*\n +coder +Reading.*\n +coder +Writing\n +coder +write: work\.txt\n.*done in/u,
  );
  expect((await quasar(at, ["log"])).stdout).not.toContain("Reading");
  const said = records((await quasar(at, ["log", "--agent", "--json"])).stdout).filter(
    ({ type }) => type === "agent_event",
  );
  expect(said).toContainEqual(
    expect.objectContaining({ turnId: `${runId}.1`, event: { type: "text", text: "Writing" } }),
  );
});

test("log -f tells what an agent says while it works", async () => {
  const at = place();
  const model = await holdingModel(at, "coder");
  const running = start(at, ["run", "Write", ...agents(at, telling(), { model })]);
  expect(await running.sees("Reading")).toBe(true);
  const log = start(at, ["log", "-f"]);
  expect(await log.sees("Reading"), log.stdout()).toBe(true);
  expect(log.stdout()).not.toContain("done in");
  releaseModel(at);
  expect((await log.finished).stdout).toMatch(
    /coder +Writing\n +coder +write: work\.txt\n.*coder +done in[^]*reviewer Writing\n[^]*ended +approved/u,
  );
  await running.finished;
});

test("show tells all that an agent has said in a turn", async () => {
  const at = place();
  const { runId } = await ran(at);
  const { stdout } = await quasar(at, ["show", "1"]);
  expect(stdout).toMatch(/^turn 1: coder, cycle 1, done, [\d.]+ s, \$0\.30\n/u);
  expect(stdout).toContain("\nReading a.txt\\u{1b}[2J\n\nWriting\n");
  expect((await quasar(at, ["show", `${runId}.1`])).stdout).toBe(stdout);
  const [json] = records((await quasar(at, ["show", "2", "--json"])).stdout);
  expect(json).toMatchObject({ type: "turn", runId, turn: { role: "reviewer" }, isKept: true });
  expect(await quasar(at, ["show", "3"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`quasar show ${runId}`),
  });
});

test("show tells a review in words, an answer of another form as it is, and what was denied", async () => {
  const at = place();
  const report = {
    satisfaction: "low",
    risk: "high",
    needs_human_review: false,
    summary: "Not yet.",
  };
  const verifications = [{ finding_id: "f-0", status: "fixed", comment: "by a test" }];
  const findings = [{ severity: "major", description: "No test." }];
  const answers = { verdict: "changes_requested", findings, verifications, report };
  const { env } = fakeClaude(at, {
    coder: [{ runs: "echo two > a.txt", wants: ["pytest -q", "npm test"] }],
    reviewer: [{ answers }],
  });
  const flags = ["--coder", "claude", "--reviewer", "claude", "--max-cycles", "1"];
  await quasar(at, ["run", "Write", ...flags], { env });
  const coder = await quasar(at, ["show", "1"]);
  expect(coder.stdout).toContain("\n> Bash pytest -q (denied)\n");
  expect(coder.stdout).toMatch(/\n {2}printed {2}\S+\/turns\/1\.out\n$/u);
  const reviewer = await quasar(at, ["show", "2"]);
  expect(reviewer.stdout).toContain(
    [
      "  finding  major: No test.",
      "  earlier  f-0: fixed; by a test",
      "  review   1 finding",
      "  report   satisfaction low, risk high",
      "           Not yet.",
    ].join("\n"),
  );
  expect((await quasar(at, ["log"])).stdout).toMatch(
    /^\d\d:\d\d:\d\d {4}finding .*\n\d\d:\d\d:\d\d {4}review /mu,
  );
  const odd = fakeClaude(at, {
    coder: [{ runs: "echo 3 > a.txt" }],
    reviewer: [{ answers: { ok: 1 } }],
  });
  await quasar(at, ["run", "Write", ...flags, "--accept-dirty"], { env: odd.env });
  expect((await quasar(at, ["show", "2"])).stdout).toContain('{\n  "ok": 1\n}\n');
  expect((await quasar(at, ["show"])).stdout).toMatch(
    /^ +2 +reviewer +1 +failed +[\d.]+ m?s +\$/mu,
  );
});

test("diff shows what a run has committed, and no more", async () => {
  const at = place();
  await ran(at);
  write(at.repo, { "a.txt": "later\n" });
  const { stdout } = await quasar(at, ["diff"]);
  expect(stdout).toMatch(/^diff --git a\/work\.txt b\/work\.txt\n[^]*\n\+right\n$/u);
  expect((await quasar(at, ["diff", "--stat"])).stdout).toBe("work.txt  +1 -0\n");
  const [stat] = records((await quasar(at, ["diff", "--stat", "--json"])).stdout);
  expect(stat).toMatchObject({ files: [{ path: "work.txt", added: 1, removed: 0 }] });
  const [json] = records((await quasar(at, ["diff", "--json"])).stdout);
  expect(json).toMatchObject({ type: "diff", text: expect.stringContaining("+right") });
});

test("what diff prints into a pipe is a patch that git applies, to the byte", async () => {
  const at = place({ "a.txt": "a\n" });
  const files = {
    "old.txt": Buffer.from("caf\u00e9\n\u001b[2J", "latin1"),
    "a.bin": Buffer.of(0, 255, 10),
  };
  const copy = Object.entries(files).map(([name, bytes]) => {
    writeFileSync(join(at.outside, name), bytes);
    return `cp ${join(at.outside, name)} ${name}`;
  });
  const script = join(at.outside, "coder.sh");
  writeFileSync(script, copy.join("\n"));
  const agent = ["--coder", `command:sh ${script}`, "--reviewer", "command:echo APPROVED: it is"];
  const done = await quasar(at, ["run", "Write", "--max-budget", "0", ...agent]);
  expect(done.code, done.stdout + done.stderr).toBe(0);
  const patch = join(at.outside, "patch");
  execFileSync("sh", ["-c", '"$0" "$1" diff > "$2"', process.execPath, MAIN, patch], {
    cwd: at.repo,
    env: at.env,
  });
  git(at, "reset", "-q", "--hard", "HEAD~1");
  git(at, "apply", patch);
  for (const [name, bytes] of Object.entries(files)) {
    expect(readFileSync(join(at.repo, name))).toEqual(bytes);
  }
});

test("diff says that a run's commits are gone", async () => {
  const at = place();
  await ran(at);
  git(at, "reset", "-q", "--hard", "HEAD~1");
  git(at, "reflog", "expire", "--expire=now", "--all");
  git(at, "gc", "-q", "--prune=now");
  for (const args of [["diff"], ["diff", "--stat"]]) {
    const { code, stderr } = await quasar(at, args);
    expect(code, stderr).toBe(1);
    expect(stderr).toMatch(
      /git has commit [0-9a-f]{10} of run \S+ no more\n {2}next {5}quasar show/u,
    );
  }
});

test("diff hears no diff program or text converter that the repository names", async () => {
  const at = place();
  await ran(at);
  const mark = join(at.outside, "started");
  git(at, "config", "diff.external", `touch ${mark}; false`);
  git(at, "config", "diff.up.textconv", "tr a-z A-Z <");
  write(at.repo, { ".gitattributes": "* diff=up\n" });
  const { stdout } = await quasar(at, ["diff"]);
  expect(stdout).toContain("+right");
  expect(existsSync(mark)).toBe(false);
});

test("status tells what the turn at work has cost so far", async () => {
  const at = place();
  const model = await holdingModel(at, "coder");
  const running = start(at, ["run", "Write", ...agents(at, telling(), { model })]);
  expect(await running.sees("Reading")).toBe(true);
  const { stdout } = await quasar(at, ["status"]);
  const [json] = records((await quasar(at, ["status", "--json"])).stdout);
  releaseModel(at);
  await running.finished;
  expect(stdout).toMatch(
    /cost +\$0\.00 of \$5\.00, \$0\.\d\d so far in the turn that has not ended \(up to /u,
  );
  expect(json).toMatchObject({ runs: [{ openTurn: { reportedUsd: expect.any(Number) } }] });
});
