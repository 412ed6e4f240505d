import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Checkpoint, CheckpointStore } from "@quasar/checkpoint";
import { expect, test } from "vitest";
import { fakeAgent, issue, writingCoder } from "../test/fake-agent.ts";
import { harness } from "../test/harness.ts";
import type { LoopEvent } from "./event.ts";
import { runFromCheckpoint, runTask } from "./loop.ts";

const TASK = { id: "t", title: "Do it" };

/** A store that notes its saves among other notes. */
function noting(store: CheckpointStore, notes: string[]): CheckpointStore {
  return {
    ...store,
    save: async (checkpoint: Checkpoint) => {
      notes.push(`save ${checkpoint.phase} ${checkpoint.turn?.status ?? "-"}`);
      await store.save(checkpoint);
    },
  };
}

test("the journal is told of each event before the checkpoint is saved, the hooks after", async () => {
  const notes: string[] = [];
  const loop = harness();
  const isNoted = ({ type }: LoopEvent): boolean => type !== "warning" && type !== "agent_event";
  await runTask(TASK, {
    ...loop.options,
    checkpoint: { store: noting(loop.store, notes), granularity: "turn" },
    journal: (event) => void (isNoted(event) && notes.push(`journal ${event.type}`)),
    onEvent: (event) => void (isNoted(event) && notes.push(event.type)),
  });
  expect(notes.slice(2, 14)).toEqual([
    "save coding started",
    "journal agent_start",
    "agent_start",
    "journal agent_done",
    "save coding settled",
    "agent_done",
    "journal committed",
    "committed",
    "save reviewing started",
    "journal agent_start",
    "agent_start",
    "journal agent_done",
  ]);
  expect(notes.slice(-6)).toEqual([
    "journal review_complete",
    "save review_complete settled",
    "review_complete",
    "journal task_success",
    "save approved settled",
    "task_success",
  ]);
});

test.for([
  "cycle_start",
  "agent_start",
  "agent_done",
  "committed",
  "check_done",
  "review_complete",
  "task_success",
])(
  "a journal that throws at %s ends the run, and nothing is stored that it lacks",
  async (type) => {
    const coder = writingCoder();
    const loop = harness({
      coder,
      reviewer: fakeAgent([issue("bad"), "APPROVED: good"]),
      filters: [{ name: "tests", command: "true" }],
    });
    let failed = false;
    let saved = 0;
    const store: CheckpointStore = {
      ...loop.store,
      save: async (checkpoint) => {
        if (failed) saved += 1;
        await loop.store.save(checkpoint);
      },
    };
    const result = await runTask(TASK, {
      ...loop.options,
      checkpoint: { store, granularity: "turn" },
      journal: (event) => {
        if (event.type !== type) return;
        failed = true;
        throw new Error("disk full");
      },
    });
    expect(result).toMatchObject({
      outcome: "checkpoint",
      message: "the journal could not be written: disk full",
    });
    expect(saved).toBe(0);
    expect(loop.trace().at(-1)).toMatch(/^task_failed \d checkpoint$/u);
    const stored = (await loop.store.load())?.checkpoint;
    const facts: string[] = [];
    const options = {
      ...loop.options,
      journal: (event: LoopEvent) => void facts.push(event.type),
    };
    const resumed = await (stored === undefined
      ? runTask(TASK, options)
      : runFromCheckpoint(stored, options));
    expect(resumed.outcome).toBe("approved");
    expect(facts).toContain(type);
  },
);

test("commits that a resume finds are put on record and told", async () => {
  const loop = harness();
  let lost = false;
  await runTask(TASK, {
    ...loop.options,
    journal: ({ type }) => {
      lost ||= type === "committed";
      if (lost) throw new Error("disk full");
    },
  });
  loop.events.length = 0;
  const facts: LoopEvent[] = [];
  await runFromCheckpoint(await loop.stored(), {
    ...loop.options,
    journal: (event) => void facts.push(event),
  });
  expect(facts.slice(0, 2)).toMatchObject([
    { type: "resumed" },
    { type: "committed", cycle: 1, turnId: "run.1", sha: loop.tree.head() },
  ]);
  expect(loop.trace().slice(0, 2)).toEqual(["resumed 1", "committed"]);
});

test("secrets are taken out of what checks print before it is stored, told or given to an agent", async () => {
  const coder = writingCoder();
  const loop = harness({
    coder,
    // What a person typed as a command is told to the coder as it is: here it does not say the secret.
    lint: [{ name: "style", command: "echo token=hunter$((1 + 1)); exit 1" }],
    filters: [{ name: "tests", command: "echo token=hunter$((1 + 1)); exit 1" }],
    maxCycles: 1,
    maxLintRetries: 1,
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
  });
  const { checkpoint } = await runTask(TASK, loop.options);
  expect(checkpoint.filterOutput).toContain("token=[redacted]");
  expect(checkpoint.lintOutput).toContain("token=[redacted]");
  expect(coder.requests[1]?.prompt).toContain("token=[redacted]");
  expect(JSON.stringify([checkpoint, loop.events, coder.requests])).not.toContain("hunter2");
});

test.for([
  ["secrets are taken out of", (text: string) => text.replaceAll("hunter2", "[redacted]")],
  [
    "a redaction that fails lets nothing through of",
    () => {
      throw new Error("bad pattern");
    },
  ],
] as const)("%s what a git hook says when the work cannot be committed", async ([, redact]) => {
  const facts: LoopEvent[] = [];
  const loop = harness({ redact, journal: (event) => void facts.push(event) });
  const hook = join(loop.tree.dir, ".git/hooks/pre-commit");
  mkdirSync(dirname(hook), { recursive: true });
  writeFileSync(hook, "#!/bin/sh\necho token=hunter2; exit 1\n", { mode: 0o755 });
  const result = await runTask(TASK, loop.options);
  expect(result).toMatchObject({ outcome: "git" });
  expect(JSON.stringify([result, facts, await loop.stored()])).not.toContain("hunter2");
});

test("a redaction that fails stops the run rather than let anything through", async () => {
  const loop = harness({
    lint: [{ name: "style", command: "echo hunter2" }],
    redact: () => {
      throw new Error("bad pattern");
    },
  });
  const result = await runTask(TASK, loop.options);
  expect(result).toMatchObject({ outcome: "check" });
  expect(JSON.stringify([result, loop.events])).not.toContain("hunter2");
});
