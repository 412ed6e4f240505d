import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { currentGitSha } from "@quasar/git";
import { treeToCommit } from "@quasar/git/work-trees";
import { createHookFileStore, type HookFile } from "@quasar/hookfile";
import { createKeyManager, inspectReceipt, receiptPaths, verifyChain } from "@quasar/receipts";
import { afterAll, afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { verifyReceipts } from "../src/operations/verify.ts";
import type { StepOutcome } from "../src/steps/step.ts";
import type { ValidationCommand } from "../src/task-record.ts";
import { missingReceipts } from "../src/validation/adopt.ts";
import { receiptsFolder } from "../src/validation/folder.ts";
import { commandOutcomes, interruptedValidation } from "../src/validation/outcomes.ts";
import { judgeReceipts } from "../src/validation/receipt-chain.ts";
import { receiptsView } from "../src/validation/receipts-view.ts";
import { validateNow } from "../src/validation/validate-now.ts";
import { TASK, aCopyOf, aScene, git, put, type Scene, telling } from "./a-validation.ts";

let scene: Scene;
beforeEach(() => {
  scene = aScene();
});
afterEach(() => scene.remove());

function completed(outcome: StepOutcome): Extract<StepOutcome, { kind: "completed" }> {
  if (outcome.kind === "completed") return outcome;
  throw new Error(`it is ${JSON.stringify(outcome)}`);
}

function failed(outcome: StepOutcome): Extract<StepOutcome, { kind: "failed" }> {
  if (outcome.kind === "failed") return outcome;
  throw new Error(`it is ${JSON.stringify(outcome)}`);
}

const verdicts = (): readonly string[] =>
  [...receiptsView(receiptsFolder(scene.taskDir), scene.input().hook, scene.keys).values()].map(
    ({ kind }) => kind,
  );

// SPEC.md, statements 136.
test("a receipt says what was run, when, on which tree, how it ended and what it printed", async () => {
  const command = "echo fine; echo odd >&2";
  scene.commands = [{ name: "all", command }];
  const before = Date.now();
  const { receipts = [] } = completed(await scene.run());

  const [receipt] = receipts;
  if (receipt === undefined) throw new Error("there is no receipt");
  const dir = receiptsFolder(scene.taskDir);
  const { verdict, statement } = inspectReceipt(receipt, { dir, task: TASK, keys: scene.keys });
  const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
  const tree = await treeToCommit(scene.worktree);
  const commit = await currentGitSha(scene.worktree);
  expect(verdict).toEqual({ kind: "valid", coverage: "full", output: "matches" });
  expect(statement).toMatchObject({
    ...TASK,
    ...{ stepName: "validate", attempt: 1, command, argv: ["sh", "-c", command], exitCode: 0 },
    ...{ stdoutSha256: sha("fine\n"), stderrSha256: sha("odd\n") },
    ...{ treeBefore: tree, treeAfter: tree, commitBefore: commit, commitAfter: commit },
  });
  expect(Date.parse(receipt.startedAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(receipt.completedAt)).toBeGreaterThanOrEqual(Date.parse(receipt.startedAt));
  expect(receipt.duration).toMatch(/^[\d.]+m?s$/);
});

test("the signed times are as far apart as the signed duration", async () => {
  scene.commands = [telling(scene, "test", "sleep 0.2")];
  await scene.run();
  const [receipt] = scene.receipts();
  if (receipt === undefined) throw new Error("there is no receipt");
  const dir = receiptsFolder(scene.taskDir);
  const { statement } = inspectReceipt(receipt, { dir, task: TASK, keys: scene.keys });
  const { startedAt = "", completedAt = "", durationMs } = statement ?? {};
  expect(Date.parse(completedAt) - Date.parse(startedAt)).toBe(durationMs);
});

// SPEC.md, statements 139.
test("runs the commands in order and passes with a receipt and an id of its own for each", async () => {
  scene.commands = [telling(scene, "lint"), telling(scene, "test")];
  const outcome = completed(await scene.run());
  expect(scene.ran()).toEqual(["lint", "test"]);
  expect(new Set(outcome.receipts?.map(({ receiptId }) => receiptId)).size).toBe(2);
  expect(outcome.checkpoint).toEqual({
    trigger: "validation",
    description: "Validation passed: lint, test",
  });
  expect(scene.events.map(({ type }) => type).filter((type) => type !== "warning")).toEqual([
    ...["command_started", "command_done", "command_started", "command_done"],
  ]);
  const hook = scene.end(outcome);
  expect(hook.state).toBe("step_pending");
  expect(verdicts()).toEqual(["valid", "valid"]);
});

// SPEC.md, statements 140.
test("a command that fails has a receipt too, and none is run after it", async () => {
  scene.commands = [telling(scene, "lint", "exit 3"), telling(scene, "test")];
  const outcome = failed(await scene.run());
  expect(scene.ran()).toEqual(["lint"]);
  expect(outcome).toMatchObject({
    awaiting: "validation",
    retryable: false,
    reason: "lint failed: exit code 3",
    receipts: [{ exitCode: 3 }],
  });
});

test("a command's failure has the last lines that it printed, and what to do where it is not there", async () => {
  scene.commands = [telling(scene, "test", "seq 40; quasar-no-such-tool")];
  const [head, ...lines] = failed(await scene.run()).reason.split("\n");
  expect(head).toBe("test failed: exit code 127");
  expect(lines).toHaveLength(11);
  expect(lines).toContain("40");
  expect(lines.at(-2)).toMatch(/quasar-no-such-tool.*not found/u);
  expect(lines.at(-1)).toContain("The command is not in the work tree");
});

// SPEC.md, statements 77.
test("a validation that fails has its receipts on record and awaits a person", async () => {
  scene.commands = [telling(scene, "lint"), telling(scene, "test", "exit 1")];
  const hook = scene.end(await scene.run());
  expect(hook).toMatchObject({
    state: "awaiting_human",
    awaiting: { kind: "validation", reason: "test failed: exit code 1" },
    receipts: [{ exitCode: 0 }, { exitCode: 1 }],
  });
  expect(verdicts()).toEqual(["valid", "valid"]);
});

// SPEC.md, statements 26.
test("hook.json holds attempts, durations and receipts, and HOOK.md is made of it with what verification finds", async () => {
  scene.commands = [telling(scene, "lint"), telling(scene, "test", "grep -q fixed code.txt")];
  scene.maxFixes = 1;
  scene.workOnStep = async () => {
    put(scene.worktree, "code.txt", "fixed\n");
    return { kind: "done", text: "" };
  };
  const { steps, history, receipts } = scene.end(await scene.run());
  expect(steps[0]).toMatchObject({ status: "completed", attempts: 2 });
  expect(steps[0]?.durationMs).toBeGreaterThan(0);
  expect(steps[0]?.receiptIds).toEqual(receipts.map(({ receiptId }) => receiptId));
  expect(history.map(({ trigger }) => trigger)).toContain("attempt_failed");

  const verdicts = (hook: HookFile) =>
    receiptsView(receiptsFolder(scene.taskDir), hook, scene.keys);
  const store = createHookFileStore({ dir: scene.taskDir, verdicts });
  const hookMd = (): string => readFileSync(join(scene.taskDir, "HOOK.md"), "utf8");
  store.open();
  const made = hookMd();
  expect(made.match(/VALID ✓/g)).toHaveLength(4);
  rmSync(join(scene.taskDir, "HOOK.md"));
  store.open();
  expect(hookMd()).toBe(made);
});

test("a command that takes too long has failed, whatever it says when it is ended", async () => {
  scene.commands = [{ name: "slow", command: "trap 'exit 0' TERM; while :; do sleep 0.05; done" }];
  scene.timeoutMs = 200;
  const outcome = failed(await scene.run());
  expect(outcome.reason).toMatch(/^slow failed: exit code 124, ended after [\d.]+m?s for its time/);
  expect(outcome.receipts).toMatchObject([{ exitCode: 124 }]);
});

test("the step's own time limit holds for all its commands together", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const begun = join(scene.root, "begun");
  scene.commands = [telling(scene, "a"), telling(scene, "b", `touch '${begun}'; exec sleep 600`)];
  const { definition } = scene.input();
  const running = scene.run({ definition: { ...definition, timeoutMs: 50_000 } });
  await expect.poll(() => existsSync(begun)).toBe(true);
  vi.advanceTimersByTime(50_000);
  const outcome = await running;
  expect(outcome).toMatchObject({ kind: "failed", receipts: [{ exitCode: 0 }, { exitCode: 124 }] });
});

test("where no command is configured a person is asked, and nothing has passed", async () => {
  scene.commands = [];
  expect(await scene.look()).toBeUndefined();
  expect(await scene.run()).toMatchObject({
    kind: "awaiting",
    awaiting: "validation",
    reason: expect.stringMatching(/^no validation command is configured/),
  });
});

// SPEC.md, statements 137.
test("where the keys cannot be used nothing is run, and the reason begins so", async () => {
  scene.keys.open();
  for (const name of readdirSync(scene.keysDir)) {
    if (name.startsWith("master.key")) rmSync(join(scene.keysDir, name));
  }
  expect(await scene.run()).toMatchObject({
    kind: "awaiting",
    awaiting: "validation",
    reason: expect.stringMatching(/^loading key manager: /),
  });
  expect(scene.ran()).toEqual([]);
});

// SPEC.md, statements 138.
test("where a receipt cannot be signed nothing has passed, and the reason begins so", async () => {
  await scene.run();
  for (const name of readdirSync(join(scene.keysDir, "heads"))) {
    writeFileSync(join(scene.keysDir, "heads", name), "{}");
  }
  expect(await scene.again()).toMatchObject({
    kind: "awaiting",
    reason: expect.stringMatching(/^signing receipt: /),
  });
});

test("is skipped where valid receipts prove every command for the very tree", async () => {
  beginWith(await validated());
  const receipts = scene.receipts();
  const tree = await treeToCommit(scene.worktree);
  expect(await scene.look()).toEqual({
    reason: "validated already",
    evidence: `${receipts.map(({ receiptId }) => receiptId).join(", ")} on tree ${tree}`,
  });
});

test("stays proved by what changes no file: a commit, what is ignored, what is staged", async () => {
  put(scene.worktree, "new.txt", "new\n");
  await scene.run();
  put(scene.worktree, "ignored", "x");
  git(scene.worktree, "add", "-A");
  expect(await scene.look()).toBeDefined();
  git(scene.worktree, "commit", "-qm", "second");
  expect(await scene.look()).toBeDefined();
});

/** Of the first receipt. */
const file = (ending: string): string =>
  join(receiptsFolder(scene.taskDir), `${scene.receipts()[0]?.receiptId}${ending}`);
const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(path, change(readFileSync(path, "utf8")));
const payload = (change: (text: string) => string) => (text: string) => {
  const envelope = JSON.parse(text) as { payload: string };
  const said = change(Buffer.from(envelope.payload, "base64").toString());
  return `${JSON.stringify({ ...envelope, payload: Buffer.from(said).toString("base64") })}\n`;
};

test.for<readonly [string, () => void]>([
  ["a changed byte", () => put(scene.worktree, "code.txt", "gooD\n")],
  ["an untracked file", () => put(scene.worktree, "new.txt", "")],
  [
    "another command",
    () => {
      const [lint, last] = scene.commands as [ValidationCommand, ValidationCommand];
      scene.commands = [lint, { ...last, command: `${last.command} # other` }];
    },
  ],
  [
    "one command more",
    () => {
      scene.commands = [...scene.commands, telling(scene, "third")];
    },
  ],
  [
    "another time limit",
    () => {
      scene.timeoutMs += 1;
    },
  ],
  ["an edited output", () => edit(file(".out"), (text) => `${text} `)],
  ["a removed receipt", () => rmSync(file(".dsse.json"))],
  [
    "an edited receipt",
    () =>
      edit(
        file(".dsse.json"),
        payload((t) => t.replace("ws", "wx")),
      ),
  ],
  [
    "a forged signature",
    () =>
      edit(file(".dsse.json"), (t) =>
        t.replace(/"sig":"(.)/, (_, c) => `"sig":"${c === "A" ? "B" : "A"}`),
      ),
  ],
  [
    "keys that are gone",
    () => {
      rmSync(scene.keysDir, { recursive: true });
      scene.keys = createKeyManager({ dir: scene.keysDir });
    },
  ],
  [
    "keys of another installation",
    () => {
      rmSync(scene.keysDir, { recursive: true });
      scene.keys = createKeyManager({ dir: scene.keysDir });
      scene.keys.open();
    },
  ],
])("after %s it is not skipped, and runs again", async ([, change]) => {
  beginWith(await validated());
  change();

  expect(await scene.look()).toBeUndefined();
  expect(await firstEvent()).toBe("command_done");
});

let done: Promise<Scene> | undefined;

/** A scene whose validation has passed; many tests begin with a copy of it. */
function validated(): Promise<Scene> {
  done ??= (async () => {
    const first = aScene();
    first.commands = [telling(first, "lint"), telling(first, "test")];
    first.end(await first.run());
    expect(await first.look()).toBeDefined();
    return first;
  })();
  return done;
}
afterAll(async () => (await done)?.remove());

function beginWith(first: Scene): void {
  scene.remove();
  scene = aCopyOf(first);
}

/** What becomes of the first command when the step is run after all. */
async function firstEvent(): Promise<string> {
  const controller = new AbortController();
  const told: string[] = [];
  await scene.again({
    signal: controller.signal,
    tell: ({ type }) => {
      if (type !== "command_done" && type !== "command_reused") return;
      told.push(type);
      controller.abort();
    },
  });
  return told.join();
}

test("after nothing it is skipped, and if it were run would run the first command no more", async () => {
  beginWith(await validated());
  expect(await scene.look()).toBeDefined();
  expect(await firstEvent()).toBe("command_reused");
});

test("a failure after the pass on the same tree counts, and its removal is no proof", async () => {
  const flag = join(scene.root, "flag");
  scene.commands = [{ name: "flaky", command: `test ! -e '${flag}'` }];
  scene.end(await scene.run());
  expect(await scene.look()).toBeDefined();
  writeFileSync(flag, "");
  const now = await validateNow({ ...scene.input(), stepName: "validate" });
  expect(now).toMatchObject({ kind: "failed", receipts: [{ exitCode: 1 }] });

  expect(await scene.look()).toBeUndefined();
  for (const { receiptId } of now.receipts) {
    rmSync(receiptPaths(receiptsFolder(scene.taskDir), receiptId).envelope);
  }
  expect(await scene.look()).toBeUndefined();
});

test("what was proved for a tree is proved when that tree is back, whatever another one has failed", async () => {
  scene.commands = [{ name: "test", command: "grep -q good code.txt" }];
  scene.end(await scene.run());
  put(scene.worktree, "code.txt", "bad\n");
  expect(await validateNow({ ...scene.input(), stepName: "validate" })).toMatchObject({
    kind: "failed",
  });
  put(scene.worktree, "code.txt", "good\n");
  expect(await scene.look()).toBeDefined();
});

test("what a crash left as passed is not run again, what comes after it is", async () => {
  const flag = join(scene.root, "flag");
  scene.commands = [
    telling(scene, "lint"),
    { name: "test", command: `echo test >> '${scene.root}/ran'; test -e '${flag}'` },
  ];
  failed(await scene.run()); // and nothing of it comes to the hook file
  writeFileSync(flag, "");

  const outcome = completed(await scene.again());

  expect(scene.ran()).toEqual(["lint", "test", "test"]);
  expect(scene.events).toContainEqual(
    expect.objectContaining({ type: "command_reused", receiptId: scene.receipts()[0]?.receiptId }),
  );
  expect(outcome.receipts).toHaveLength(1);
});

test("of what is all proved already the last command is run, so that the pass has a receipt of its own", async () => {
  await scene.run();
  const outcome = completed(await scene.again());
  expect(scene.ran()).toEqual(["test", "test"]);
  expect(outcome.receipts).toHaveLength(1);
});

test("receipts that a crash has kept from the hook file are found, once and in order", async () => {
  scene.commands = [telling(scene, "lint"), telling(scene, "test")];
  await scene.run();
  const missing = missingReceipts(scene.store, scene.taskDir, scene.keys);
  expect(missing).toEqual(scene.receipts());
  scene.happen({ type: "validate_pass", receipts: missing });
  expect(missingReceipts(scene.store, scene.taskDir, scene.keys)).toEqual([]);
  const options = { dir: receiptsFolder(scene.taskDir), task: TASK, keys: scene.keys };
  const head = scene.keys.head(TASK);
  const chain = verifyChain([...scene.store.receipts()], {
    ...options,
    anchors: head === undefined ? [] : [head],
  });
  expect(chain).toMatchObject({ kind: "valid", tail: "proved" });
});

test("a forged receipt is not taken in", async () => {
  await scene.run();
  edit(
    file(".dsse.json"),
    payload((text) => text.replace('"attempt":1', '"attempt":2')),
  );
  expect(scene.receipts()).toHaveLength(1);
  expect(missingReceipts(scene.store, scene.taskDir, scene.keys)).toEqual([]);
});

test("the view of receipts never throws: what cannot be judged is unverifiable", async () => {
  beginWith(await validated());
  rmSync(scene.keysDir, { recursive: true });
  expect(verdicts()).toEqual(["unverifiable", "unverifiable"]);
  const failing = {
    accounts: () => {
      throw new Error("no disk");
    },
  };
  const view = receiptsView(receiptsFolder(scene.taskDir), scene.input().hook, failing);
  expect([...view.values()]).toMatchObject([
    { kind: "unverifiable", reason: "no disk" },
    { kind: "unverifiable", reason: "no disk" },
  ]);
});

test("an interrupted validation has neither passed nor failed, and says so", async () => {
  const controller = new AbortController();
  scene.commands = [telling(scene, "lint"), telling(scene, "test", "echo s3cret half; sleep 60")];
  const outcome = await scene.run({
    signal: controller.signal,
    note: ({ lastOutput = "" }) => {
      if (lastOutput.includes("half")) controller.abort();
    },
  });
  expect(outcome).toMatchObject({ kind: "stopped", why: "interrupted" });
  const { taskDir, keys } = scene;
  const task = scene.task();
  const outcomes = commandOutcomes({ taskDir, task, keys }).map((each) => each.outcome);
  expect(outcomes).toEqual(["passed", "never_completed"]);
  const { redact } = scene.input().ports;
  expect(interruptedValidation({ taskDir, task, keys, redact })).toEqual({
    validationCmd: scene.commands[1]?.command,
    partialOutput: "[redacted] half\n",
  });
});

test.for([
  ["another command", (text: string) => text.replace('"command":"', '"command":"echo ')],
  ["another attempt", (text: string) => text.replace('"attempt":1', '"attempt":2')],
  ["a later time", (text: string) => text.replace(/(?<="started_at":")\d+/u, "2999")],
  ["what is no JSON", () => "{"],
  ["more than it was", (text: string) => `${text}\n`],
] as const)("a started.json that has %s breaks the chain of receipts", async ([, change]) => {
  scene.commands = [telling(scene, "test")];
  await scene.run();
  const { taskDir, keys } = scene;
  const dir = receiptsFolder(taskDir);
  const recorded = scene.receipts();
  const { chain } = judgeReceipts({ dir, task: TASK, recorded, keys });
  expect(chain).toMatchObject({ kind: "valid", problems: [] });
  const path = file(".started.json");
  writeFileSync(path, change(readFileSync(path, "utf8")));
  const judged = judgeReceipts({ dir, task: TASK, recorded, keys });
  expect(judged.chain.kind).toBe("invalid");
  expect(judged.chain.problems).toEqual([expect.stringContaining("is not what was started")]);
  const verified = verifyReceipts({ dir, task: TASK, recorded, keys });
  expect(verified.kind).toBe("invalid");
  const outcomes = commandOutcomes({ taskDir, task: scene.task(), keys });
  expect(outcomes.map(({ outcome }) => outcome)).not.toContain("passed");
});

test("tells what a command prints without secrets, and keeps it as it was printed", async () => {
  scene.commands = [{ name: "leak", command: "echo s3cret; sleep 0.4" }];
  await scene.run();
  expect(scene.notes.at(-1)).toBe("[redacted]\n");
  expect(readFileSync(file(".out"), "utf8")).toBe("s3cret\n");
  expect(JSON.stringify(scene.events)).not.toContain("[redacted]\\n");
});

/** Of each receipt: the command, whether it was run on the tree that is there now, and whether it left that one. */
async function runsOn(): Promise<readonly string[]> {
  const now = await treeToCommit(scene.worktree);
  const dir = receiptsFolder(scene.taskDir);
  return scene.receipts().map((receipt) => {
    const { statement } = inspectReceipt(receipt, { dir, task: TASK, keys: scene.keys });
    const [before, after] = [statement?.treeBefore, statement?.treeAfter].map((tree) =>
      tree === now ? "this" : "another",
    );
    return `${before} → ${after}`;
  });
}

const warned = (): readonly string[] =>
  scene.events.flatMap((event) =>
    event.type === "warning" && event.message.startsWith("changed") ? [event.message] : [],
  );

/** A command in which somebody does something to the work tree, the first time that it runs. */
const meanwhile = (act: string): string => {
  const flag = join(scene.root, "acted");
  return `test -e '${flag}' || { touch '${flag}'; ${act}; }`;
};

test("what changes while a command runs is validated by every command, and told by name", async () => {
  scene.commands = [telling(scene, "a"), telling(scene, "b", meanwhile("echo new > new.txt"))];
  const outcome = completed(await scene.run());
  expect(scene.ran()).toEqual(["a", "b", "a", "b"]);
  expect(await runsOn()).toEqual([
    "another → another",
    "another → this",
    "this → this",
    "this → this",
  ]);
  expect(warned()).toEqual([
    expect.stringMatching(/^changed while ".*" ran: new\.txt; that is not reviewed/u),
  ]);
  expect(outcome.summary).toBe(
    "Validation passed: a, b; changed while it ran, not reviewed: new.txt",
  );
});

/** By somebody, whoever the user of this machine is. */
const COMMIT = "git -c user.name=Somebody -c user.email=somebody@localhost commit";

test("a tree that does not pass has not passed because it was made after the commands had passed", async () => {
  const spoil = meanwhile(`echo bad > code.txt; ${COMMIT} -qam spoilt`);
  scene.commands = [{ name: "check", command: `grep -q good code.txt && { ${spoil}; }` }];
  expect(failed(await scene.run()).reason).toMatch(/^check failed: exit code 1/u);
  expect(scene.receipts().map(({ exitCode }) => exitCode)).toEqual([0, 1]);
});

test("a command that passed before another one changed the tree is run again on what that has left", async () => {
  scene.commands = [
    { name: "check", command: "grep -q good code.txt" },
    { name: "slow", command: meanwhile("echo bad > code.txt") },
  ];
  expect(failed(await scene.run()).reason).toMatch(/^check failed/u);
});

test("a commit while a command runs has every command run again, though no file is other than before", async () => {
  scene.commands = [
    telling(scene, "a"),
    telling(scene, "b", meanwhile(`${COMMIT} -q --allow-empty -m empty`)),
  ];
  completed(await scene.run());
  expect(scene.ran()).toEqual(["a", "b", "a", "b"]);
  expect(warned()).toEqual([expect.stringMatching(/ran: HEAD, from [0-9a-f]{10} to /u)]);
});

test("a formatter is run once more on what it has left, and what passed on that is not", async () => {
  put(scene.worktree, "code.txt", "bad\n");
  scene.commands = [
    telling(scene, "format", "printf 'good\\n' > code.txt"),
    telling(scene, "test"),
  ];
  completed(await scene.run());
  expect(scene.ran()).toEqual(["format", "test", "format"]);
  expect(await runsOn()).toEqual(["another → this", "this → this", "this → this"]);
  expect(await scene.look()).toBeDefined();
});

test("what a command changes each time is never validated: a person is asked, and told the files", async () => {
  scene.commands = [
    telling(scene, "first"),
    { name: "junk", command: "echo junk >> code.txt" },
    telling(scene, "last"),
  ];
  const outcome = failed(await scene.run());
  expect(outcome).toMatchObject({ awaiting: "validation", retryable: false });
  expect(outcome.reason).toContain('while "echo junk >> code.txt" ran: code.txt');
  expect(scene.ran()).toEqual(["first", "last", "first"]);
  expect(scene.end(outcome)).toMatchObject({ state: "awaiting_human" });
  expect(await scene.look()).toBeUndefined();
  expect(await validateNow({ ...scene.input(), stepName: "validate" })).toMatchObject({
    kind: "unsettled",
    message: expect.stringContaining("code.txt"),
  });
});

test("no commit is verified by a command that ran on another tree, and left this one", async () => {
  scene.commands = [{ name: "junk", command: "echo junk >> code.txt" }];
  await scene.run();
  git(scene.worktree, "commit", "-qam", "junk");
  const { taskDir, keys } = scene;
  const tree = await treeToCommit(scene.worktree);
  const commit = {
    sha: await currentGitSha(scene.worktree),
    tree,
    taskId: undefined,
    head: undefined,
  };
  const of = { dir: receiptsFolder(taskDir), task: TASK, keys, commit };
  const [command = ""] = scene.commands.map((each) => each.command);
  expect(verifyReceipts(of)).toMatchObject({
    kind: "invalid",
    problems: [`${command} ran on another tree, and left this one`],
  });
  expect(verifyReceipts({ ...of, required: [command] }).problems).toContain(
    `${command} has not passed on this tree`,
  );
});
