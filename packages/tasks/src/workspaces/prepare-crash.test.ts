import { nodeFileSystem } from "@quasar/durable";
import { createHookFileStore } from "@quasar/hookfile";
import { expect, test, vi } from "vitest";
import { aScene, failure } from "../../test/workspace-fixture.ts";
import { readTask } from "../task-store.ts";
import { listWorkspaces } from "./list-workspaces.ts";
import { setUpTask } from "./set-up-task.ts";

/** Lets every rename from the n-th on fail, as if the process had come to its end there. */
function dieAtRename(n: number): { readonly count: () => number; readonly end: () => void } {
  let count = 0;
  const rename = nodeFileSystem.rename;
  const spy = vi.spyOn(nodeFileSystem, "rename").mockImplementation((from, to) => {
    count += 1;
    if (count >= n) throw new Error("the end");
    rename(from, to);
  });
  return { count: () => count, end: () => spy.mockRestore() };
}

test("after a crash at any write there is a whole task that can be set up, or none", async () => {
  const whole = dieAtRename(Number.POSITIVE_INFINITY);
  await aScene().prepare();
  whole.end();
  expect(whole.count()).toBeGreaterThan(6);

  const found: number[] = [];
  for (let n = 1; n <= whole.count(); n += 1) {
    const { home, prepare } = aScene();
    const crash = dieAtRename(n);
    await failure(prepare());
    crash.end();
    const tasks = listWorkspaces(home).flatMap((workspace) => workspace.tasks);
    found.push(tasks.length);
    for (const { dir, state } of tasks) {
      expect(state).toBe("initializing");
      expect(createHookFileStore({ dir }).open()?.hook.state).toBe("initializing");
      await setUpTask({ task: readTask(dir) });
    }
    const next = await prepare({ useLocal: true });
    expect(next.task.workspaceId.endsWith("-2")).toBe(tasks.length > 0);
  }
  expect(found[0]).toBe(0);
  expect(new Set(found), "the last writes are the hook file's").toEqual(new Set([0, 1]));
});
