import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ScriptedTurn } from "@quasar/agents";
import { afterAll, expect, test } from "vitest";
import { taskCost } from "../src/runs/task-cost.ts";
import type { Driven } from "./engine-driver.ts";
import { aTestFolder, git, settleGit } from "./git-task.ts";
import { aRealTask, TURNS } from "./real-task.ts";

const folder = aTestFolder();
settleGit(folder.dir);
afterAll(folder.remove);

const DRIVER = fileURLToPath(new URL("engine-driver.ts", import.meta.url));

/** The one that fixes says that it has begun, writes half of it, and takes its time for the rest. */
const SLOW: readonly ScriptedTurn[] = TURNS.map((turn) =>
  turn.match === "Fix this"
    ? {
        ...turn,
        says: [{ text: "reading", files: { "half.js": "1;\n" } }, "writing"],
        delayMs: 1500,
      }
    : turn,
);

// SPEC.md, statements 2, 3, 4.
test("an engine that is killed again and again comes to the same end: one commit, one push, one pull request, each turn paid for once", async () => {
  const dir = join(folder.dir, "killed");
  const commands = [{ name: "check", command: 'echo ran >> "$HOME/ran.txt"' }];
  const validation = { commands, source: "config", timeoutMs: 60_000, maxFixes: 0 } as const;
  const task = await aRealTask(dir, { turns: SLOW, config: { validation } });
  const { taskDir } = task.prepared;
  const kills = [
    "implement agent_event",
    "implement committed",
    "command_done",
    "checkpoint git_push",
  ];
  for (const kill of kills) {
    const driven: Driven = { dir, taskDir, turns: SLOW, kill };
    const { signal, stderr } = spawnSync(process.execPath, [DRIVER, JSON.stringify(driven)]);
    expect({ kill, signal, stderr: String(stderr) }).toEqual({
      kill,
      signal: "SIGKILL",
      stderr: "",
    });
  }
  expect(await task.drive()).toMatchObject({
    stopped: "awaiting",
    hook: { awaiting: { kind: "review" } },
  });

  const { baseSha } = task.prepared.task.metadata;
  expect(git(task.worktree, "log", "--format=%s", `${baseSha}..HEAD`)).toBe(
    "fix: fix null pointer in config",
  );
  expect(git(task.worktree, "show", "--name-only", "--format=", "HEAD")).toBe("half.js\nparser.js");
  expect(task.gh.state().pullRequests).toHaveLength(1);
  expect(readFileSync(join(dir, "ran.txt"), "utf8")).toBe("ran\n");
  const { checkpoints, history, receipts } = task.hook();
  for (const trigger of ["git_commit", "git_push", "validation", "pr_created"]) {
    const count = checkpoints.filter((each) => each.trigger === trigger).length;
    expect({ trigger, count }).toEqual({ trigger, count: trigger === "validation" ? 0 : 1 });
  }
  expect(receipts).toHaveLength(1);
  const crashes = history.filter(({ trigger }) => trigger === "crash_detected");
  expect(crashes.length).toBe(kills.length);
  const { spentUsd, unknownUsd, runs } = await taskCost(taskDir);
  expect({ spentUsd, unknownUsd }).toEqual({ spentUsd: 0.04, unknownUsd: 0 });
  expect(runs.flatMap(({ turns }) => turns)).toHaveLength(3);
}, 120_000);
