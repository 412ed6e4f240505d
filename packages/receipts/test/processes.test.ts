import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { byLane, lane } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { createKeyManager, listReceipts, receiptPaths, verifyChain } from "../src/index.ts";
import { aPlace, newFolder, type Place } from "./fixtures.ts";

const isLong = lane === "long";

const child = (name: string): string => join(import.meta.dirname, "children", `${name}.ts`);

const UMASKS = ["000", "002", "022", "027", "077"];
const EIGHT = Array.from({ length: 8 }, (_, index) => index);

function expectOneKey(dir: string): void {
  const names = readdirSync(dir, { recursive: true, withFileTypes: true });
  for (const entry of names) {
    const mode = (statSync(join(entry.parentPath, entry.name)).mode & 0o7777).toString(8);
    expect(`${entry.name} ${mode}`).toBe(`${entry.name} ${entry.isDirectory() ? "700" : "600"}`);
  }
  expect((statSync(dir).mode & 0o7777).toString(8)).toBe("700");
  expect(readFileSync(join(dir, "master.key.bak"), "utf8")).toBe(
    readFileSync(join(dir, "master.key"), "utf8"),
  );
  expect(names.filter(({ name }) => /^\.master.*\.tmp$/.test(name))).toEqual([]);
}

test("of 8 processes that first use the keys at once, all get one key and numbers of their own", async () => {
  const children = EIGHT.map(() =>
    spawn(process.execPath, [child("use-keys")], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const lines = children.map((each) => createInterface(each.stdout)[Symbol.asyncIterator]());
  const answers = () => Promise.all(lines.map(async (each) => String((await each.next()).value)));
  await answers();
  const root = newFolder();
  for (let trial = 0; trial < byLane({ fast: 2, whole: 20, long: 1000 }); trial += 1) {
    const dir = join(root, `keys-${trial}`);
    for (const each of children) each.stdin.write(`${UMASKS[trial % UMASKS.length]} ${dir}\n`);
    const found = (await answers()).map((line) => line.split(" "));
    expect(new Set(found.map(([keyId]) => keyId)).size).toBe(1);
    expect(found.map(([, number]) => Number(number)).toSorted((a, b) => a - b)).toEqual(EIGHT);
    expectOneKey(dir);
  }
  for (const each of children) each.stdin.end();
  rmSync(root, { recursive: true });
}, 300_000);

/** Kills one process before each of its changes, and lets `judge` look at what each left. */
function killEverywhere(
  what: string,
  step: number,
  prepare: (place: Place) => void,
  judge: (place: Place, at: number) => void,
): number {
  for (let at = 0; ; at += step) {
    const place = aPlace();
    prepare(place);
    const { stdout, signal } = spawnSync(
      process.execPath,
      [child("die-at"), String(at), what, place.root],
      { stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" },
    );
    expect(stdout === "done" || signal === "SIGKILL").toBe(true);
    judge(place, at);
    place.remove();
    if (stdout === "done") return at;
  }
}

const EMPTY = (): void => {};
const withoutItsKey = ({ keys }: Place): void => {
  keys.open();
  rmSync(join(keys.dir, "master.key"));
};

test.for([
  { what: "makes", step: 17, prepare: EMPTY },
  { what: "restores", step: 11, prepare: withoutItsKey },
])(
  "a process killed at any change while it $what the key leaves one or none",
  { timeout: 300_000 },
  ({ step, prepare }) => {
    const points = killEverywhere("open", isLong ? 1 : step, prepare, ({ keys }) => {
      const { keyId, source } = keys.open();
      expect(["created", "loaded", "restored"]).toContain(source);
      expectOneKey(keys.dir);
      expect(createKeyManager({ dir: keys.dir }).open()).toMatchObject({ keyId, source: "loaded" });
    });
    expect(points).toBeGreaterThan(10);
  },
);

test("a rotation killed at any change has happened or has not", () => {
  killEverywhere(
    "rotate",
    isLong ? 1 : 23,
    ({ keys }) => void keys.open(),
    ({ keys, sign, dir, task }, at) => {
      const { generation } = keys.open();
      expect(generation, `at ${at}`).toBeLessThan(2);
      expectOneKey(keys.dir);
      const { receipt } = sign();
      expect(verifyChain([receipt], { dir, task, keys, anchors: [] }).kind).toBe("valid");
      expect(keys.accounts().filter(({ retired }) => !retired)).toHaveLength(1);
    },
  );
}, 300_000);

test("a signing killed at any change leaves a whole receipt or none, and the chain continues", () => {
  const prepare = ({ sign, dir }: Place) => {
    sign({ receiptId: "first" });
    const { stdout, stderr } = receiptPaths(dir, "second");
    for (const path of [stdout, stderr]) writeFileSync(path, "x");
  };
  killEverywhere("sign", isLong ? 1 : 21, prepare, ({ sign, dir, task, keys }, at) => {
    sign({ receiptId: "third" });
    const receipts = listReceipts(dir);
    const ids = receipts.map(({ receiptId }) => receiptId).join();
    expect(["first,third", "first,second,third"], `at ${at}`).toContain(ids);
    const head = keys.head(task);
    expect(verifyChain(receipts, { dir, task, keys, anchors: head ? [head] : [] })).toMatchObject({
      kind: "valid",
      tail: "proved",
    });
  });
}, 300_000);

test("processes that sign for one task at once make one chain", async () => {
  const place = aPlace();
  const { dir, keys, task } = place;
  const ids = ["a", "b", "c", "d", "e"];
  for (const id of ids) {
    const { stdout, stderr } = receiptPaths(dir, id);
    for (const path of [stdout, stderr]) writeFileSync(path, id);
  }
  const children = ids.map((id) =>
    spawn(process.execPath, [child("die-at"), "-1", "sign", place.root, id], {
      stdio: ["ignore", "ignore", "inherit"],
    }),
  );
  await Promise.all(children.map((each) => once(each, "close")));
  const receipts = listReceipts(dir);
  expect(receipts.map(({ receiptId }) => receiptId).toSorted()).toEqual(ids);
  const head = keys.head(task);
  expect(verifyChain(receipts, { dir, task, keys, anchors: head ? [head] : [] })).toMatchObject({
    kind: "valid",
    tail: "proved",
    head: { count: 5 },
  });
  place.remove();
}, 60_000);
