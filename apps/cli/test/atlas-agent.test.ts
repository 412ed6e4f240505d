import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHookFileStore, type HookInput, type HookState, transition } from "@quasar/hookfile";
import { DEFAULT_AUTO_CHECKPOINTS } from "@quasar/hookfile/checkpoints";
import { createKeyManager } from "@quasar/receipts";
import { prepareTask } from "@quasar/tasks";
import { parseTemplate } from "@quasar/tasks/templates";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
// @boundaries-ignore a task between its set-up and its first step, which no command leaves behind
import { setUpTask } from "../../../packages/tasks/src/workspaces/set-up-task.ts";
import { git, write } from "./harness.ts";
import { ATLAS, atlas, type AtlasPlace, atlasPlace, scripted } from "./atlas/harness.ts";
import { APPROVAL } from "./scripts.ts";

const AGENT = fileURLToPath(new URL("./atlas/agent-by-hook.ts", import.meta.url));

const TEMPLATE = parseTemplate(`id = "small"
description = "Of a test"
branch_prefix = "test"
[[steps]]
name = "implement"
type = "loop"
description = "Write it"
prompt = "Write right into work.txt"
[[steps]]
name = "validate"
type = "validation"
description = "Check it"
[[steps]]
name = "review"
type = "human"
description = "Look at it"
prompt = "Is it right?"
`);

/** A task that was created, and to which this has happened since; no engine is alive. */
async function aTask(
  at: AtlasPlace,
  { isSetUp = true, inputs = [] }: Standing,
): Promise<PreparedTask> {
  const [, coder = ""] = scripted(at, [
    { role: "coder", text: "Written.", files: { "work.txt": "right\n" } },
    { role: "reviewer", text: APPROVAL },
  ]);
  const keys = createKeyManager({ dir: join(at.home, "keys") });
  keys.open();
  const command = "test -f work.txt";
  const prepared = await prepareTask({
    home: at.home,
    cwd: at.repo,
    description: "Write it",
    template: TEMPLATE,
    variables: {},
    config: {
      agent: coder,
      model: "",
      reviewer: coder,
      reviewerModel: "",
      maxBudgetUsd: 1,
      maxCycles: 2,
      validation: {
        commands: [{ name: "check", command }],
        source: "config",
        timeoutMs: 60_000,
        maxFixes: 0,
      },
      checkpoints: { ...DEFAULT_AUTO_CHECKPOINTS, interval: 0 },
      notify: "",
      gitHooks: "off",
      settings: { coder, reviewer: coder },
    },
    keys,
    now: () => new Date(),
    onWarning: () => {},
  });
  if (isSetUp) {
    await setUpTask(prepared);
    happen(prepared, { type: "setup_complete" }, ...inputs);
  }
  return prepared;
}

function happen({ taskDir }: PreparedTask, ...inputs: readonly HookInput[]): void {
  createHookFileStore({ dir: taskDir }).update((hook) =>
    transition(hook, inputs, { now: new Date() }),
  );
}

interface Standing {
  readonly isSetUp?: boolean;
  readonly inputs?: readonly HookInput[];
}

type PreparedTask = Awaited<ReturnType<typeof prepareTask>>;

const STARTED: HookInput = { type: "start_step", prompt: "Write right into work.txt" };
const REVIEW: HookInput = { type: "human_required", kind: "review", reason: "Is it right?" };

/** Each of the nine states. */
const STATES: Readonly<Record<HookState, Standing>> = {
  initializing: { isSetUp: false },
  step_pending: {},
  step_running: { inputs: [STARTED] },
  step_validating: {
    inputs: [STARTED, { type: "step_complete" }, { type: "start_step" }, { type: "step_output" }],
  },
  recovering: {
    inputs: [
      STARTED,
      {
        type: "crash_detected",
        recovery: {
          detectedAt: new Date().toISOString(),
          crashType: "signal",
          lastKnownState: "step_running",
          wasValidating: false,
          recommendedAction: "retry_step",
          reason: "implement may be repeated",
        },
      },
    ],
  },
  awaiting_human: { inputs: [STARTED, REVIEW] },
  completed: {
    inputs: [
      ...[STARTED, { type: "step_complete" } as const],
      ...[{ type: "skip_step", reason: "none" } as const, { type: "start_step" } as const, REVIEW],
      { type: "human_approve" },
    ],
  },
  failed: { inputs: [STARTED, { type: "fail", reason: "refused" }] },
  abandoned: { inputs: [STARTED, { type: "abandon" }] },
};

