import { expect, test } from "vitest";
import { keyFinding, openKeyFindings } from "./keys.ts";
import { taskFindings, workspaceFindings } from "./tasks.ts";

const ID = "task-550e8400-e29b-41d4-a716-446655440000";
const AWAITING = { kind: "review" } as never;

test("tasks that wait are named with the command that shows them, and at most five of them", () => {
  const waiting = { taskId: ID, hook: { title: "Fix\nit", awaiting: AWAITING } };
  const working = { taskId: ID, hook: { title: "Fix it", awaiting: undefined } };
  expect(taskFindings([working])).toEqual([]);
  const [finding] = taskFindings([waiting]);
  expect(finding).toEqual({
    check: "tasks",
    state: "ok",
    message: "task-550e8400 waits for you: Fix",
    next: ["atlas status task-550e8400"],
  });
  const seven = taskFindings(Array.from({ length: 7 }, () => waiting));
  expect(seven).toHaveLength(6);
  expect(seven.at(-1)).toMatchObject({ message: "and 2 tasks more", next: ["atlas status --all"] });
});

test("a task that cannot be read is a problem", () => {
  const findings = taskFindings([{ taskId: ID, hook: undefined }]);
  expect(findings).toMatchObject([
    { state: "problem", next: [`atlas hook status ${ID}`, `atlas recover ${ID}`] },
  ]);
});

const WORKSPACE = {
  name: "fix",
  dir: "/h/workspaces/fix",
  problem: undefined,
  worktreePath: "/w/fix",
  isTreeThere: true,
  waysBack: [],
};

test("a workspace whose work tree is gone says so, and how its task continues", () => {
  expect(workspaceFindings([WORKSPACE])).toEqual([]);
  const gone = { ...WORKSPACE, isTreeThere: false };
  expect(workspaceFindings([gone, { ...gone, waysBack: ["atlas abandon fix"] }])).toEqual([
    {
      check: "spaces",
      state: "warning",
      message: "fix: its work tree /w/fix is gone",
      next: ["atlas workspace close fix   # the branch stays"],
    },
    expect.objectContaining({ next: ["atlas abandon fix"] }),
  ]);
  expect(
    workspaceFindings([{ ...WORKSPACE, problem: "there is no workspace.json" }]),
  ).toMatchObject([{ state: "problem", message: "fix: there is no workspace.json" }]);
});

test("keys that others can reach, and a key that is gone, are problems", () => {
  const open = [{ path: "/h/keys/master.key", mode: 0o644, isFolder: false }];
  expect(openKeyFindings(open)).toMatchObject([
    {
      state: "problem",
      next: ["chmod 600 /h/keys/master.key   # if nobody else can have read it"],
    },
  ]);
  const facts = { accounts: [], hasKey: true, hasBackup: true, isMissing: false };
  expect(keyFinding(facts, "/h/keys")).toMatchObject({
    state: "ok",
    message: "the private key is here",
  });
  const gone = { ...facts, hasKey: false, hasBackup: false, isMissing: true };
  expect(keyFinding(gone, "/h/keys")).toMatchObject({ state: "problem" });
});
