import { execFileSync } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCheckpoint } from "../src/create.ts";
import { encodeCheckpoint } from "../src/encode.ts";
import { CheckpointError } from "../src/errors.ts";
import { createFileCheckpointStore } from "../src/file-store.ts";
import type { FileCheckpointStore, LoadedCheckpoint } from "../src/store.ts";
import { temporaryFolders } from "./folder.ts";
import { HOSTILE_FILES, HOSTILE_IDS } from "./hostile-inputs.ts";

const aFolder = temporaryFolders();
/** Of the CPU, which no other process takes part in: an answer costs less than a second of it. */
const WITHIN_MS = 20_000;

/** A store's folder beside a file that nobody may touch. */
function besideVictim() {
  const dir = aFolder();
  mkdirSync(dir);
  writeFileSync(join(dir, "..", "victim"), "untouched");
  return { dir, store: createFileCheckpointStore({ dir }), path: join(dir, "checkpoint.p.toml") };
}

function expectOutsideUntouched(dir: string): void {
  expect(readdirSync(join(dir, "..")).toSorted()).toStrictEqual(["store", "victim"]);
  expect(readFileSync(join(dir, "..", "victim"), "utf8")).toBe("untouched");
}

/** What `act` resolves to or is rejected with, and that it was no work. */
async function outcomeOf(act: () => Promise<unknown>): Promise<unknown> {
  const before = process.cpuUsage();
  const outcome = await act().catch((error: unknown) => error);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(WITHIN_MS);
  return outcome;
}

function expectCode(error: unknown, code: string): void {
  expect(error).toBeInstanceOf(CheckpointError);
  expect((error as CheckpointError).code).toBe(code);
}

/** As it should read, and still when it was saved again. */
async function expectRead(
  store: FileCheckpointStore,
  loaded: unknown,
  reads: Readonly<Record<string, unknown>>,
): Promise<void> {
  expect(loaded).toMatchObject({ checkpoint: reads, seal: "none", problems: [] });
  await store.save((loaded as LoadedCheckpoint).checkpoint);
  expect((await store.load("p"))?.checkpoint).toMatchObject(reads);
}

test("there are at least 120 inputs, each with a name of its own", () => {
  const names = [...HOSTILE_FILES.map(({ name }) => name), ...HOSTILE_IDS.map(([name]) => name)];
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(120);
});

describe("a file that holds", () => {
  test.for(HOSTILE_FILES)("$name", async ({ bytes, outcome }) => {
    const { dir, store, path } = besideVictim();
    const content = bytes();
    writeFileSync(path, content);
    const loaded = await outcomeOf(() => store.load("p"));
    const all = (await outcomeOf(() => store.loadAll())) as Awaited<
      ReturnType<typeof store.loadAll>
    >;
    const listed = (await outcomeOf(() => store.list())) as Awaited<ReturnType<typeof store.list>>;
    expect(listed.heads.length + listed.problems.length).toBe(1);
    if ("reads" in outcome) await expectRead(store, loaded, outcome.reads);
    else expectCode(loaded, outcome.code);
    expect(all.checkpoints.size + all.problems.length).toBe(1);
    expect("code" in outcome ? readFileSync(path).equals(content) : true).toBe(true);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expectOutsideUntouched(dir);
  });
});

describe("a phase called by", () => {
  test.for(HOSTILE_IDS)("%s", async ([, phaseId, isRefused]) => {
    const { dir, store } = besideVictim();
    const checkpoint = createCheckpoint({ phaseId, runId: "r" });
    const saved = await outcomeOf(() => store.save(checkpoint));
    const loaded = await outcomeOf(() => store.load(phaseId));
    const removed = await outcomeOf(() => store.remove(phaseId));
    const refused = expect.objectContaining({ code: "ERR_INVALID_CHECKPOINT" }) as unknown;
    const found = expect.objectContaining({
      checkpoint: expect.objectContaining({ phaseId, runId: "r" }) as unknown,
    }) as unknown;
    expect([saved, loaded, removed]).toStrictEqual(
      isRefused ? [refused, refused, refused] : [undefined, found, undefined],
    );
    expect(readdirSync(dir)).toStrictEqual([]);
    expectOutsideUntouched(dir);
  });
});

