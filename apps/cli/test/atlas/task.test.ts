import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lockTask } from "@quasar/hookfile/recovery";
import { readTask } from "@quasar/tasks";
import { expect, test } from "vitest";
import { git, lastRecord, records, write } from "../harness.ts";
import {
  ATLAS,
  atlas,
  atlasJson,
  atlasPlace,
  FIX,
  meddle,
  receiptsOf,
  scripted,
  taskDirOf,
  VALIDATED,
  waiting,
  workTreeOf,
} from "./harness.ts";

// SPEC.md, statements 194, 196-199.
test("a bugfix goes to its review, is approved for what was shown, once, and is completed", async () => {
  const at = atlasPlace();
  const args = ["start", "fix null pointer in config", "--template", "bugfix", ...VALIDATED];
  const started = await atlas(at, [...args, ...scripted(at)]);
  expect(started.code, started.stderr).toBe(9);
  expect(started.stdout).toContain("step 3 of 7 validate (validation)");
  expect(started.stdout).toContain("waits for you in step review");
  expect(started.stdout).toContain("  next     atlas approve");

  const status = await atlas(at, ["status"]);
  expect(status.stdout).toContain("Hook State: awaiting_human (review, attempt 1, for review)\n");
  expect(status.stdout).toMatch(/^Last Checkpoint: ckpt-[0-9a-f]{16} \((now|\d+ s ago)\)$/mu);
  expect(status.stdout).toMatch(/receipts rcpt-\S+ test -f work\.txt: VALID ✓\n/u);
  expect(status.stdout).toContain("$0.40 of $5.00");

  const [receipt = ""] = receiptsOf(at);
  const verified = await atlas(at, ["hook", "verify-receipt", receipt]);
  expect(verified.code).toBe(0);
  expect(verified.stdout).toMatch(
    /^Receipt: rcpt-\S+\nStep: validate\nCommand: test -f work\.txt\nExit Code: 0\nOutput: MATCHES\nCommit: [0-9a-f]{40}\nTree: [0-9a-f]{40}\nKey Path: m\/44'\/236'\/0'\/0'\/0'\nSignature: VALID ✓\n\nThis receipt was signed by your ATLAS installation\.\nThe validation command ran and completed successfully\.\n$/u,
  );

  const gitHook = join(at.repo, ".git/hooks/post-commit");
  const script = readFileSync(gitHook);
  const approved = await atlas(at, ["approve", "--yes"]);
  expect(approved.code, approved.stderr).toBe(0);
  expect(approved.stdout).toMatch(/^\+right$/mu);
  expect(approved.stdout).toContain("state    completed");
  const twice = await atlas(at, ["approve", "--yes"]);
  expect(twice.code).toBe(6);
  expect(existsSync(gitHook)).toBe(false);
  // As a crash leaves it right after the approval is on record.
  const hookMd = join(taskDirOf(at), "HOOK.md");
  const said = readFileSync(hookMd, "utf8");
  writeFileSync(hookMd, "torn");
  writeFileSync(gitHook, script);
  expect((await atlas(at, ["resume"])).code).toBe(8);
  expect(readFileSync(hookMd, "utf8")).toBe(said);
  expect(existsSync(gitHook)).toBe(false);
  expect(git({ ...at, repo: workTreeOf(at) }, "status", "--porcelain")).toBe("");
});

test("where there is no task, there is nothing to resume, and the exit code says so", async () => {
  const none = await atlasJson(atlasPlace(), ["resume"]);
  expect(none).toMatchObject({ code: 8, type: "error" });
});

test("nothing is approved without a word, nor when it is not any more what was shown; what is rejected gets another attempt with what was said", async () => {
  const at = atlasPlace();
  await waiting(at, "write");
  const agents = { ...at, env: { ...at.env, QUASAR_RUN_ID: "task-1-implement-1" } };
  expect((await atlas(agents, ["approve", "--yes"])).code).toBe(5);
  const asked = await atlas(at, ["approve"]);
  expect(asked.code).toBe(5);
  const [review, refused] = records((await atlas(at, ["approve", "--json"])).stdout);
  expect(review).toMatchObject({ type: "review", diff: expect.stringContaining("\n+right\n") });
  expect(refused).toMatchObject({ type: "error", exit: 5 });
  const [, tree = ""] = /--tree ([0-9a-f]{40})/u.exec(asked.stderr) ?? [];
  meddle(at);
  const changed = await atlas(at, ["approve", "--tree", tree]);
  expect(changed.code).toBe(6);
  expect(changed.stdout).not.toContain("approved");

  expect((await atlas(at, ["reject"])).code).toBe(2);
  const rejected = await atlas(at, ["reject", "--feedback", "say it in German"]);
  expect(rejected.code, rejected.stderr).toBe(0);
  expect(rejected.stdout).toContain("implement is due");
  scripted(at, [
    { role: "coder", match: "say it in German", text: "Ja.", files: { "work.txt": "richtig\n" } },
    ...FIX.slice(1),
  ]);
  const resumed = await atlas(at, ["resume"]);
  expect(resumed.code, resumed.stderr).toBe(9);
  expect(readFileSync(join(workTreeOf(at), "work.txt"), "utf8")).toBe("richtig\n");
  const final = await atlasJson(at, ["reject", "--final"]);
  expect(final).toMatchObject({ code: 0, state: "failed" });
});

