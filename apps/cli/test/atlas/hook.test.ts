import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sample } from "@quasar/vitest/lane";
import { expect, test, vi } from "vitest";
import { git } from "../harness.ts";
import {
  atlas,
  atlasJson,
  atlasPlace,
  receiptsOf,
  taskDirOf,
  waiting,
  workTreeOf,
} from "./harness.ts";

// SPEC.md, statements 186-189, 191, 192.
test("the commands about a task's hook file tell what it says", async () => {
  const at = atlasPlace();
  await waiting(at);
  const made = await atlas(at, ["checkpoint", "nil checks are in"]);
  expect(made.code, made.stderr).toBe(0);
  expect((await atlas(at, ["checkpoint"])).code).toBe(2);
  expect((await atlas(at, ["checkpoint", "x", "--trigger", "lunch"])).code).toBe(2);

  const status = await atlas(at, ["hook", "status"]);
  expect(status.stdout).toContain("Hook State: awaiting_human (review, attempt 1, for review)\n");
  expect(status.stdout).toMatch(/^Last Checkpoint: ckpt-[0-9a-f]{16} \(.*\)$/mu);
  expect(status.stdout).toContain("saved    manual: nil checks are in");

  const checkpoints = await atlas(at, ["hook", "checkpoints"]);
  expect(checkpoints.stdout).toMatch(/time +trigger +step +commit +checkpoint +description/u);
  expect(checkpoints.stdout).toMatch(/ manual +review +[0-9a-f]{10} +ckpt-\S+ +nil checks are in/u);

  const exported = await atlas(at, ["hook", "export", "--format", "json"]);
  const whole = JSON.parse(exported.stdout) as Record<string, unknown>;
  expect(whole).toMatchObject({ state: "awaiting_human", task: { template_id: "look" } });
  const triggers = (whole["history"] as { trigger: string }[]).map(({ trigger }) => trigger);
  expect(triggers.slice(0, 3)).toEqual(["init", "setup_complete", "start_step"]);
  expect((await atlas(at, ["hook", "export", "--format", "xml"])).code).toBe(2);

  const path = join(taskDirOf(at), "HOOK.md");
  const right = readFileSync(path, "utf8");
  writeFileSync(path, "do whatever you like\n");
  const again = await atlas(at, ["hook", "regenerate"]);
  expect(again.stdout).toContain("written again");
  expect(readFileSync(path, "utf8")).toBe(right);
  expect((await atlas(at, ["hook", "regenerate"])).stdout).toContain("is what hook.json says");
});

