import type { ChangedFile } from "@quasar/git/history";
import type { HookFile } from "@quasar/hookfile";
import { expect, test } from "vitest";
import { touchedFiles } from "./touched-files.ts";

const BASE = "a".repeat(40);
const HEAD = "b".repeat(40);

function aHook(dirty: readonly string[] | undefined): HookFile {
  const base = { step: "implement", head: BASE, ...(dirty !== undefined && { dirty }) };
  const currentStep = { stepName: "implement" };
  return { currentStep, worktreePath: "/tree", stepBase: base, extra: {} } as unknown as HookFile;
}

interface Case {
  readonly dirty?: readonly (readonly [path: string, status: string])[];
  readonly committed?: readonly ChangedFile[];
  readonly before?: readonly string[] | undefined;
}

async function changesIn({ dirty = [], committed, ...given }: Case): Promise<readonly string[]> {
  const before = "before" in given ? given.before : [];
  const facts = {
    head: committed === undefined ? BASE : HEAD,
    dirty: dirty.map(([path, status]) => ({ path, status })),
  };
  const workTreeReader = { changedFiles: async () => committed ?? [] };
  const touched = await touchedFiles(aHook(before), facts, workTreeReader, undefined);
  return (touched?.changes ?? []).map(
    ({ path, change, committed: isIn }) =>
      `${path} ${change} ${isIn ? "committed" : "uncommitted"}`,
  );
}

test.for<[what: string, given: Case, shown: readonly string[]]>([
  ["an untracked file is new", { dirty: [["f", "??"]] }, ["f new uncommitted"]],
  ["a staged file is new", { dirty: [["f", "A."]] }, ["f new uncommitted"]],
  ["an edited file", { dirty: [["f", ".M"]] }, ["f modified uncommitted"]],
  ["a deleted file", { dirty: [["f", ".D"]] }, ["f deleted uncommitted"]],
  [
    "a file that only the index has lost",
    {
      dirty: [
        ["f", "D."],
        ["f", "??"],
      ],
    },
    ["f modified uncommitted"],
  ],
  [
    "a rename is two paths",
    {
      dirty: [
        ["old", "D."],
        ["new", "A."],
      ],
    },
    ["new new uncommitted", "old deleted uncommitted"],
  ],
  ["a commit's file", { committed: [{ path: "f", change: "deleted" }] }, ["f deleted committed"]],
  [
    "a file that was edited after its commit",
    { committed: [{ path: "f", change: "new" }], dirty: [["f", ".M"]] },
    ["f modified uncommitted"],
  ],
  ["what was uncommitted before the step", { dirty: [["f", ".M"]], before: ["f"] }, []],
  [
    "what was uncommitted before the step, once a commit has a part of it",
    { committed: [{ path: "f", change: "modified" }], dirty: [["f", ".M"]], before: ["f"] },
    ["f modified uncommitted"],
  ],
  [
    "an edit in a tree of which too much was uncommitted",
    { dirty: [["f", ".M"]], before: undefined },
    [],
  ],
])("tells of %s", async ([, given, shown]) => {
  expect(await changesIn(given)).toEqual(shown);
});

test("knows nothing where no step is current", async () => {
  const hook = { extra: {} } as unknown as HookFile;
  const workTreeReader = { changedFiles: async () => [] };
  expect(
    await touchedFiles(hook, { head: BASE, dirty: [] }, workTreeReader, undefined),
  ).toBeUndefined();
});
