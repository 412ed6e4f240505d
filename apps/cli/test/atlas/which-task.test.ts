import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listTasks } from "@quasar/tasks";
import { expect, test } from "vitest";
import { atlas, atlasJson, type AtlasPlace, atlasPlace, waiting } from "./harness.ts";

interface Two {
  readonly at: AtlasPlace;
  /** In the work tree of the first task, which has ended. */
  readonly there: AtlasPlace;
  readonly ended: string;
  /** The hook file of the other one, which waits for its review. */
  readonly other: () => string;
}

/** Two tasks of one repository wait for their review; then the first one ends. */
async function twoTasks(end: readonly string[]): Promise<Two> {
  const at = atlasPlace();
  await waiting(at, "look", ["--workspace", "first"]);
  await waiting(at, "look", ["--workspace", "second"]);
  const [second, first] = listTasks(at.home);
  if (first?.hook === undefined || second === undefined) throw new Error("there are not two tasks");
  const there = { ...at, repo: first.hook.worktreePath };
  const finished = await atlas(there, end);
  if (finished.code !== 0) throw new Error(finished.stderr);
  const other = (): string => readFileSync(join(second.dir, "hook.json"), "utf8");
  return { at, there, ended: first.taskId, other };
}

/** All that act on a task, with its exit code where the task has ended. */
const ACTING: readonly (readonly [args: readonly string[], code: number])[] = [
  [["approve", "--yes"], 6],
  [["reject", "--feedback", "no"], 6],
  [["reject", "--final"], 6],
  [["retry"], 6],
  [["skip", "--reason", "no"], 6],
  [["abandon", "--yes"], 6],
  [["checkpoint", "here"], 6],
  [["validate"], 6],
  [["step", "done"], 6],
  [["recover", "--apply", "approve"], 6],
  [["hook", "install"], 6],
  [["resume"], 8],
];

test("in the work tree of a task that has ended no command acts on another task, and each says which has ended", async () => {
  const { there, ended, other } = await twoTasks(["approve", "--yes"]);
  const before = other();
  for (const [args, code] of ACTING) {
    const refused = await atlas(there, args);
    expect.soft(refused, args.join(" ")).toMatchObject({ code, stdout: "" });
    expect.soft(refused.stderr, args.join(" ")).toContain(`task ${ended} is `);
    expect.soft(refused.stderr, args.join(" ")).toMatch(/atlas (?:status|list)/u);
  }
  expect(other()).toBe(before);
});

test("in the work tree of a task that has ended, what shows a task shows that one", async () => {
  const { at, there, ended, other } = await twoTasks(["abandon", "--yes"]);
  expect(await atlasJson(there, ["status"])).toMatchObject({ code: 0, hook: { taskId: ended } });
  expect(await atlasJson(there, ["hook", "status"])).toMatchObject({ code: 0, taskId: ended });
  expect(await atlasJson(there, ["recover"])).toMatchObject({ code: 0, taskId: ended });
  expect(await atlasJson(there, ["hook", "context"])).toMatchObject({ code: 1 });
  const named = await atlasJson(there, ["approve", "second", "--yes"]);
  expect(named).toMatchObject({ code: 0, state: "completed" });
  expect(other()).toContain("human_approve");
  const again = await atlas(at, ["approve", "--yes"]);
  expect(again, "elsewhere in the repository").toMatchObject({ code: 6 });
});
