import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../harness.ts";
import {
  atlas,
  atlasJson,
  atlasPlace,
  meddle,
  receiptsOf,
  reviewed,
  taskDirOf,
  waiting,
  workTreeOf,
} from "./harness.ts";

test("an edited hook.json is reported wherever the task is shown, in plain words, until somebody has acknowledged it", async () => {
  const at = atlasPlace();
  await waiting(at);
  const there = { ...at, repo: workTreeOf(at) };
  const path = join(taskDirOf(at), "hook.json");
  writeFileSync(path, readFileSync(path, "utf8").replace("awaiting_human", "completed"));

  const words = /something other than atlas (has )?changed/iu;
  const shown = [["status"], ["hook", "status"], ["hook", "export", "--format", "md"]];
  const commands = [...shown, ["hook", "context"], ["approve"], ["resume"]];
  // Of the first that opens the task it is found, of the others it is still told.
  for (const args of commands) {
    const { stdout, stderr } = await atlas(there, args);
    expect((stdout + stderr).replaceAll(/\s+/gu, " "), args.join(" ")).toMatch(words);
  }
  expect((await atlas(at, ["status", "--all"])).stdout).toContain("tampered");
  expect(readFileSync(join(taskDirOf(at), "HOOK.md"), "utf8").replaceAll("\n", " ")).toMatch(
    /Something other than Atlas has changed/u,
  );
  expect(await atlasJson(there, ["status"])).toMatchObject({
    quarantined: [{ path: expect.stringContaining("hook.json.damaged-") }],
  });

  const seen = await atlasJson(there, ["hook", "acknowledge"]);
  expect(seen).toMatchObject({ code: 0, acknowledged: [{}] });
  expect(readdirSync(join(taskDirOf(at), "quarantine"))).toHaveLength(1);
  for (const args of shown) expect((await atlas(there, args)).stdout).not.toMatch(words);
  expect(await atlasJson(there, ["hook", "acknowledge"])).toMatchObject({ acknowledged: [] });
});

test("checkpoints of the machine's own triggers are accepted from nobody", async () => {
  const at = atlasPlace();
  await waiting(at);
  for (const trigger of ["validation", "step_complete", "interval", "pr_created", "git_push"]) {
    const forged = ["checkpoint", "--trigger", trigger, "Validation passed"];
    expect((await atlas(at, forged)).code, trigger).toBe(2);
    expect((await atlas(at, [...forged, "--auto"])).stdout).toBe("");
  }
  expect(await atlasJson(at, ["hook", "checkpoints"])).toMatchObject({ checkpoints: [] });
});

test("what was neither validated, committed nor pushed is approved only where each is accepted, and what becomes of the pull request is said", async () => {
  const at = atlasPlace();
  await reviewed(at);
  meddle(at);
  const there = { ...at, repo: workTreeOf(at) };
  const refused = await atlas(there, ["approve", "--yes"]);
  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain("changed since the validation: work.txt");
  expect(refused.stderr).toContain("not committed: work.txt");
  expect(refused.stderr).toMatch(/--accept-unvalidated --accept-uncommitted/u);
  const one = await atlas(there, ["approve", "--yes", "--json", "--accept-unvalidated"]);
  expect(one.code).toBe(6);
  expect(one.stdout).toContain('"kind":"uncommitted"');

  git(there, "commit", "-qam", "by hand");
  expect((await atlas(there, ["validate"])).code).toBe(0);
  const approved = await atlas(there, ["approve", "--yes"]);
  expect(approved.code, approved.stderr).toBe(0);
});

test("the receipts of a task that was cleaned up are verified as before", async () => {
  const at = atlasPlace();
  await waiting(at, "look", ["--validate", "true"]);
  await atlas(at, ["validate"]);
  const [id = ""] = receiptsOf(at);
  const dir = taskDirOf(at);
  const taskId = dir.split("/").at(-1) ?? "";
  expect((await atlas(at, ["abandon", "--yes"])).code).toBe(0);
  expect((await atlas(at, ["cleanup", "--hooks", "--retention", "0"])).code).toBe(0);
  expect(await atlasJson(at, ["hook", "verify-receipt", id])).toMatchObject({
    code: 0,
    chain: { kind: "valid", here: 1, signed: 1, tail: "proved" },
  });
  expect((await atlas(at, ["verify", taskId])).code).toBe(0);
  rmSync(join(dir, "artifacts/receipts", `${id}.out`));
  const deleted = await atlas(at, ["hook", "verify-receipt", id, "--task", taskId]);
  expect(deleted.code).toBe(11);
  expect(deleted.stdout).toContain("Its output has been deleted");
  rmSync(join(dir, "artifacts/receipts", `${id}.dsse.json`));
  expect((await atlas(at, ["verify", taskId])).code).toBe(10);
});