describe("where the file should be there is", () => {
  const valid = encodeCheckpoint(createCheckpoint({ phaseId: "p" }));

  test.for<[string, string, (path: string, dir: string) => void]>([
    ["a folder", "ERR_DAMAGED", (path) => mkdirSync(path)],
    ["a FIFO", "ERR_DAMAGED", (path) => execFileSync("mkfifo", [path])],
    [
      "a link to a valid file",
      "ERR_DAMAGED",
      (path, dir) => {
        writeFileSync(join(dir, "elsewhere"), valid);
        symlinkSync("elsewhere", path);
      },
    ],
    ["a link to the victim", "ERR_DAMAGED", (path) => symlinkSync("../victim", path)],
    ["a link to nothing", "ERR_DAMAGED", (path) => symlinkSync("nothing", path)],
    ["a link to itself", "ERR_DAMAGED", (path) => symlinkSync(path, path)],
    ["a link to /dev/zero", "ERR_DAMAGED", (path) => symlinkSync("/dev/zero", path)],
    [
      "a sparse file of 1 GiB",
      "ERR_TOO_LARGE",
      (path) => {
        const fd = openSync(path, "w");
        ftruncateSync(fd, 2 ** 30);
        closeSync(fd);
      },
    ],
  ])("%s", async ([, code, put]) => {
    const { dir, store, path } = besideVictim();
    put(path, dir);
    expectCode(await outcomeOf(() => store.load("p")), code);
    const all = await outcomeOf(() => store.loadAll());
    expect(all).toMatchObject({ problems: [{ file: "checkpoint.p.toml", error: { code } }] });
    const listed = await outcomeOf(() => store.list());
    expect(listed).toMatchObject({ heads: [], problems: [{ error: { code } }] });
    await outcomeOf(() => store.save(createCheckpoint({ phaseId: "p" })));
    await outcomeOf(() => store.remove("p"));
    expectOutsideUntouched(dir);
  });

  test("a socket", async () => {
    const { dir, store, path } = besideVictim();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const loaded = await outcomeOf(() => store.load("p"));
    await new Promise((resolve) => server.close(resolve));
    expect(loaded).toMatchObject({ name: "CheckpointError", code: "ERR_DAMAGED" });
    expectOutsideUntouched(dir);
  });

  test("a second name of the victim: a save leaves the victim alone", async () => {
    const { dir, store, path } = besideVictim();
    linkSync(join(dir, "..", "victim"), path);
    await store.save(createCheckpoint({ phaseId: "p" }));
    expect((await store.load("p"))?.source).toBe("current");
    expectOutsideUntouched(dir);
  });
});

test("a link at the fixed temporary name of the Go original is not followed", async () => {
  const { dir, store, path } = besideVictim();
  symlinkSync("../victim", `${path}.tmp`);
  await store.save(createCheckpoint({ phaseId: "p" }));
  expect(lstatSync(`${path}.tmp`).isSymbolicLink()).toBe(true);
  expectOutsideUntouched(dir);
});

test("a link where the artifacts' folder should be is not followed", async () => {
  const { dir, store } = besideVictim();
  mkdirSync(join(dir, "..", "outside"));
  symlinkSync("../outside", join(dir, "artifacts"));
  const huge = createCheckpoint({ phaseId: "p", coderOutput: "x\n".repeat(3_000_000) });
  expectCode(await outcomeOf(() => store.save(huge)), "ERR_NOT_DURABLE");
  expect(readdirSync(join(dir, "..", "outside"))).toStrictEqual([]);
});
