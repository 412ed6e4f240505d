import { join } from "node:path";
import { expect, test } from "vitest";
import { type Place, records } from "../harness.ts";
import {
  atlas,
  atlasJson,
  atlasPlace,
  receiptsOf,
  scripted,
  waiting,
  workTreeOf,
} from "./harness.ts";

// What each command prints is held against its schema by the harness, here as in every other test.

/** The exit code, and the types of the lines, each once, in the order in which it came first. */
async function printed(at: Place, line: string, cwd?: string): Promise<readonly unknown[]> {
  const { code, stdout } = await atlas(at, [...line.split(" "), "--json"], { cwd });
  return [code, ...new Set(records(stdout).map(({ type }) => type))];
}

test("keys, templates, settings and workspaces are printed where there is no task", async () => {
  const at = atlasPlace();
  for (const [line, type, code = 0] of [
    ["init --yes", "init"],
    ["templates", "templates"],
    ["templates bugfix", "templates"],
    ["status --all", "list"],
    ["workspace list", "workspaces"],
    ["keys status", "keys"],
    ["keys init", "key"],
    ["keys rotate", "key"],
    ["keys export", "public_keys"],
    [`keys backup ${join(at.outside, "copy")}`, "key_backup"],
    ["keys status", "keys"],
    ["cleanup --hooks --dry-run", "prune"],
    ["cleanup", "error", 2],
    ["hook status", "error", 2],
    ["verify", "verify", 11],
  ] as const) {
    expect(await printed(at, line), line).toEqual([code, type]);
  }
});

test("a task is printed from its start to its approval, and so is all that is asked of it", async () => {
  const at = atlasPlace();
  const task = ["start", "fix null pointer in config", "--template", "bugfix"];
  const args = [...task, "--validate", "test -f work.txt", ...scripted(at), "--json"];
  const started = await atlas(at, args);
  expect(started.code, started.stderr).toBe(9);
  const types = new Set(records(started.stdout).map(({ type }) => type));
  for (const type of ["task", "step_started", "loop", "command_done", "checkpoint", "result"]) {
    expect(types).toContain(type);
  }
  const cwd = workTreeOf(at);
  const [receipt = ""] = receiptsOf(at);
  expect((await printed(at, "validate", cwd)).at(-1)).toBe("validated");
  for (const [line, ...expected] of [
    ["status", 0, "status"],
    ["status --all", 0, "list"],
    ["hook status", 0, "hook_status"],
    ["hook context", 0, "hook_context"],
    ["hook checkpoints", 0, "checkpoints"],
    [`hook verify-receipt ${receipt}`, 0, "receipt"],
    ["hook regenerate", 0, "hook_regenerate"],
    ["hook acknowledge", 0, "hook_acknowledge"],
    ["hook install", 0, "git_hook"],
    ["hook uninstall", 0, "git_hook"],
    ["checkpoint seen", 0, "checkpoint"],
    ["recover", 0, "recover"],
    ["workspace list", 0, "workspaces"],
    ["verify", 0, "verify"],
    ["approve", 5, "review", "error"],
    ["approve --yes", 0, "approve"],
  ] as const) {
    expect(await printed(at, line, cwd), line).toEqual(expected);
  }
});

test("decisions are printed, and the end of a task and of its workspace", async () => {
  const at = atlasPlace();
  await waiting(at, "write");
  const cwd = workTreeOf(at);
  expect(await printed(at, "reject --feedback no", cwd)).toEqual([0, "reject"]);
  expect(await printed(at, "abandon --yes", cwd)).toEqual([0, "abandon"]);
  const { tasks } = await atlasJson(at, ["status", "--all"]);
  const [{ workspaceId } = { workspaceId: "" }] = tasks as { workspaceId: string }[];
  expect(await printed(at, `workspace close ${workspaceId} --force`)).toEqual([
    0,
    "workspace_close",
  ]);
  expect(await printed(at, `workspace destroy ${workspaceId} --force`)).toEqual([
    0,
    "workspace_destroy",
  ]);
});