test("a task that has spent more than it may says with how much it continues, and does", async () => {
  const at = atlasPlace();
  const turns = FIX.slice(1).map((turn) =>
    turn.role === "coder" ? { ...turn, costUsd: 20 } : turn,
  );
  const args = ["start", "Write", "--template", "write", ...scripted(at, turns)];
  const { code, next } = await atlasJson(at, args);
  expect([code, next]).toEqual([4, ["atlas resume --max-budget 20.84", "atlas status"]]);
  for (const again of [false, true]) {
    if (again) expect((await atlas(at, ["resume"])).code).toBe(4);
    const { stdout } = await atlas(at, ["status"]);
    expect(stdout).toMatch(/\n {2}! implement +stopped /u);
    expect(stdout).toMatch(/\n {2}stopped .*\$20\.84/u);
    expect(stdout).toMatch(/\n {2}next +atlas resume --max-budget 20\.84\n/u);
    expect(stdout).not.toContain("cut off");
  }
  const raised = await atlas(at, ["resume", "--max-budget", "20.84"]);
  expect(raised.code, raised.stderr).toBe(9);
  expect((await atlas(at, ["status"])).stdout).not.toMatch(/\n {2}stopped /u);
});

test("an agent finds the task by atlas hook context, wherever ATLAS_HOME is", async () => {
  const at = atlasPlace();
  const asks = `"${process.execPath}" "${ATLAS}" hook context > asked.txt`;
  const agents = ["--coder", `command:cat > /dev/null; ${asks}`, "--reviewer", "command:true"];
  await atlas(at, ["start", "Write", "--template", "write", ...agents]);
  const asked = readFileSync(join(workTreeOf(at), "asked.txt"), "utf8");
  expect(asked).toContain(readTask(taskDirOf(at)).id);
});

test("a validation that fails waits for a person, who retries with other commands or skips it", async () => {
  const at = atlasPlace();
  const args = ["start", "Check", "--template", "check", "--max-fixes", "0"];
  const started = await atlas(at, [...args, "--validate", "false", ...scripted(at)]);
  expect(started.code, started.stderr).toBe(9);
  expect(started.stdout).toContain("atlas retry");
  expect((await atlas(at, ["skip"])).code).toBe(2);
  const validation = () => readTask(taskDirOf(at)).config.validation;
  expect((await atlas(at, ["retry", "--validation-timeout", "1"])).code).toBe(0);
  expect(validation()).toMatchObject({ commands: [{ command: "false" }], timeoutMs: 60_000 });
  expect((await atlas(at, ["resume"])).code).toBe(9);
  const retried = await atlas(at, ["retry", "--validate", "test -f a.txt"]);
  expect(retried.code, retried.stderr).toBe(0);
  expect(validation()).toMatchObject({ timeoutMs: 60_000, maxFixes: 0 });
  const resumed = await atlas(at, ["resume", "--json"]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(lastRecord(resumed)).toMatchObject({ type: "result", outcome: "completed" });
  const types = records(resumed.stdout).map(({ type }) => type);
  expect(types[0]).toBe("task");
  expect(types).toContain("command_done");
});

test("a project without validation commands is not taken for validated", async () => {
  const at = atlasPlace();
  const started = await atlas(at, ["start", "Check", "--template", "check", ...scripted(at)]);
  expect(started.code, started.stderr).toBe(9);
  expect(started.stdout).toContain("no validation command is configured");
  const skipped = await atlasJson(at, ["skip", "--reason", "there are none"]);
  expect(skipped).toMatchObject({ code: 0, state: "completed" });
  const status = await atlas(at, ["status"]);
  expect(status.stdout).toMatch(/- validate +skipped +there are none/u);
});

test("commands that were configured since are taken once they are trusted, wherever one is", async () => {
  const at = atlasPlace();
  await atlas(at, ["start", "Check", "--template", "check", ...scripted(at)]);
  write(at.repo, { ".atlas/config.toml": 'validation.commands = ["test -f a.txt"]\n' });
  const cwd = workTreeOf(at);
  expect((await atlas(at, ["retry"], { cwd })).code).toBe(6);
  expect(await atlasJson(at, ["hook", "status"])).toMatchObject({ state: "awaiting_human" });
  expect((await atlas(at, ["retry", "--trust-config"], { cwd })).code).toBe(0);
  expect((await atlas(at, ["resume"], { cwd })).code).toBe(0);
});

test("the budget of a task that is driven is not changed behind its back", async () => {
  const at = atlasPlace();
  await waiting(at);
  const lock = lockTask(taskDirOf(at));
  expect((await atlas(at, ["resume", "--max-budget", "50"])).code).toBe(6);
  expect(readTask(taskDirOf(at)).config.maxBudgetUsd).toBe(5);
  lock.release();
  expect((await atlas(at, ["resume", "--max-budget", "50"])).code).toBe(9);
  expect(readTask(taskDirOf(at)).config.maxBudgetUsd).toBe(50);
});

// SPEC.md, statements 198.
test("a task is found by its folder, its id, the beginning of it, and its workspace, then given up", async () => {
  const at = atlasPlace();
  await waiting(at);
  const dir = taskDirOf(at);
  const taskId = dir.split("/").at(-1) ?? "";
  for (const id of [taskId.slice(0, 12), "fix-null-pointer-in-config"]) {
    expect(await atlasJson({ ...at, repo: at.outside }, ["status", id])).toMatchObject({ code: 0 });
  }
  const here = await atlasJson({ ...at, repo: workTreeOf(at) }, ["status"]);
  expect(here).toMatchObject({ code: 0, hook: { taskId } });
  expect((await atlas({ ...at, repo: at.outside }, ["status"])).code).toBe(2);
  expect((await atlas(at, ["status", "task-none"])).code).toBe(2);

  // Of two of a repository, each has to be named.
  const args = ["start", "Another", "--template", "look", ...scripted(at)];
  const { next } = await atlasJson(at, args);
  expect(next).toContainEqual(expect.stringMatching(/^atlas approve another /u));
  const both = await atlas(at, ["approve", "--yes"]);
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining(taskId)]);
  // Neither works in this work tree: that is no mistake of the agent's who asks.
  expect(await atlas(at, ["hook", "context"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("no active task works in this work tree") as string,
  });
  expect((await atlas(at, ["approve", "another", "--yes"])).code).toBe(0);

  const abandoned = await atlasJson(at, ["abandon", "--reason", "not needed"]);
  expect(abandoned).toMatchObject({ code: 0, state: "abandoned" });
  expect((await atlas(at, ["abandon"])).code).toBe(6);
  const hook = JSON.parse(readFileSync(join(dir, "hook.json"), "utf8")) as object;
  expect(hook).toMatchObject({ state: "abandoned" });
});

