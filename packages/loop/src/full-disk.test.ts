import { GitError } from "@quasar/git";
import { expect, test } from "vitest";
import { fakeAgent } from "../test/fake-agent.ts";
import { harness } from "../test/harness.ts";
import { gitEnding } from "./repository/work-tree.ts";
import { runTask } from "./loop.ts";

const TASK = { id: "t", title: "Do it" };

/** What the system says of a full disk, behind what a package makes of it. */
function fullDisk(path?: string): Error {
  const said = Object.assign(new Error("ENOSPC: no space left on device, write"), {
    ...{ code: "ENOSPC", path },
  });
  return Object.assign(new Error("it was not written", { cause: said }), {
    code: "ERR_TURN_UNREADABLE",
  });
}

test("a run whose turn had no room for its end is stopped by the disk, and says by which", async () => {
  const coder = { ...fakeAgent([]), invoke: () => Promise.reject(fullDisk("/disk/turns/1.exit")) };
  const result = await runTask(TASK, harness({ coder }).options);
  expect(result).toMatchObject({
    outcome: "storage",
    message: "no space is left on the disk: it was not written",
    fullDisk: "/disk/turns",
  });
});

test("a run whose journal has no room is stopped by the disk of its work tree, where none is named", async () => {
  const loop = harness();
  const journal = (): never => {
    throw fullDisk();
  };
  const result = await runTask(TASK, { ...loop.options, journal });
  expect(result).toMatchObject({ outcome: "storage", fullDisk: loop.options.workTree });
});

test.for([
  ["fatal: sha1 file '/r/.git/index.lock' write error. Out of diskspace", "storage"],
  ["error: unable to write file a.txt: No space left on device", "storage"],
  ["fatal: bad object HEAD", "git"],
] as const)('git that says "%s" ends a run by %s', ([said, outcome]) => {
  const error = new GitError("ERR_GIT_FAILED", `git status failed with exit code 128: ${said}`);
  expect(gitEnding("what the reviewer changed could not be undone", error)).toMatchObject({
    outcome,
  });
});
