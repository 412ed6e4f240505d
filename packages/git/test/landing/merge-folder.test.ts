import { cpSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { mergeTrees } from "../../src/landing/merge-trees.ts";
import { aFolder, failure, write } from "../fixture.ts";
import { openAt, twoSides } from "./fixture.ts";

/** What another process does just before this one renames something. */
const other = vi.hoisted(() => ({ act: (_from: string, _to: string): void => {} }));

vi.mock(import("node:fs"), async (load) => {
  const real = await load();
  return {
    ...real,
    renameSync: (from, to) => {
      other.act(String(from), String(to));
      real.renameSync(from, to);
    },
  };
});

afterEach(() => {
  other.act = () => {};
});

async function aScene() {
  const sides = twoSides({ f: "f" }, { a: "a" }, { b: "b" });
  const folder = await openAt(sides.root);
  const merge = () => mergeTrees(folder, sides);
  const merged = await merge();
  const good = join(aFolder(), "good");
  cpSync(folder.path, good, { recursive: true });
  const names = (): readonly string[] =>
    readdirSync(dirname(folder.path)).map((name) => name.replace(/[0-9a-f]{16}/u, "RANDOM"));
  return { path: folder.path, merge, merged, good, names };
}

test("takes the folder that another process was quicker to make", async () => {
  const { path, merge, merged, good, names } = await aScene();
  rmSync(path, { recursive: true });
  other.act = (_, to) => {
    if (to === path) cpSync(good, path, { recursive: true });
  };
  expect(await merge()).toEqual(merged);
  expect(names()).toEqual(["merge.git"]);
});

test("makes it again where another process has moved a bad one aside first", async () => {
  const { path, merge, merged, names } = await aScene();
  write(path, "info/attributes", "* merge=evil\n");
  other.act = (from) => {
    if (from === path) rmSync(path, { recursive: true });
  };
  expect(await merge()).toEqual(merged);
  expect(names()).toEqual(["merge.git"]);
});

test("gives up where another process spoils it each time", async () => {
  const { path, merge } = await aScene();
  rmSync(path, { recursive: true });
  other.act = (_, to) => {
    if (to === path) write(path, "info/attributes", "* merge=evil\n");
  };
  const error = await failure(merge());
  expect(error.code).toBe("ERR_GIT_FAILED");
  expect(error.path).toBe(path);
});