test("the context is the HOOK.md of this work tree's active task, never a stale one, and fails where there is none", async () => {
  const at = atlasPlace();
  expect((await atlas(at, ["hook", "context"])).code).toBe(1);
  await waiting(at);
  // In another work tree of the repository there is none that concerns it.
  const elsewhere = await atlas(at, ["hook", "context"]);
  expect([elsewhere.code, elsewhere.stdout]).toEqual([1, ""]);
  expect(elsewhere.stderr).toContain(workTreeOf(at));
  const there = { ...at, repo: workTreeOf(at) };
  writeFileSync(join(taskDirOf(at), "HOOK.md"), "do whatever you like\n");
  const context = await atlas(there, ["hook", "context"]);
  expect(context.code).toBe(0);
  expect(context.stdout).toMatch(/^# ATLAS Task Recovery Hook\n/u);
  expect(context.stdout).toContain("## Current State: `awaiting_human`");
});

// SPEC.md, statements 190, 203.
test("validate signs and leaves the task where it is; a receipt that is not what was signed leaves with 10, one of an unknown key with 11", async () => {
  const at = atlasPlace();
  await waiting(at, "look", ["--validate", "echo fine"]);
  const passed = await atlasJson(at, ["validate"]);
  expect(passed).toMatchObject({ code: 0, outcome: "passed" });
  const status = await atlasJson(at, ["status"]);
  expect(status).toMatchObject({ hook: { state: "awaiting_human", counts: { receiptCount: 1 } } });
  const [id = ""] = receiptsOf(at);
  const output = join(taskDirOf(at), "artifacts/receipts", `${id}.out`);
  writeFileSync(output, "splendid\n");
  const modified = await atlas(at, ["hook", "verify-receipt", id]);
  expect(modified.code).toBe(10);
  expect(modified.stdout).toContain("Output: MODIFIED\n");
  writeFileSync(output, "fine\n");
  expect((await atlas(at, ["hook", "verify-receipt", id])).code).toBe(0);

  const envelope = join(taskDirOf(at), "artifacts/receipts", `${id}.dsse.json`);
  const whole = readFileSync(envelope, "utf8");
  writeFileSync(envelope, whole.replace(/"sig":"./u, '"sig":"#'));
  const forged = await atlas(at, ["hook", "verify-receipt", id]);
  expect(forged.code).toBe(10);
  expect(forged.stdout).toContain("Signature: INVALID ✗\n");
  writeFileSync(envelope, whole);

  rmSync(join(at.home, "keys"), { recursive: true });
  mkdirSync(join(at.home, "keys"), { mode: 0o700 });
  const unknown = await atlasJson(at, ["hook", "verify-receipt", id]);
  expect(unknown).toMatchObject({ code: 11, verdict: { kind: "unverifiable" } });
  expect((await atlas(at, ["hook", "verify-receipt", "rcpt-none"])).code).toBe(2);
});

const PASS = ["--require-pass"];

/** What `atlas hook verify-receipt` makes of a task's only receipt. */
const VERIFIED: readonly (readonly [
  what: string,
  command: string,
  isOutputDeleted: boolean,
  options: readonly string[],
  code: number,
  said: string,
])[] = [
  ["a pass", "true", false, [], 0, "The validation command ran and completed successfully."],
  ["a pass, where one is required", "true", false, PASS, 0, "completed successfully."],
  ["a failure", "exit 3", false, [], 0, "FAILED with exit code 3: this is no pass."],
  ["a failure, where a pass is required", "exit 3", false, PASS, 10, "this is no pass."],
  [
    "a deleted output",
    "true",
    true,
    [],
    11,
    "Its output has been deleted: only the hash of it is left.",
  ],
  [
    "a deleted output, where a pass is required",
    "true",
    true,
    PASS,
    11,
    "Its output has been deleted",
  ],
  ["a failure with a deleted output", "exit 3", true, PASS, 11, "FAILED with exit code 3"],
];

test.for(sample(VERIFIED, 2, 3))(
  "verify-receipt says plainly that a receipt is of %s",
  async ([, command, isOutputDeleted, options, code, said]) => {
    const at = atlasPlace();
    await waiting(at, "look", ["--validate", command]);
    await atlas(at, ["validate"]);
    const [id = ""] = receiptsOf(at);
    if (isOutputDeleted) rmSync(join(taskDirOf(at), "artifacts/receipts", `${id}.out`));
    const verified = await atlas(at, ["hook", "verify-receipt", id, ...options]);
    expect([verified.code, verified.stderr]).toEqual([code, ""]);
    expect(verified.stdout).toContain(said);
    expect(verified.stdout).toContain(`Output: ${isOutputDeleted ? "DELETED" : "MATCHES"}\n`);
    expect(verified.stdout).toContain("Signature: VALID ✓\n");
    const json = await atlasJson(at, ["hook", "verify-receipt", id, ...options]);
    expect(json).toMatchObject({ code, exit: code });
  },
);

// SPEC.md, statements 169, 215.
test("the git hook is installed, tells the task of a commit, and never fails it, whatever is wrong", async () => {
  const at = atlasPlace();
  await waiting(at);
  const hook = join(at.repo, ".git/hooks/post-commit");
  expect(readFileSync(hook, "utf8")).toContain("checkpoint --trigger git_commit --auto");
  expect(await atlasJson(at, ["hook", "uninstall"])).toMatchObject({ kind: "removed" });
  expect(() => readFileSync(hook)).toThrow("ENOENT");
  const print = ["hook", "install", "--git-hooks", "print"];
  expect(await atlasJson(at, print)).toMatchObject({ kind: "printed" });
  expect(await atlasJson(at, ["hook", "install"])).toMatchObject({ kind: "installed" });
  expect(readFileSync(hook, "utf8")).toContain("checkpoint --trigger git_commit --auto");

  const there = { ...at, repo: workTreeOf(at) };
  const auto = ["checkpoint", "--trigger", "git_commit", "--auto", "Commit: mine"];
  const quiet = { code: 0, stdout: "", stderr: "" };
  // The hook itself calls the same line, in the background.
  git(there, "-c", "core.hooksPath=/dev/null", "commit", "--allow-empty", "-qm", "mine");
  expect(await atlas(there, auto)).toMatchObject(quiet);
  expect(await atlas({ ...at, repo: at.outside }, auto)).toMatchObject(quiet);
  expect(await atlas(at, auto, { env: { ATLAS_HOME: "not/absolute" } })).toMatchObject(quiet);
  expect(await atlas(at, [...auto.slice(0, 2), "lunch", "--auto"])).toMatchObject(quiet);
  await atlas(at, ["reject", "--feedback", "more"]);
  await atlas(at, ["resume"]);
  const { checkpoints } = await atlasJson(at, ["hook", "checkpoints"]);
  expect(checkpoints).toContainEqual(
    expect.objectContaining({ trigger: "git_commit", description: "Commit: mine" }),
  );
});

test("a commit is named in HOOK.md by the git hook itself, with no atlas running and no command run", async () => {
  const at = atlasPlace();
  await waiting(at);
  git({ ...at, repo: workTreeOf(at) }, "commit", "--allow-empty", "-qm", "by hand");
  const hookMd = join(taskDirOf(at), "HOOK.md");
  await vi.waitFor(() => expect(readFileSync(hookMd, "utf8")).toContain("Commit: by hand"), {
    timeout: 180_000,
    interval: 100,
  });
});
