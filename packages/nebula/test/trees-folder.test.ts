import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { expect, test } from "vitest";
import type { ApplyOptions } from "../src/engine/apply.ts";
import { hasTrees } from "../src/trees/left.ts";
import { treesFolder } from "../src/trees/place.ts";
import {
  agentsOf,
  aPlace,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
} from "./place.ts";

const FILES = { "nebula.toml": MANIFEST, "a.md": phase("a") };

/** The environment that names a folder of a place for work trees, or none. */
const envOf = (place: Place, name?: string): ApplyOptions["env"] =>
  name === undefined ? {} : { QUASAR_TREES: join(place.root, name) };

/** A nebula whose engine was stopped in its coder's first turn, with work that is not committed. */
async function halfDone(named?: string) {
  const place = aPlace({}, FILES);
  const env = envOf(place, named);
  const stop = new AbortController();
  const optionsOf: ApplyOptions["optionsOf"] = (spec) => {
    const { coder, reviewer } = agentsOf({})(spec);
    const invoke: typeof coder.invoke = ({ workTree }) => {
      write(workTree, { "half.txt": "an hour of work\n" });
      stop.abort();
      return Promise.reject(stop.signal.reason as Error);
    };
    return { coder: { ...coder, invoke }, reviewer };
  };
  const { reason, state } = await place.apply({}, { env, optionsOf, signal: stop.signal });
  expect([reason, state.phases[0]?.status]).toEqual(["interrupted", "running"]);
  return { place, trees: state.trees ?? "" };
}

/** Resumes it. @returns For each turn of its coder, in which tree it was, and whether the work was there. */
async function resumed(place: Place, named?: string) {
  const turns: (readonly [tree: string, hasHalf: boolean])[] = [];
  const work: Work = {
    "Phase a": (tree) => {
      turns.push([tree, existsSync(join(tree, "half.txt"))]);
      write(tree, { "a.txt": "a\n" });
    },
  };
  const { reason } = await place.apply(work, { env: envOf(place, named) });
  expect(reason).toBe("done");
  return turns;
}

test.for([
  ["with QUASAR_TREES, and resumed without", "fast", undefined],
  ["without QUASAR_TREES, and resumed with it", undefined, "fast"],
] as const)("a nebula is worked on in the work trees that it has: begun %s", async (scene) => {
  const [, begunIn, resumedIn] = scene;
  const { place, trees } = await halfDone(begunIn);
  const { ref } = newest(place).phases[0] ?? {};
  const places = { env: envOf(place, resumedIn), state: "/state" };
  expect(hasTrees(await openRepository(place.repo), newest(place), places)).toBe(true);
  expect(await resumed(place, resumedIn)).toEqual([[join(trees, ref ?? ""), true]]);
});

test("where the folder of the work trees is gone nothing is made again before a person says so", async () => {
  const { place, trees } = await halfDone();
  renameSync(trees, `${trees}.away`);
  const again = `mkdir -p ${trees} && quasar nebula apply ${newest(place).id} --auto --resume`;
  await expect(place.apply({})).rejects.toMatchObject({
    code: "ERR_DAMAGED",
    message: `the folder of the work trees is gone: ${trees}; 1 phase had work in it`,
    next: [{}, { shell: again }, {}],
  });
  expect(existsSync(trees)).toBe(false);
  // As where its disk is mounted again.
  renameSync(`${trees}.away`, trees);
  expect(await resumed(place)).toMatchObject([[expect.anything(), true]]);
});

test.for(["made again", "named anew"])(
  "where it is %s the phase begins at its last commit, in what is there then",
  async (how) => {
    const { place, trees } = await halfDone();
    renameSync(trees, `${trees}.away`);
    if (how === "made again") mkdirSync(trees);
    const named = how === "named anew" ? "anew" : undefined;
    const [[tree, hasHalf] = []] = await resumed(place, named);
    expect(hasHalf).toBe(false);
    expect(tree?.startsWith(named === undefined ? trees : join(place.root, named))).toBe(true);
    expect(newest(place).trees).toBe(join(tree ?? "", ".."));
  },
);

test("a folder in which no work tree can be made is refused, and not kept", async () => {
  const place = aPlace({}, FILES);
  write(place.root, { file: "" });
  await expect(place.apply({}, { env: envOf(place, "file") })).rejects.toMatchObject({
    code: "ERR_DAMAGED",
    message: expect.stringContaining(join(place.root, "file")) as string,
  });
  expect(newest(place)).toMatchObject({ phases: [{ status: "pending" }] });
  expect(newest(place).trees).toBeUndefined();
  expect(await resumed(place)).toHaveLength(1);
});

test("a copy of the repository has work trees of its own, and so has a state of an earlier version", async () => {
  const place = aPlace({}, FILES);
  const repository = await openRepository(place.repo);
  const places = { env: {}, state: "/state" };
  const trees = join(place.root, "kept");
  mkdirSync(trees);
  const id = "abcdefghij";
  const folderOf = (treesOf: string | undefined) =>
    treesFolder(repository, { id, trees: treesOf && trees, treesOf }, places);
  expect(folderOf(repository.commonDir)).toBe(trees);
  const beside = join(place.root, ".repo.quasar", id);
  expect([folderOf("/elsewhere/.git"), folderOf(undefined)]).toEqual([beside, beside]);
  expect(readdirSync(trees)).toEqual([]);
});
