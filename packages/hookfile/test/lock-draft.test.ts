import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createHookFileStore } from "../src/store/store.ts";
import { aTask } from "./a-task.ts";
import { temporaryFolders } from "./folder.ts";

const aFolder = temporaryFolders();

test("what a killed process was writing of who has the lock is gone once the task is opened", () => {
  const dir = aFolder();
  const store = createHookFileStore({ dir });
  store.create(aTask());
  const draft = ".hook.lock.owner.json.0123456789abcdef.tmp";
  writeFileSync(join(dir, draft), "{");
  store.open();
  expect(readdirSync(dir)).not.toContain(draft);
});
