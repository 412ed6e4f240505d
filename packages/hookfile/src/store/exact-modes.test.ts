import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { aTaskAt } from "../../test/stored-task.ts";
import { dropInInbox } from "./inbox.ts";
import { removeHookFile } from "../removal/remove.ts";
import { saveCheckpoint } from "../checkpoints/save-checkpoint.ts";
import { claimTask, lockTask } from "../recovery/task-owner.ts";

const umask = process.umask();
afterEach(() => void process.umask(umask));

// SPEC.md, statements 235.
test.for([0o000, 0o022, 0o077, 0o177, 0o777])(
  "heartbeat, inbox, artifacts, archive and tombstone are 0600 in folders of 0700, under umask %o",
  (mask) => {
    const { store, dir, now } = aTaskAt("implement");
    const filesTouched = Array.from({ length: 201 }, (_, index) => `${index}.ts`);
    store.update((hook) => {
      const currentStep = hook.currentStep && { ...hook.currentStep, filesTouched };
      return { hook: { ...hook, currentStep }, events: [] };
    });
    const lock = lockTask(dir);
    process.umask(mask);
    const claim = claimTask({
      store,
      lock,
      runId: "run-1",
      now,
      onError: () => expect.unreachable(),
    });
    const git = { branch: "fix/null", dirty: false };
    saveCheckpoint(store, { trigger: "manual", description: "half of it", git, now: now() });
    dropInInbox(dir, { trigger: "git_commit", description: "a commit" }, { now: now() });
    const driven = modesIn(dir);
    claim.release();
    removeHookFile(dir, { now: now() });
    const removed = modesIn(dir);

    expect(driven).toMatchObject({ "heartbeat.json": "600" });
    expect(removed).toMatchObject({ "tombstone.json": "600", "archive/hook.json.gz": "600" });
    for (const [name, mode] of [...Object.entries(driven), ...Object.entries(removed)]) {
      const isShared = /^(?:HOOK\.md|hook\.json.*)$/.test(name);
      const isFolder = /^(?:inbox|history|archive(?:\/history)?|artifacts(?:\/snapshots)?)$/.test(
        name,
      );
      expect(`${name} ${mode}`).toBe(`${name} ${isFolder ? "700" : isShared ? "644" : "600"}`);
    }
  },
);

/** But for the locks, which are durable's. */
function modesIn(dir: string): Readonly<Record<string, string>> {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  const ours = names.filter((name) => !name.includes(".lock"));
  return Object.fromEntries(
    ours.map((name) => [name, (lstatSync(join(dir, name)).mode & 0o7777).toString(8)]),
  );
}
