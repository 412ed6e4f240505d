import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { expect, test, vi } from "vitest";
import type { Engine } from "../src/context/context.ts";
import { setUp } from "../src/trees/set-up.ts";
import { aSpec } from "./a-nebula.ts";
import { aPlace } from "./place.ts";

const sync = vi.hoisted(() => ({ ofFolder: (_dir: string): boolean => true }));

vi.mock(import("@quasar/process/files"), async (original) => ({
  ...(await original()),
  syncFileSystem: async (dir: string) => sync.ofFolder(dir),
}));

const COMMANDS = ["echo made >> made.log"];

/** A work tree, and how to set it up. */
async function aTree() {
  const tree = await openRepository(aPlace({}, {}).repo);
  const engine = {
    ...{ commandEnv: process.env, portsOf: () => ({}), redact: (text: string) => text },
    ...{ spec: aSpec({ a: [] }), signal: new AbortController().signal, now: () => new Date() },
    store: { current: { id: "abcdefghij" } },
  } as unknown as Engine;
  const made = join(tree.root, "made.log");
  return {
    root: tree.root,
    made,
    mark: join(tree.gitDir, "quasar/setup/done"),
    setUp: () => setUp(engine, tree, { commands: COMMANDS }),
    times: () => readFileSync(made, "utf8").split("\n").length - 1,
  };
}

test("what set-up has made is on disk before the tree counts as set up", async () => {
  const { root, made, mark, setUp, times } = await aTree();
  const seen: unknown[] = [];
  sync.ofFolder = (dir) => {
    seen.push({ dir, isMade: existsSync(made), isMarked: existsSync(mark) });
    return true;
  };
  await setUp();
  expect(seen).toEqual([{ dir: root, isMade: true, isMarked: false }]);
  await setUp();
  expect(times()).toBe(1);
});

test("a tree counts as set up until the machine starts anew where its files cannot be synced", async () => {
  const { mark, setUp, times } = await aTree();
  sync.ofFolder = () => false;
  await setUp();
  await setUp();
  expect(times()).toBe(1);
  const [digest] = readFileSync(mark, "utf8").split(" ");
  writeFileSync(mark, `${digest} another-boot`);
  await setUp();
  expect(times()).toBe(2);
});
