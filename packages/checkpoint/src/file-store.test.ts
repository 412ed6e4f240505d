import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import {
  constants,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { type FileSystem, nodeFileSystem } from "@quasar/durable";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { temporaryFolders } from "../test/folder.ts";
import { encodeCheckpoint } from "./encode.ts";
import { checkpointPath } from "./file-name.ts";
import { createFileCheckpointStore } from "./file-store.ts";
import { sealText } from "./seal.ts";
import { aCheckpoint, describeCheckpointStore } from "./testing.ts";

const aFolder = temporaryFolders();
const sealKey = Buffer.alloc(32, 7);
const goText = readFileSync(new URL("../test/fixtures/go-populated.toml", import.meta.url), "utf8");
const now = (): Date => new Date("2026-11-20T18:04:05Z");

/** A folder with two saves of one phase. */
async function twoGenerations() {
  const dir = aFolder();
  const store = createFileCheckpointStore({ dir, sealKey, now });
  await store.save(aCheckpoint({ coderOutput: "first" }));
  await store.save(aCheckpoint({ coderOutput: "second" }));
  return { dir, store, path: checkpointPath(dir, "auth-api") };
}

/** Replaces the file, not the bytes that its generation shares. */
function damage(path: string, bytes: string | Buffer = "version = 1\n"): void {
  copyFileSync(path, `${path}.copy`);
  writeFileSync(`${path}.copy`, bytes);
  // A second name of the newest generation would hide the damage.
  for (const name of readdirSync(join(path, "..")).filter((each) => each.endsWith(".prev"))) {
    const generation = join(path, "..", name);
    if (statSync(generation).ino === statSync(path).ino) writeFileSync(generation, bytes);
  }
  writeFileSync(path, bytes);
}

describe("the file store", () => {
  describeCheckpointStore({ test }, () => createFileCheckpointStore({ dir: aFolder() }));
});

describe("the file store with a key", () => {
  describeCheckpointStore({ test }, () => createFileCheckpointStore({ dir: aFolder(), sealKey }));
});

describe("the file store without flushes", () => {
  describeCheckpointStore({ test }, () =>
    createFileCheckpointStore({ dir: aFolder(), fsync: false }),
  );
});

test("seed 2: Save writes a valid TOML file that can be loaded back with Load", async () => {
  const { path, store } = await twoGenerations();
  expect(parse(readFileSync(path, "utf8"))).toMatchObject({ version: 1, phase_id: "auth-api" });
  expect((await store.load("auth-api"))?.checkpoint).toMatchObject({ coderOutput: "second" });
});

test("seed 2: Write is atomic: uses tmp file + rename", async () => {
  const { dir, path } = await twoGenerations();
  symlinkSync("/dev/null", `${path}.tmp`); // where a fixed name would have been written through
  const opened: string[] = [];
  const unlinked: string[] = [];
  const renamed: string[] = [];
  const fs: FileSystem = {
    ...nodeFileSystem,
    open: (name, flags, mode) => {
      if ((flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0) opened.push(name);
      return nodeFileSystem.open(name, flags, mode);
    },
    unlink: (name) => {
      unlinked.push(name);
      nodeFileSystem.unlink(name);
    },
    rename: (from, to) => {
      renamed.push(`${from} -> ${to}`);
      nodeFileSystem.rename(from, to);
    },
  };
  await createFileCheckpointStore({ dir, fs }).save(aCheckpoint());
  expect(opened).toHaveLength(1);
  expect(opened[0]).not.toBe(`${path}.tmp`);
  expect(renamed).toStrictEqual([`${opened[0]} -> ${path}`]);
  expect(unlinked).not.toContain(path);
});

test("seed 3: Load returns nil, nil when no checkpoint file exists", async () => {
  const { store } = await twoGenerations();
  expect(await store.load("another")).toBeUndefined();
  expect(await createFileCheckpointStore({ dir: aFolder() }).load()).toBeUndefined();
});

test("seed 3: Load returns a parsed Checkpoint when the file exists", async () => {
  const dir = aFolder();
  mkdirSync(dir);
  writeFileSync(join(dir, "checkpoint.auth-api.toml"), goText);
  const loaded = await createFileCheckpointStore({ dir, sealKey }).load("auth-api");
  expect(loaded).toMatchObject({ source: "current", seal: "none", problems: [] });
  expect(loaded?.checkpoint).toMatchObject({ phase: "resolving_issues", cycle: 2 });
});

test("seed 3: LoadAll discovers all checkpoint.*.toml files in a directory, and hides none for another", async () => {
  const { dir, store } = await twoGenerations();
  await store.save(aCheckpoint({ phaseId: "" }));
  await store.save(aCheckpoint({ phaseId: "Ünïcode" }));
  writeFileSync(join(dir, "checkpoint.Go_Phase.toml"), goText.replace("auth-api", "Go_Phase"));
  writeFileSync(join(dir, "checkpoint.bad.toml"), "version = ");
  writeFileSync(join(dir, "checkpoint.renamed.toml"), goText);
  writeFileSync(join(dir, "checkpoint.later.toml"), goText.replace("version = 1", "version = 2"));
  writeFileSync(join(dir, "checkpoint.x.toml.tmp"), "no");
  writeFileSync(join(dir, "checkpoint.x.toml.damaged-20261120T180405Z"), "no");
  writeFileSync(join(dir, "nebula.toml"), "no");
  mkdirSync(join(dir, "checkpoint.folder.toml"));
  const { checkpoints, problems } = await store.loadAll();
  expect([...checkpoints.keys()].toSorted()).toStrictEqual(["", "Go_Phase", "auth-api", "Ünïcode"]);
  expect(problems.map(({ file, error }) => [file, error.code])).toStrictEqual([
    ["checkpoint.bad.toml", "ERR_INVALID_CHECKPOINT"],
    ["checkpoint.folder.toml", "ERR_DAMAGED"],
    ["checkpoint.later.toml", "ERR_INCOMPATIBLE_VERSION"],
    ["checkpoint.renamed.toml", "ERR_INVALID_CHECKPOINT"],
  ]);
});

test("seed 3: Remove deletes the file and returns; no error if file already absent", async () => {
  const { dir, store } = await twoGenerations();
  await store.remove("auth-api");
  expect(readdirSync(dir)).toStrictEqual([]);
  await expect(store.remove("auth-api")).resolves.toBeUndefined();
  await expect(createFileCheckpointStore({ dir: aFolder() }).remove()).resolves.toBeUndefined();
});

test.for([
  ["no TOML", "version = ", "ERR_INVALID_CHECKPOINT"],
  ["a later version", goText.replace("version = 1", "version = 2"), "ERR_INCOMPATIBLE_VERSION"],
  ["a missing seal", goText.replace("version = 1", "version = 1\nsealed = 1"), "ERR_DAMAGED"],
] as const)("seed 3: sentinel errors: %s has a code of the package", async ([, text, code]) => {
  const dir = aFolder();
  mkdirSync(dir);
  writeFileSync(join(dir, "checkpoint.toml"), text);
  const loading = createFileCheckpointStore({ dir }).load();
  await expect(loading).rejects.toMatchObject({ name: "CheckpointError", code });
});

test("a key called artifacts is somebody else's, and kept", async () => {
  const dir = aFolder();
  const store = createFileCheckpointStore({ dir });
  await store.save(aCheckpoint({ extra: { artifacts: "x" } }));
  expect((await store.load("auth-api"))?.checkpoint.extra).toStrictEqual({ artifacts: "x" });
});

test("files are for their owner only", async () => {
  const { dir, path } = await twoGenerations();
  expect((statSync(path).mode & 0o777).toString(8)).toBe("600");
  expect((statSync(dir).mode & 0o777).toString(8)).toBe("700");
});

describe("a seal", () => {
  test("is announced in the head and closes the file", async () => {
    const { path } = await twoGenerations();
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(/^version = 1\nsealed = 1\n/);
    expect(text).toMatch(/\n# quasar:v1 len=\d+ sha256=[0-9a-f]{64} mac=[0-9a-f]{64}\n$/);
  });

  test.for([
    ["our key", { sealKey }, "valid"],
    ["no key", {}, "digest"],
    ["another key", { sealKey: Buffer.alloc(32, 8) }, "foreign"],
    ["another repository", { sealKey, repositoryId: "elsewhere" }, "foreign"],
  ] as const)("read with %s", async ([, options, seal]) => {
    const { dir } = await twoGenerations();
    expect(await createFileCheckpointStore({ dir, ...options }).load("auth-api")).toMatchObject({
      seal,
      source: "current",
    });
  });

  test("without a MAC is foreign to who has a key", async () => {
    const dir = aFolder();
    await createFileCheckpointStore({ dir }).save(aCheckpoint());
    const loaded = await createFileCheckpointStore({ dir, sealKey }).load("auth-api");
    expect(loaded?.seal).toBe("foreign");
  });
});

describe("a damaged file", () => {
  test("gives way to the generation before it, which load says and does not change", async () => {
    const { dir, store, path } = await twoGenerations();
    damage(path);
    const before = readdirSync(dir);
    const loaded = await store.load("auth-api");
    expect(loaded).toMatchObject({ source: "previous", checkpoint: { coderOutput: "first" } });
    expect(loaded?.problems[0]).toMatch(/^checkpoint\.auth-api\.toml: /);
    expect(readdirSync(dir)).toStrictEqual(before);
  });

  test("is quarantined by recover, and the generation before it takes its place", async () => {
    const { dir, store, path } = await twoGenerations();
    damage(path, "half of it");
    const { quarantined, problems } = await store.recover();
    const aside = "checkpoint.auth-api.toml.damaged-20261120T180405Z";
    expect([quarantined, problems]).toStrictEqual([[aside], []]);
    expect(readFileSync(join(dir, aside), "utf8")).toBe("half of it");
    expect(await store.load("auth-api")).toMatchObject({
      source: "current",
      checkpoint: { coderOutput: "first" },
      problems: [],
    });
    expect(await store.recover()).toStrictEqual({ quarantined: [], problems: [] });
  });

  test("is quarantined by the first save of a process, not made a generation", async () => {
    const { dir, path } = await twoGenerations();
    damage(path, "half of it");
    const store = createFileCheckpointStore({ dir, now });
    await store.save(aCheckpoint({ coderOutput: "third" }));
    expect((await store.load("auth-api"))?.checkpoint).toMatchObject({
      coderOutput: "third",
      revision: 2, // after the first; what the second said is lost
    });
    expect(readdirSync(dir).filter((name) => name.includes("damaged"))).toHaveLength(1);
  });

  test("is an error where there is nothing before it, and stays", async () => {
    const dir = aFolder();
    const store = createFileCheckpointStore({ dir, now });
    await store.save(aCheckpoint());
    const path = checkpointPath(dir, "auth-api");
    truncateSync(path, statSync(path).size - 10);
    await expect(store.load("auth-api")).rejects.toMatchObject({ code: "ERR_DAMAGED" });
    expect((await store.recover()).quarantined).toHaveLength(1);
    expect(await store.load("auth-api")).toBeUndefined();
  });

  test("that a folder stands for is reported by recover and refuses the save", async () => {
    const dir = aFolder();
    mkdirSync(join(dir, "checkpoint.toml"), { recursive: true });
    const store = createFileCheckpointStore({ dir });
    await expect(store.load()).rejects.toMatchObject({ code: "ERR_DAMAGED" });
    await expect(store.save(aCheckpoint({ phaseId: "" }))).rejects.toMatchObject({
      code: "ERR_NOT_DURABLE",
    });
    expect((await store.recover()).problems.map(({ file }) => file)).toStrictEqual([
      "checkpoint.toml",
    ]);
  });
});

test("recover touches nothing of the folder but checkpoints and artifacts", async () => {
  const { dir } = await twoGenerations();
  mkdirSync(join(dir, "artifacts"));
  const hex = "0123456789abcdef";
  const others = ["notes.md", `.notes.md.${hex}.tmp`, `artifacts/.notes.md.${hex}.tmp`];
  for (const name of others) writeFileSync(join(dir, name), "mine");
  writeFileSync(join(dir, `.checkpoint.toml.${hex}.tmp`), "left by a killed save");
  writeFileSync(join(dir, `artifacts/.${"0".repeat(64)}.${hex}.tmp`), "left by a killed save");
  const opened: string[] = [];
  const open: FileSystem["open"] = (path, flags, mode) => {
    opened.push(path);
    return nodeFileSystem.open(path, flags, mode);
  };
  await createFileCheckpointStore({ dir, fs: { ...nodeFileSystem, open } }).recover();
  expect(opened.filter((path) => path.includes("notes"))).toStrictEqual([]);
  expect(readdirSync(dir, { recursive: true, encoding: "utf8" }).toSorted()).toStrictEqual(
    [
      ...others,
      "artifacts",
      "checkpoint.auth-api.toml",
      ...[1, 2].map((number) => `checkpoint.auth-api.toml.${number}.prev`),
    ].toSorted(),
  );
});

describe("a first save", () => {
  const plain = "checkpoint.Auth_API.toml";
  const ours = basename(checkpointPath("", "Auth_API"));
  const goFile = (revision: number): string =>
    `revision = ${revision}\n${goText.replace("auth-api", "Auth_API")}`;

  /** Saves what its caller has made anew: what was read for it, open by open, and what it became. */
  async function firstSave(dir: string, phaseId: string, isRecovered: boolean) {
    const unread = new Map<number, string>();
    const reads: string[] = [];
    const fs: FileSystem = {
      ...nodeFileSystem,
      open(path, flags, mode) {
        const fd = nodeFileSystem.open(path, flags, mode);
        unread.set(fd, basename(path));
        return fd;
      },
      read(fd, ...into) {
        reads.push(...[unread.get(fd)].filter((name) => name !== undefined));
        unread.delete(fd);
        return nodeFileSystem.read(fd, ...into);
      },
    };
    const store = createFileCheckpointStore({ dir, sealKey, now, fs });
    if (isRecovered) await store.recover();
    reads.length = 0;
    await store.save(aCheckpoint({ phaseId, revision: 0 }));
    const read = [...reads];
    const loaded = await store.load(phaseId);
    return { read, revision: loaded?.checkpoint.revision };
  }

  test("follows the revision on disk, for which the file is read once", async () => {
    const { dir, path } = await twoGenerations();
    const saved = await firstSave(dir, "auth-api", false);
    expect(saved).toStrictEqual({ read: [basename(path)], revision: 3 });
  });

  test("follows the revision that recover has seen, and reads nothing", async () => {
    const { dir } = await twoGenerations();
    const saved = await firstSave(dir, "auth-api", true);
    expect(saved).toStrictEqual({ read: [], revision: 3 });
  });

  test("follows the newest revision that is whole once recover has set a damaged one aside", async () => {
    const { dir, path } = await twoGenerations();
    damage(path);
    const saved = await firstSave(dir, "auth-api", true);
    expect(saved).toStrictEqual({ read: [], revision: 2 });
    expect(readdirSync(dir).filter((name) => name.includes("damaged"))).toHaveLength(1);
  });

  test.for([
    ["the Go original's name alone", [[plain, 7]], [plain], 8],
    [
      "our name, whatever the Go original's says",
      [
        [plain, 7],
        [ours, 2],
      ],
      [],
      3,
    ],
    [
      "our name, although it is read before the Go original's",
      [
        [ours, 7],
        [plain, 2],
      ],
      [],
      8,
    ],
  ] as const)("after recover follows the revision under %s", async ([, files, read, revision]) => {
    const dir = aFolder();
    mkdirSync(dir);
    for (const [name, kept] of files) writeFileSync(join(dir, name), goFile(kept));
    expect(await firstSave(dir, "Auth_API", true)).toStrictEqual({ read, revision });
  });

  test("after recover replaces no newer version's file, whatever was saved before", async () => {
    const { store, path } = await twoGenerations();
    writeFileSync(`${path}.new`, goText.replace("version = 1", "version = 2"));
    renameSync(`${path}.new`, path);
    await store.recover();
    const refusal = { code: "ERR_INCOMPATIBLE_VERSION" };
    await expect(store.save(aCheckpoint())).rejects.toMatchObject(refusal);
  });
});

describe("a newer version's file", () => {
  test("is neither passed over for an older generation nor replaced", async () => {
    const { dir, path } = await twoGenerations();
    writeFileSync(`${path}.new`, goText.replace("version = 1", "version = 2\nnews = 1"));
    copyFileSync(`${path}.new`, path);
    const store = createFileCheckpointStore({ dir });
    const incompatible = {
      code: "ERR_INCOMPATIBLE_VERSION",
      message: expect.stringContaining("newer") as string,
    };
    await expect(store.load("auth-api")).rejects.toMatchObject(incompatible);
    await expect(store.save(aCheckpoint())).rejects.toMatchObject(incompatible);
    expect((await store.recover()).quarantined).toStrictEqual([]);
    expect(readFileSync(path, "utf8")).toContain("news = 1");
  });
});

describe("the Go original's file of a phase whose name ours encodes", () => {
  async function withGoFile() {
    const dir = aFolder();
    mkdirSync(dir);
    writeFileSync(join(dir, "checkpoint.Auth_API.toml"), goText.replace("auth-api", "Auth_API"));
    return { dir, store: createFileCheckpointStore({ dir }) };
  }

  test("is loaded by that phase's id", async () => {
    const { store } = await withGoFile();
    expect((await store.load("Auth_API"))?.checkpoint.phaseId).toBe("Auth_API");
    expect(await store.load("auth_api")).toBeUndefined();
  });

  test("is quarantined by the first save when it is damaged", async () => {
    const { dir } = await withGoFile();
    writeFileSync(join(dir, "checkpoint.Auth_API.toml"), "garbage");
    const store = createFileCheckpointStore({ dir, now });
    await expect(store.load("Auth_API")).rejects.toMatchObject({ code: "ERR_INVALID_CHECKPOINT" });
    await store.save(aCheckpoint({ phaseId: "Auth_API", cycle: 3 }));
    expect((await store.load("Auth_API"))?.checkpoint).toMatchObject({ cycle: 3, revision: 1 });
    expect(readdirSync(dir)).toContain("checkpoint.Auth_API.toml.damaged-20261120T180405Z");
  });

  test.for([0, 1, 2, 3])("does not come back when unlink %i of a removal fails", async (at) => {
    const { dir, store: first } = await withGoFile();
    await first.save(aCheckpoint({ phaseId: "Auth_API", cycle: 3 }));
    let unlinks = 0;
    const unlink: FileSystem["unlink"] = (path) => {
      if (unlinks++ >= at) throw Object.assign(new Error("EIO"), { code: "EIO" });
      nodeFileSystem.unlink(path);
    };
    const store = createFileCheckpointStore({ dir, fs: { ...nodeFileSystem, unlink } });
    await store.remove("Auth_API").catch(() => {});
    expect(unlinks).toBeGreaterThan(0);
    expect([3, undefined]).toContain((await first.load("Auth_API"))?.checkpoint.cycle);
  });

  test("is superseded by a save, and goes with its removal", async () => {
    const { dir, store } = await withGoFile();
    await store.save(aCheckpoint({ phaseId: "Auth_API", cycle: 3 }));
    expect((await store.load("Auth_API"))?.checkpoint.cycle).toBe(3);
    const { checkpoints } = await store.loadAll();
    expect([...checkpoints].map(([id, { checkpoint }]) => [id, checkpoint.cycle])).toStrictEqual([
      ["Auth_API", 3],
    ]);
    await store.remove("Auth_API");
    expect(readdirSync(dir)).toStrictEqual([]);
  });
});

describe("texts too large for the file", () => {
  const huge = `${randomBytes(1_500_000).toString("hex")}\n${"é😀".repeat(500_000)}`;
  const artifactsOf = (dir: string): readonly string[] => readdirSync(join(dir, "artifacts"));

  async function withArtifact() {
    const dir = aFolder();
    const store = createFileCheckpointStore({ dir, sealKey });
    await store.save(aCheckpoint({ coderOutput: huge }));
    return { dir, store, path: checkpointPath(dir, "auth-api") };
  }

  test("are kept beside it and come back", async () => {
    const { dir, path } = await withArtifact();
    expect(statSync(path).size).toBeLessThan(20_000);
    expect(artifactsOf(dir)).toHaveLength(1);
    const text = parse(readFileSync(path, "utf8"));
    expect(text["coder_output"]).toContain(`artifacts/${artifactsOf(dir)[0]}`);
    const loaded = await createFileCheckpointStore({ dir, sealKey }).load("auth-api");
    expect(loaded?.checkpoint.coderOutput === huge).toBe(true);
    expect(loaded).toMatchObject({ seal: "valid", problems: [] });
    expect(loaded?.checkpoint.extra).toStrictEqual({});
  });

  test("go from the largest on, as far as needed", async () => {
    const dir = aFolder();
    const store = createFileCheckpointStore({ dir });
    const half = "x\n".repeat(1_200_000);
    const saved = aCheckpoint({ coderOutput: half, reviewOutput: `${half}y`, lintOutput: half });
    await store.save(saved);
    expect(artifactsOf(dir)).toHaveLength(2);
    expect((await store.load("auth-api"))?.checkpoint).toStrictEqual({ ...saved, revision: 1 });
  });

  test("go when no generation names them any more", async () => {
    const { dir, store } = await withArtifact();
    await store.save(aCheckpoint());
    expect(artifactsOf(dir)).toHaveLength(1);
    await store.save(aCheckpoint());
    expect(artifactsOf(dir)).toHaveLength(0);
  });

  test("go with the checkpoint, unless another one names them", async () => {
    const { dir, store } = await withArtifact();
    await store.save(aCheckpoint({ phaseId: "other", coderOutput: huge }));
    await store.remove("auth-api");
    expect(artifactsOf(dir)).toHaveLength(1);
    await createFileCheckpointStore({ dir }).remove("other");
    expect(artifactsOf(dir)).toHaveLength(0);
  });

  test.for<[string, (dir: string) => unknown]>([
    ["the folder was deleted", (dir) => rmSync(dir, { recursive: true })],
    [
      "another store removed the checkpoint",
      (dir) => createFileCheckpointStore({ dir }).remove("auth-api"),
    ],
    [
      "one was altered",
      (dir) => writeFileSync(join(dir, "artifacts", artifactsOf(dir)[0]!), "bad"),
    ],
    [
      "one was replaced by as many other bytes",
      (dir) => {
        const path = join(dir, "artifacts", artifactsOf(dir)[0]!);
        writeFileSync(`${path}.new`, "x".repeat(statSync(path).size));
        renameSync(`${path}.new`, path);
      },
    ],
  ])("are written again when since the last save %s", async ([, harm]) => {
    const { dir, store } = await withArtifact();
    await harm(dir);
    await store.save(aCheckpoint({ coderOutput: huge }));
    const loaded = await createFileCheckpointStore({ dir, sealKey }).load("auth-api");
    expect(loaded?.source).toBe("current");
    expect(loaded?.checkpoint.coderOutput === huge).toBe(true);
  });

  test("are not written again when nothing happened to them", async () => {
    const { dir, store } = await withArtifact();
    const path = join(dir, "artifacts", artifactsOf(dir)[0]!);
    const { ino } = statSync(path);
    await store.save(aCheckpoint({ coderOutput: huge }));
    expect(statSync(path).ino).toBe(ino);
  });

  test("go two saves after a store found them there", async () => {
    const { dir } = await withArtifact();
    const store = createFileCheckpointStore({ dir, sealKey });
    for (const left of [1, 0]) {
      await store.save(aCheckpoint());
      expect(artifactsOf(dir)).toHaveLength(left);
    }
  });

  test("go with the next save that is on disk, if theirs was not", async () => {
    const { dir } = await withArtifact();
    let isFull = true;
    const rename: FileSystem["rename"] = (from, to) => {
      if (isFull && to.endsWith(".toml")) throw Object.assign(new Error(), { code: "ENOSPC" });
      nodeFileSystem.rename(from, to);
    };
    const store = createFileCheckpointStore({ dir, sealKey, fs: { ...nodeFileSystem, rename } });
    await expect(store.save(aCheckpoint({ reviewOutput: `${huge}!` }))).rejects.toMatchObject({
      code: "ERR_NOT_DURABLE",
    });
    expect(artifactsOf(dir)).toHaveLength(2);
    isFull = false;
    await store.save(aCheckpoint());
    expect(artifactsOf(dir)).toHaveLength(1);
  });

  test("stay, and no save or removal fails, when another checkpoint cannot be read", async () => {
    const { dir } = await withArtifact();
    await createFileCheckpointStore({ dir }).save(aCheckpoint({ phaseId: "other" }));
    const open: FileSystem["open"] = (path, flags, mode) => {
      if (!path.endsWith("checkpoint.other.toml")) return nodeFileSystem.open(path, flags, mode);
      throw Object.assign(new Error("EACCES"), { code: "EACCES" });
    };
    const store = createFileCheckpointStore({ dir, sealKey, fs: { ...nodeFileSystem, open } });
    for (const cycle of [1, 2, 3, 4]) await store.save(aCheckpoint({ cycle }));
    expect((await store.load("auth-api"))?.checkpoint.cycle).toBe(4);
    await store.remove("auth-api");
    expect(artifactsOf(dir)).toHaveLength(1);
    await createFileCheckpointStore({ dir, sealKey }).recover();
    expect(artifactsOf(dir)).toHaveLength(0);
  });

  test("in use do not make a save read other checkpoints, after a recovery neither", async () => {
    const { dir } = await withArtifact();
    await createFileCheckpointStore({ dir }).save(aCheckpoint({ phaseId: "other" }));
    let isWatched = false;
    const seen: string[] = [];
    const open: FileSystem["open"] = (path, flags, mode) => {
      if (isWatched && path.endsWith("checkpoint.auth-api.toml")) seen.push(path);
      return nodeFileSystem.open(path, flags, mode);
    };
    const store = createFileCheckpointStore({ dir, sealKey, fs: { ...nodeFileSystem, open } });
    await store.recover();
    isWatched = true;
    for (const cycle of [1, 2, 3]) await store.save(aCheckpoint({ phaseId: "other", cycle }));
    expect(seen).toStrictEqual([]);
  });

  test("are collected by recover when a killed save left them", async () => {
    const { dir, store } = await withArtifact();
    writeFileSync(join(dir, "artifacts", "0".repeat(64)), "left");
    await store.recover();
    expect(artifactsOf(dir)).toHaveLength(1);
    expect((await store.load("auth-api"))?.checkpoint.coderOutput === huge).toBe(true);
  });

  test.for([
    ["altered", (path: string) => writeFileSync(path, `${huge.slice(0, -2)}x`)],
    ["emptied", (path: string) => truncateSync(path)],
    ["missing", (path: string) => rmSync(path)],
  ] as const)("are damage when one is %s: the generation before is loaded", async ([, harm]) => {
    const dir = aFolder();
    const store = createFileCheckpointStore({ dir });
    await store.save(aCheckpoint({ coderOutput: "first" }));
    await store.save(aCheckpoint({ coderOutput: huge }));
    harm(join(dir, "artifacts", artifactsOf(dir)[0]!));
    const loaded = await store.load("auth-api");
    expect(loaded).toMatchObject({ source: "previous", checkpoint: { coderOutput: "first" } });
    expect(loaded?.problems[0]).toMatch(/artifact/);
  });

  /** A store that cannot open artifacts, but for the first `count` times. */
  function failingToReadArtifacts(dir: string, errno: string, count = 0) {
    let opened = 0;
    const fs: FileSystem = {
      ...nodeFileSystem,
      open: (path, flags, mode) => {
        if (dirname(path).endsWith("artifacts") && (opened += 1) > count) {
          throw Object.assign(new Error(errno), { code: errno });
        }
        return nodeFileSystem.open(path, flags, mode);
      },
    };
    return createFileCheckpointStore({ dir, fs });
  }

  test.for(["EMFILE", "ENFILE", "EACCES", "ENOMEM"])(
    "bring no older generation back when reading one fails with %s",
    async (errno) => {
      const dir = aFolder();
      const store = createFileCheckpointStore({ dir });
      await store.save(aCheckpoint({ coderOutput: "first" }));
      await store.save(aCheckpoint({ coderOutput: huge }));
      const unreadable = expect.objectContaining({ code: "ERR_UNREADABLE" }) as unknown;
      await expect(failingToReadArtifacts(dir, errno).load("auth-api")).rejects.toEqual(unreadable);

      const { quarantined, problems } = await failingToReadArtifacts(dir, errno, 1).recover();
      expect(quarantined).toStrictEqual([]);
      expect(problems.map(({ error }) => error.code)).toStrictEqual(["ERR_UNREADABLE"]);
      const loaded = await store.load("auth-api");
      expect(loaded?.source).toBe("current");
      expect(loaded?.checkpoint.coderOutput === huge).toBe(true);
    },
  );

  test("are damage when a file stands for their folder", async () => {
    const { dir, store } = await withArtifact();
    rmSync(join(dir, "artifacts"), { recursive: true });
    writeFileSync(join(dir, "artifacts"), "");
    await expect(store.load("auth-api")).rejects.toMatchObject({ code: "ERR_DAMAGED" });
  });

  test("come back from a file that has the driving program's notes among its lists, and the notes too", async () => {
    const dir = aFolder();
    const store = createFileCheckpointStore({ dir, sealKey });
    const coderOutput = "Changed a.go\n".repeat(500);
    const artifact = "e8c8c5e819a5392213272eb6293ff4cba42c2136f26f41e5de499123e2ac07f3";
    mkdirSync(join(dir, "artifacts"), { recursive: true });
    writeFileSync(join(dir, "artifacts", artifact), coderOutput);
    copyFileSync(new URL("../test/fixtures/moved-text.toml", import.meta.url), checkpointPath(dir));
    const loaded = await store.load();
    expect(loaded).toMatchObject({ seal: "valid", source: "current", problems: [] });
    const when = new Date("2026-11-20T00:00:00Z");
    const outcome = {
      outcome: "error",
      message: `Claude Code made no changes: it's "denied"`,
      allow: ["Bash(npm test *)"],
      requests: 41,
    };
    const { turn, settings, ...checkpoint } = loaded!.checkpoint;
    expect(turn).toMatchObject({ id: "run-1.3", sessionId: "5f0e", allowanceUsd: 4.5 });
    expect(settings).toEqual({
      coder: "claude",
      max_cycles: 3,
      allowed_tools: ["Bash(npm test *)"],
      nested: { a: [1.5, true], when },
    });
    expect(checkpoint).toStrictEqual(
      aCheckpoint({
        phaseId: "",
        revision: 1,
        coderOutput,
        hasUnreportedCosts: true,
        outcome,
        extra: { later: { key: [1, "two"] } },
      }),
    );
    const summary = {
      outcome,
      hasUnreportedCosts: true,
      cycle: 2,
      taskTitle: checkpoint.taskTitle,
    };
    expect(await store.loadSummary()).toMatchObject({ seal: "valid", summary });
    await store.save(loaded!.checkpoint);
    expect((await store.load())?.checkpoint).toEqual({ ...loaded!.checkpoint, revision: 2 });
    const keys = readFileSync(checkpointPath(dir), "utf8").match(/^un\w+_costs(?= = )/gmu);
    expect(keys, "a former key is written under its present name").toEqual(["unreported_costs"]);
  });

  test.for([
    ["a path", "quasar_artifacts = { coder_output = '../../../etc/passwd' }"],
    ["no text's", `quasar_artifacts = { cycle = '${"0".repeat(64)}' }`],
    ["no table", "quasar_artifacts = 'x'"],
    ["missing", `quasar_artifacts = { coder_output = '${"0".repeat(64)}' }`, "ERR_DAMAGED"],
  ])("are refused when the reference is %s", async ([, line, code = "ERR_INVALID_CHECKPOINT"]) => {
    const dir = aFolder();
    mkdirSync(dir);
    writeFileSync(join(dir, "checkpoint.auth-api.toml"), `${line}\n${goText}`);
    await expect(createFileCheckpointStore({ dir }).load("auth-api")).rejects.toMatchObject({
      code,
    });
  });

  test("are refused where moving them out does not help", async () => {
    const { dir, store } = await withArtifact();
    const childBeadIds = ["x".repeat(5 * 1024 * 1024)];
    await expect(store.save(aCheckpoint({ childBeadIds }))).rejects.toMatchObject({
      code: "ERR_TOO_LARGE",
    });
    expect(artifactsOf(dir)).toHaveLength(1);
  });
});

describe("a listing", () => {
  test("shows what the heads say", async () => {
    const { dir, store } = await twoGenerations();
    const title = "Set up\nthe rest of a very long task\n".repeat(1000);
    await store.save(aCheckpoint({ phaseId: "", taskTitle: title, totalCostUsd: 2 }));
    writeFileSync(join(dir, "checkpoint.go-phase.toml"), goText.replace("auth-api", "go-phase"));
    writeFileSync(join(dir, "checkpoint.bad.toml"), "version = ");
    const { heads, problems } = await store.list();
    expect(heads.map(({ file, phaseId, title: shown }) => [file, phaseId, shown])).toStrictEqual([
      ["checkpoint.auth-api.toml", "auth-api", "Add JWT"],
      ["checkpoint.go-phase.toml", "go-phase", "PROJECT CONTEXT:"],
      ["checkpoint.toml", "", "Set up"],
    ]);
    expect(heads[2]).toMatchObject({ cycle: 2, totalCostUsd: 2, revision: 1, runId: "run-1" });
    expect(problems.map(({ file }) => file)).toStrictEqual(["checkpoint.bad.toml"]);
  });

  test("reads on where the head does not say enough", async () => {
    const dir = aFolder();
    mkdirSync(dir);
    const long = goText.replace("auth-api", "long").replace("'my-nebula'", `'${"n".repeat(9000)}'`);
    writeFileSync(join(dir, "checkpoint.long.toml"), long);
    const { heads } = await createFileCheckpointStore({ dir }).list();
    expect(heads).toMatchObject([{ phaseId: "long", cycle: 2, title: "PROJECT CONTEXT:" }]);
  });

  test("says nothing of an empty or missing folder", async () => {
    const store = createFileCheckpointStore({ dir: aFolder() });
    expect(await store.list()).toStrictEqual({ heads: [], problems: [] });
    expect(await store.recover()).toStrictEqual({ quarantined: [], problems: [] });
  });
});

describe("a summary", () => {
  const titles = [
    "",
    "One line",
    "It's\n'''\n\u0001",
    "a\nrun_id = 'x'\ncycle = 7\n",
    '"""\n\ttab"',
  ];
  const settings = { coder: "claude", "a.b": ["'''", "x\ntask_title = 'y'\n"] };

  test.for([
    ["our key", { sealKey }],
    ["another key", { sealKey: Buffer.alloc(32, 8) }],
    ["no key", {}],
    ["another repository's key", { sealKey, repositoryId: "/other" }],
  ] as const)("of a file judged by %s says what a load says", async ([, seal]) => {
    const dir = aFolder();
    for (const taskTitle of titles) {
      const outcome = { outcome: "error", message: "x".repeat(400), allow: [], requests: 41 };
      const nebulaName = "n".repeat(400);
      const notes = { settings, outcome, hasUnreportedCosts: true };
      const saved = aCheckpoint({ phaseId: "", taskTitle, ...notes, nebulaName });
      await createFileCheckpointStore({ dir, sealKey }).save(saved);
      const store = createFileCheckpointStore({ dir, ...seal });
      const loaded = await store.load();
      const found = await store.loadSummary();
      expect(found).toMatchObject({ seal: loaded?.seal, source: "current", problems: [] });
      expect(loaded?.checkpoint).toMatchObject({ ...found?.summary, taskTitle });
      const values = {
        cycle: 2,
        totalCostUsd: 1.2345,
        nebulaName,
        outcome,
        hasUnreportedCosts: true,
      };
      expect(found?.summary).toMatchObject(values);
    }
  });

  test("of damage, another version or another program's file is as a load", async () => {
    const { store, path, dir } = await twoGenerations();
    const phaseId = "auth-api";
    damage(path, readFileSync(path).subarray(0, -300));
    const { problems = [] } = (await store.load(phaseId)) ?? {};
    expect(problems).not.toEqual([]);
    expect(await store.loadSummary(phaseId)).toMatchObject({ source: "previous", problems });
    const text = ["version = 2\n", "task_title = 'x'\n"];
    damage(path, sealText(text, sealKey, { repositoryId: "", runId: "", phaseId, revision: 9 }));
    const isOther = { code: "ERR_INCOMPATIBLE_VERSION" };
    await expect(store.loadSummary(phaseId)).rejects.toMatchObject(isOther);
    writeFileSync(checkpointPath(dir, "go-phase"), goText.replace("auth-api", "go-phase"));
    const summary = { phaseId: "go-phase", cycle: 2 };
    expect(await store.loadSummary("go-phase")).toMatchObject({
      seal: "none",
      summary,
    });
    expect(await store.loadSummary("none")).toBeUndefined();
  });

  test("has a text that is in a file of its own whole", async () => {
    const dir = aFolder();
    const store = createFileCheckpointStore({ dir, sealKey });
    const taskTitle = "A long task. ".repeat(500_000);
    await store.save(aCheckpoint({ phaseId: "", taskTitle }));
    expect((await store.loadSummary())?.summary.taskTitle === taskTitle).toBe(true);
    rmSync(join(dir, "artifacts"), { recursive: true });
    await expect(store.loadSummary()).rejects.toMatchObject({ code: "ERR_DAMAGED" });
  });

  test("leaves what follows the task in our file unread", async () => {
    const { store, path } = await twoGenerations();
    const phaseId = "auth-api";
    const subject = { repositoryId: "", runId: "run-1", phaseId, revision: 2 };
    const [head = ""] = readFileSync(path, "utf8").split("coder_output");
    damage(path, sealText([head, "and no TOML\n"], sealKey, subject));
    expect(await store.loadSummary(phaseId)).toMatchObject({ source: "current" });
    expect(await store.load(phaseId)).toMatchObject({ source: "previous" });
  });
});

test("a folder that is a link is refused, reading and writing", async () => {
  const { dir } = await twoGenerations();
  const link = aFolder();
  symlinkSync(dir, link);
  const store = createFileCheckpointStore({ dir: link });
  await expect(store.load("auth-api")).rejects.toMatchObject({ code: "ERR_UNREADABLE" });
  await expect(store.loadAll()).rejects.toMatchObject({ code: "ERR_UNREADABLE" });
  await expect(store.list()).rejects.toMatchObject({ code: "ERR_UNREADABLE" });
  await expect(store.save(aCheckpoint({ phaseId: "new" }))).rejects.toMatchObject({
    name: "CheckpointError",
  });
  expect(readdirSync(dir).some((name) => name.includes("new"))).toBe(false);
});

test("a text that says it is sealed and is not is damage, even if it is whole", async () => {
  const dir = aFolder();
  mkdirSync(dir);
  const text = encodeCheckpoint(aCheckpoint()).replace("version = 1", "version = 1\nsealed = 1");
  writeFileSync(join(dir, "checkpoint.auth-api.toml"), text);
  await expect(createFileCheckpointStore({ dir }).load("auth-api")).rejects.toMatchObject({
    code: "ERR_DAMAGED",
  });
});
