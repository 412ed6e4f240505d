import { createMemoryCheckpointStore } from "@quasar/checkpoint";
import { expect, test } from "vitest";
import { APPROVAL, fakeAgent } from "../../test/fake-agent.ts";
import { createMemoryTree } from "../../test/simulated-tree.ts";
import { settingsOf } from "../settings.ts";
import { startRun } from "../start.ts";
import { waitUntil } from "../wait-until.ts";

test("the coder's work survives a power cut before its turn counts as done", async () => {
  const trace: string[] = [];
  const simulated = createMemoryTree();
  const store = createMemoryCheckpointStore();
  const settings = settingsOf({
    workTree: simulated.workTree,
    coder: fakeAgent(["done"]),
    reviewer: fakeAgent([APPROVAL]),
    checkpoint: {
      granularity: "turn",
      store: {
        ...store,
        save: (checkpoint) => {
          const { role, status } = checkpoint.turn ?? { role: "no", status: "turn" };
          trace.push(`save ${role} ${status}`);
          return store.save(checkpoint);
        },
      },
    },
  });
  const repository: typeof simulated.repository = {
    ...simulated.repository,
    syncWork: (before, isSynced) => {
      trace.push("sync");
      return simulated.repository.syncWork(before, isSynced);
    },
  };
  const runCheck = async () => ({ status: "passed", output: "" }) as const;
  await startRun({ title: "Do it" }, settings, { repository, runCheck, waitUntil });
  const settled = trace.indexOf("save coder settled");
  expect(trace.slice(0, settled + 1)).toEqual(["save coder started", "sync", "save coder settled"]);
});

test.for([
  ["is reported only once it is stored", false, ["tell agent_done", "tell review_complete"]],
  ["is not told where it cannot be stored", true, ["tell review_complete"]],
] as const)("the end of a reviewer that a supervisor holds %s", async ([, fails, told]) => {
  const trace: string[] = [];
  const simulated = createMemoryTree();
  const store = createMemoryCheckpointStore();
  const save: typeof store.save = async (checkpoint) => {
    const { role, status } = checkpoint.turn ?? { role: "no", status: "turn" };
    trace.push(`save ${role} ${status}`);
    if (fails && role === "reviewer" && status === "settled") throw new Error("EIO: no");
    return store.save(checkpoint);
  };
  const supervised = { supervised: true };
  const settings = settingsOf({
    workTree: simulated.workTree,
    coder: fakeAgent(["done"], supervised),
    reviewer: fakeAgent([APPROVAL], supervised),
    turnsDir: "/nowhere/turns",
    checkpoint: { granularity: "turn", store: { ...store, save } },
    journal: ({ type }) => void trace.push(`record ${type}`),
    onEvent: ({ type }) => void trace.push(`tell ${type}`),
  });
  const runCheck = async () => ({ status: "passed", output: "" }) as const;
  await startRun({ title: "Do it" }, settings, {
    repository: simulated.repository,
    runCheck,
    waitUntil,
  });
  const ended = trace.lastIndexOf("record agent_done");
  expect(trace.slice(ended, ended + 3 + told.length)).toEqual([
    "record agent_done",
    "record review_complete",
    "save reviewer settled",
    ...told,
  ]);
});

test("work that cannot be made durable ends the run before its turn counts as done", async () => {
  const simulated = createMemoryTree();
  const store = createMemoryCheckpointStore();
  const repository: typeof simulated.repository = {
    ...simulated.repository,
    syncWork: async () => {
      throw new Error("EIO: no");
    },
  };
  const runCheck = async () => ({ status: "passed", output: "" }) as const;
  const settings = settingsOf({
    workTree: simulated.workTree,
    coder: fakeAgent(["done"]),
    reviewer: fakeAgent([APPROVAL]),
    checkpoint: { store, granularity: "turn" },
  });
  const result = await startRun({ title: "Do it" }, settings, { repository, runCheck, waitUntil });
  expect(result).toMatchObject({ outcome: "git", message: expect.stringContaining("EIO: no") });
});
