import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTaskLog } from "../src/record.ts";
import { parseTemplate } from "../src/templates/parse-template.ts";
import { aWorld, Killed } from "./engine-world.ts";

// SPEC.md, statements 17.
test("of two that would drive one task at once, one does and the other is refused: nothing coordinates agents", async () => {
  const world = aWorld();
  const drives = await Promise.allSettled([world.drive(), world.drive()]);
  expect(drives.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const refused = drives.find(({ status }) => status === "rejected");
  expect(refused).toMatchObject({ reason: { code: "ERR_LOCKED" } });
});

const ROOT = join(import.meta.dirname, "../../..");

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

const dependencies = (name: string): readonly string[] => {
  const path = join(ROOT, "packages", name, "package.json");
  return Object.keys((JSON.parse(readFileSync(path, "utf8")) as Manifest).dependencies ?? {});
};

// SPEC.md, statements 18, 218, 230.
test("nothing that a task is made of talks to another machine, or brings cryptography but node's own", () => {
  const all = ["tasks", "hookfile", "receipts", "durable"].flatMap(dependencies);
  const others = [...new Set(all)].filter((name) => !name.startsWith("@quasar/"));
  expect(others.toSorted()).toEqual([
    "execa",
    "mdast-util-gfm-table",
    "mdast-util-to-markdown",
    "smol-toml",
    "valibot",
  ]);
});

// SPEC.md, statements 19.
test.for([
  ["a step", "", 'depends_on = ["other"]'],
  ["a task", 'depends_on = ["task-1"]', ""],
] as const)("%s cannot depend on others: steps come one after the other", ([, root, step]) => {
  const written = `id = "own"
description = "Mine"
branch_prefix = "own"
${root}
[[steps]]
name = "look"
type = "human"
${step}
`;
  expect(() => parseTemplate(written)).toThrow(
    expect.objectContaining({
      code: "ERR_TEMPLATE",
      message: expect.stringContaining("depends_on"),
    }),
  );
});

// SPEC.md, statements 5.
test("after a crash a person can see all that happened before it, and what was under way", async () => {
  const world = aWorld({
    executors: {
      implement: {
        async run({ note }) {
          note({ workingOn: "the parser" });
          throw new Killed("in the middle");
        },
      },
    },
  });
  await expect(world.drive()).rejects.toThrow(Killed);
  const { history, checkpoints, currentStep, steps } = world.hook();
  expect(history.map(({ trigger }) => trigger)).toEqual([
    "init",
    "setup_complete",
    "start_step",
    "checkpoint",
    "step_complete",
    "start_step",
  ]);
  expect(history.every(({ timestamp }) => !Number.isNaN(Date.parse(timestamp)))).toBe(true);
  expect(steps[0]).toMatchObject({ name: "analyze", status: "completed" });
  expect(checkpoints).toMatchObject([{ trigger: "step_complete", stepName: "analyze" }]);
  expect(currentStep).toMatchObject({ stepName: "implement", workingOn: "the parser" });
  expect(world.task().stepResults).toMatchObject([{ stepName: "analyze", status: "success" }]);
  const told = readTaskLog(world.taskDir).map(({ type }) => type);
  expect(told).toEqual(expect.arrayContaining(["task_started", "step_started", "step_done"]));
});
