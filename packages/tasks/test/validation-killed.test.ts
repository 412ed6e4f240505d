import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents/turns";
import { detectAndRecover, recoveryInput } from "@quasar/hookfile/recovery";
import { afterEach, beforeEach, expect, test } from "vitest";
import { missingReceipts } from "../src/validation/adopt.ts";
import { endValidation, isValidating, validationRunId } from "../src/validation/hold.ts";
import { commandOutcomes, interruptedValidation } from "../src/validation/outcomes.ts";
import { validateNow } from "../src/validation/validate-now.ts";
import { aScene, linesOf, type Scene } from "./a-validation.ts";

let scene: Scene;
let child: ChildProcess | undefined;
let taskId = "";
beforeEach(() => {
  scene = aScene();
  taskId = scene.task().id;
});
afterEach(async () => {
  child?.kill("SIGKILL");
  await endValidation(taskId);
  scene.remove();
});

/** Starts a process that runs the step, and kills it with force once the file is there. */
async function killOnce(file: string, ...args: readonly string[]): Promise<void> {
  const program = join(import.meta.dirname, "children", "validate.ts");
  const started = spawn(process.execPath, [program, scene.root, ...args], { stdio: "inherit" });
  child = started;
  const ended = new Promise((resolve) => started.once("exit", resolve));
  while (!existsSync(file)) {
    if (started.exitCode !== null) throw new Error(`it ended with ${started.exitCode}`);
    await sleep(20);
  }
  started.kill("SIGKILL");
  await ended;
}

const outcomes = (): readonly string[] => {
  const { taskDir, keys } = scene;
  return commandOutcomes({ taskDir, task: scene.task(), keys }).map(({ outcome }) => outcome);
};

const left = async (): Promise<number> =>
  findRunProcesses(validationRunId(taskId))?.length ?? Number.NaN;

function isMarked(pid = "none"): boolean {
  return findRunProcesses(validationRunId(taskId))?.includes(Number(pid)) === true;
}

// SPEC.md, statements 8.
test("killed in the middle of a command, it is known that it never completed, and it runs again", async () => {
  const flag = join(scene.root, "flag");
  const begun = join(scene.root, "begun");
  // It leaves a child in a session of its own, and another that has shed its parent.
  const inSession = `setsid sh -c 'echo $$ > "${scene.root}/left"; exec sleep 300'`;
  const slow = `echo half; ${inSession} & (sleep 300 &); sleep 0.1; touch '${begun}'; sleep 300`;
  const command = `echo $$ >> '${scene.root}/ran'; test -e '${flag}' || { ${slow}; }`;
  scene.commands = [{ name: "slow", command }];

  await killOnce(begun, command);

  expect(outcomes()).toEqual(["never_completed"]);
  expect(isValidating(scene.taskDir)).toBe(false);
  expect(scene.receipts()).toEqual([]);
  expect(await left()).toBeGreaterThanOrEqual(3);

  const { taskDir, keys } = scene;
  const { redact } = scene.input().ports;
  const facts = interruptedValidation({ taskDir, task: scene.task(), keys, redact });
  expect(facts).toEqual({ validationCmd: command, partialOutput: "half\n" });
  const later = (): Date => new Date(Date.now() + 3_600_000); // nobody owns it: its age decides
  const found = await detectAndRecover(taskDir, { now: later, inspect: async () => facts });
  if (found.kind !== "crashed" || found.hook.recovery === undefined) throw new Error(found.kind);
  expect(found.hook.recovery).toMatchObject({
    wasValidating: true,
    recommendedAction: "retry_validation",
    validationCmd: command,
    partialOutput: "half\n",
  });
  expect(missingReceipts(scene.store, taskDir, keys)).toEqual([]);
  expect(await scene.look()).toBeUndefined();

  writeFileSync(flag, "");
  scene.happen(recoveryInput(found.hook.recovery));
  const [pid] = linesOf(join(scene.root, "left"));
  expect(isMarked(pid)).toBe(true);
  const alive: boolean[] = [];
  const outcome = await scene.run({
    tell: ({ type }) => {
      if (type === "command_started") alive.push(isMarked(pid));
    },
  });

  expect(alive).toEqual([false]); // gone before anything runs that it could disturb
  expect(outcome).toMatchObject({ kind: "completed", receipts: [{ exitCode: 0 }] });
  expect(await left()).toBe(0);
  expect(outcomes()).toEqual(["never_completed", "passed"]);
  expect(linesOf(join(scene.root, "ran"))).toHaveLength(2);
});

// SPEC.md, statements 8.
test.for([
  ["passed", "exit 0"],
  ["failed", "exit 1"],
] as const)(
  "where it was signed before the crash it is known that it %s",
  async ([outcome, end]) => {
    scene.commands = [{ name: "quick", command: end }];
    await scene.run(); // and whoever ran it dies before anything is recorded
    expect(outcomes()).toEqual([outcome]);
    expect(missingReceipts(scene.store, scene.taskDir, scene.keys)).toHaveLength(1);
    expect((await scene.look()) !== undefined).toBe(outcome === "passed");
  },
);

test("while it runs it is known to be running, and nobody else runs it", async () => {
  const begun = join(scene.root, "begun");
  scene.commands = [{ name: "slow", command: `touch '${begun}'; sleep 300` }];
  const controller = new AbortController();
  const running = scene.run({ signal: controller.signal });
  while (!existsSync(begun)) await sleep(20);

  expect(outcomes()).toEqual(["running"]);
  await expect(validateNow({ ...scene.input(), stepName: "validate" })).rejects.toMatchObject({
    name: "TasksError",
    code: "ERR_LOCKED",
  });

  controller.abort();
  expect(await running).toMatchObject({ kind: "stopped" });
  expect(await left()).toBe(0);
});

test("killed while an agent fixes, that continues first, with the same words, and is not asked twice", async () => {
  const fixing = join(scene.root, "fixing");
  const command = `echo ran >> '${scene.root}/ran'; grep -q fixed code.txt`;
  await killOnce(fixing, command, "fix");

  scene.commands = [{ name: "slow", command }];
  scene.maxFixes = 1;
  const order: string[] = [];
  scene.workOnStep = async () => {
    order.push(`agent after ${linesOf(join(scene.root, "ran")).length}`);
    writeFileSync(join(scene.worktree, "code.txt"), "fixed\n");
    return { kind: "done", text: "" };
  };
  const outcome = await scene.again();

  expect(order).toEqual(["agent after 1"]);
  expect(scene.asked).toMatchObject([{ kind: "turn", access: "write", suffix: "fix-1" }]);
  expect(outcome).toMatchObject({ kind: "completed" });
});