test("what is wrong with the command, its agents or its template is reported before anything is made", async () => {
  const at = atlasPlace();
  const wrong = [
    [["start"], 2],
    [["start", "x", "--template", "none"], 2],
    [["start", "x", "--coder", "gpt"], 2],
    [["start", "x", "--var", "a"], 2],
    [["start", "fix", "it"], 2],
    [["start", "x", "--coder", "codex"], 1],
  ] as const;
  for (const [args, code] of wrong) {
    const refused = await atlas(at, args);
    expect([args, refused.code, refused.stdout]).toEqual([args, code, ""]);
    expect(refused.stderr).toContain("next ");
    expect(refused.stderr).not.toContain("quasar");
  }
  const { next } = await atlasJson(at, ["start", "x", "--coder", "codex"]);
  expect(next).toContain("npm install -g @openai/codex");
  expect(await atlasJson(at, ["status", "--all"])).toMatchObject({ tasks: [] });
  // What the system refuses shows where it is.
  const file = join(at.repo, "a.txt");
  const noHome = await atlas(at, ["status"], { env: { ATLAS_HOME: file } });
  expect([noHome.code, noHome.stderr]).toEqual([1, expect.stringContaining(`ls -ld ${file}`)]);
});

test("a repository's own settings run nothing without the user's word", async () => {
  const at = atlasPlace({
    "a.txt": "one\n",
    ".atlas/config.toml": 'validation.commands = ["touch stolen"]\n',
  });
  const refused = await atlas(at, ["start", "Write", ...scripted(at)]);
  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain("--trust-config");
  expect(await atlasJson(at, ["status", "--all"])).toMatchObject({ tasks: [] });
});

test("a task of one's own template goes through its steps, with its variables", async () => {
  const at = atlasPlace();
  const text = `id = "own"
description = "Greet"
branch_prefix = "hello"
[variables.whom]
description = "Whom to greet"
[[steps]]
name = "greet"
type = "human"
description = "Greet"
prompt = "Greet {{whom}}?"
`;
  writeFileSync(join(at.outside, "own.toml"), text);
  const env = { ATLAS_TEMPLATES: `own=${join(at.outside, "own.toml")}` };
  const args = ["start", "Greet", "--template", "own", "--var", "whom=Ada", ...scripted(at)];
  const started = await atlas(at, args, { env });
  expect(started.code, started.stderr).toBe(9);
  expect(started.stdout).toContain("Greet Ada?");
  expect(git(at, "branch", "--list", "hello/*")).toContain("hello/greet");
});

test("a check that the work tree does not have is named with its exit code, its last lines and what to do", async () => {
  const at = atlasPlace();
  const missing = ["--validate", "true && quasar-no-such-tool"];
  const started = await atlas(at, [
    "start",
    "fix it",
    "--template",
    "bugfix",
    ...missing,
    ...scripted(at),
  ]);
  const status = await atlas(at, ["status"], { cwd: workTreeOf(at) });
  expect(started.code, started.stderr).toBe(9);
  for (const { stdout } of [started, status]) {
    expect(stdout).toContain("failed: exit code 127");
    expect(stdout).toMatch(/quasar-no-such-tool.*not found/u);
    expect(stdout).toContain("The command is not in the work tree");
  }
});