interface Did {
  /** The heading of the last action that it read. */
  readonly last: string;
  readonly ran: readonly string[];
}

/** Lets the agent work until it stops by itself. */
async function agent(at: AtlasPlace, cwd: string): Promise<Did> {
  const bin = join(at.outside, "bin");
  if (!existsSync(bin)) {
    mkdirSync(bin);
    symlinkSync(ATLAS, join(bin, "atlas"));
  }
  const env = { ...at.env, PATH: `${bin}:${at.env["PATH"]}` };
  const child = spawn(process.execPath, [AGENT], { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  await new Promise((resolve) => child.once("close", resolve));
  return JSON.parse(stdout) as Did;
}

const stateOf = ({ taskDir }: PreparedTask): HookState | undefined =>
  createHookFileStore({ dir: taskDir }).read()?.state;

const WORKING = [
  "initializing",
  "step_pending",
  "step_running",
  "step_validating",
  "recovering",
] as const;

// SPEC.md, statements 1, 7, 63, 160.
test.for(sample(WORKING, 1, 2))(
  "told only to read atlas hook context, an agent finishes a task that is %s, once a person has approved its gate",
  async (state) => {
    const at = atlasPlace();
    const task = await aTask(at, STATES[state]);
    expect(stateOf(task)).toBe(state);
    const worktree = task.task.metadata.worktreeDir;
    if (state === "step_validating") write(worktree, { "work.txt": "right\n" });

    const first = await agent(at, state === "initializing" ? at.repo : worktree);
    expect(first).toMatchObject({ last: expect.stringContaining("WAIT") });
    expect(stateOf(task)).toBe("awaiting_human");
    expect(readFileSync(join(worktree, "work.txt"), "utf8")).toBe("right\n");
    const done = first.ran.filter((command) => command.startsWith("atlas step done"));
    expect(done).toHaveLength(state === "step_running" ? 1 : 0);

    const there = { ...at, repo: worktree };
    const waiting = (await atlas(there, ["hook", "context"])).stdout;
    expect(waiting).toMatch(
      /^Command: test -f work\.txt\nExit Code: 0\nDuration: .+\nOutput Hash: sha256:[0-9a-f]{64}$/mu,
    );
    const approved = await atlas(there, ["approve", "--yes"]);
    expect(approved.code, approved.stderr).toBe(0);
    expect(stateOf(task)).toBe("completed");
    const second = await agent(at, worktree);
    expect(second.ran).toEqual(["atlas hook context"]);
  },
);

/** The bytes of all files below a folder, but for locks: taking one is no change. */
function bytes(dir: string): string {
  const paths = readdirSync(dir, { recursive: true, encoding: "utf8" }).toSorted();
  const hash = createHash("sha256");
  for (const path of paths) {
    const full = join(dir, path);
    if (!lstatSync(full).isFile() || path.endsWith(".lock")) continue;
    hash.update(`${path}\0`).update(readFileSync(full));
  }
  return hash.digest("hex");
}

const RESTING = ["awaiting_human", "completed", "failed", "abandoned"] as const;

test.for(sample(RESTING, 1, 2))(
  "told only to read atlas hook context, an agent changes nothing of a task that is %s",
  async (state) => {
    const at = atlasPlace();
    const task = await aTask(at, STATES[state]);
    const worktree = task.task.metadata.worktreeDir;
    write(worktree, { "half.txt": "half\n" });
    const look = () => ({
      state: stateOf(task),
      task: bytes(task.taskDir),
      head: git({ ...at, repo: worktree }, "rev-parse", "HEAD"),
      status: git({ ...at, repo: worktree }, "status", "--porcelain", "--ignored"),
    });
    await atlas({ ...at, repo: worktree }, ["status"]); // brings task.json in line with what happened above
    const before = look();
    expect(before.state).toBe(state);
    const { ran, last } = await agent(at, worktree);
    expect(ran).toEqual(["atlas hook context"]);
    expect(last).toContain(state === "awaiting_human" ? "WAIT" : "");
    expect(look()).toEqual(before);
  },
);
