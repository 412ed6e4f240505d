import fs, {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { OUTPUT_SIZES, type OutputSizes, partEnding } from "./output-layout.ts";
import { openOutput } from "./output-reader.ts";
import { createOutputStore, type OutputStore, type Reducer } from "./output-store.ts";
import type { TurnFiles } from "./turn-files.ts";
import { createFile } from "./turn-writes.ts";

const SIZES: OutputSizes = { head: 100, part: 50, parts: 3, middle: 4000 };

/** Lines with `!` decide. */
const decisive: Reducer = (line) =>
  line.includes("!") ? line.slice(line.indexOf("!")) : undefined;

interface Kept {
  readonly files: TurnFiles;
  readonly store: OutputStore;
}

/** The files of a turn by their names. */
function contentOf({ dir }: TurnFiles): Readonly<Record<string, string>> {
  const names = readdirSync(dir).toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(dir, name), "utf8")]));
}

function keep(
  lines: readonly string[],
  reducer: () => Reducer | undefined = () => decisive,
  sizes: OutputSizes = SIZES,
): Kept {
  const dir = mkdtempSync(join(tmpdir(), "quasar-output-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = (ending: string): string => join(dir, `1.${ending}`);
  const store = createOutputStore({ sizes, path, out: createFile(path("out")), reducer });
  for (const line of lines) store.add([line]);
  return { files: { dir, path }, store };
}

/** A reader, and what it has read so far. */
function reading(files: TurnFiles) {
  const lines: string[] = [];
  let omitted = 0;
  const reader = openOutput(files, {
    onLines: (some) => lines.push(...some),
    onOmitted: (units) => (omitted += units),
  });
  if (reader === undefined) throw new Error("there is an output");
  onTestFinished(reader.close);
  return {
    lines,
    omitted: () => omitted,
    size: reader.size,
    toEnd() {
      while (reader.readOn());
    },
    once: reader.readOn,
  };
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => (n % 7 === 0 ? `line ${n}!${n}` : `line ${n}`));

const decisionsOf = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => decisive(line) ?? []);

test("an output that is short enough is kept whole, in one file", () => {
  const lines = numbered(9);
  const { files, store } = keep(lines);
  const read = reading(files);
  read.toEnd();
  expect(read.lines).toEqual(lines);
  expect([read.size(), store.omitted(), readdirSync(files.dir)]).toEqual([
    store.bytes(),
    0,
    ["1.out"],
  ]);
});

test("of a longer one the beginning and the end are kept, and what decides between them", () => {
  const lines = numbered(200);
  const { files, store } = keep(lines);
  const read = reading(files);
  read.toEnd();
  expect(read.lines.slice(0, 8)).toEqual(lines.slice(0, 8));
  expect(read.lines.slice(-8)).toEqual(lines.slice(-8));
  expect(decisionsOf(read.lines)).toEqual(decisionsOf(lines));
  expect(read.size()).toBe(store.bytes());
  const units = (all: readonly string[]): number => all.join("\n").length + 1;
  expect(units(read.lines) + read.omitted()).toBe(units(lines));
  const sizes = readdirSync(files.dir).map(
    (name) => [name, statSync(join(files.dir, name)).size] as const,
  );
  const raw = sizes.filter(([name]) => name !== "1.middle").map(([, size]) => size);
  expect(raw).toHaveLength(1 + SIZES.parts);
  expect(Math.max(...raw.slice(1))).toBeLessThanOrEqual(SIZES.head);
  expect(store.omitted()).toBeGreaterThan(store.bytes() / 2);
});

test("whoever reads while it is written learns all that decides, once, however far behind", () => {
  const line = fc
    .tuple(fc.boolean(), fc.string({ maxLength: 60 }))
    .map(([decides, text]) => `${text.replace(/[\r\n!]/g, "")}${decides ? "!yes" : ""}`);
  const steps = fc.array(fc.tuple(line, fc.integer({ min: 0, max: 3 })), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (all) => {
      const { files, store } = keep([]);
      const read = reading(files);
      for (const [text, reads] of all) {
        store.add([text]);
        for (let n = 0; n < reads; n += 1) read.once();
      }
      read.toEnd();
      const lines = all.map(([text]) => text);
      expect(decisionsOf(read.lines)).toEqual(decisionsOf(lines));
      expect(read.size()).toBe(store.bytes());
      const late = reading(files);
      late.toEnd();
      expect(decisionsOf(late.lines)).toEqual(decisionsOf(lines));
      expect(late.size()).toBe(store.bytes());
    }),
    { numRuns: 30 },
  );
});

test("lines that come together lie in files as those that come one by one, and are written at once", () => {
  const text = fc.string({ maxLength: 60 }).map((each) => each.replace(/[\r\n]/g, ""));
  fc.assert(
    fc.property(fc.array(fc.array(text, { minLength: 1, maxLength: 30 })), (batches) => {
      const [together, alone] = [keep([]), keep(batches.flat())];
      for (const batch of batches) together.store.add(batch);
      expect(contentOf(together.files)).toEqual(contentOf(alone.files));
    }),
    { numRuns: 30 },
  );
  const { store } = keep([], undefined, OUTPUT_SIZES);
  const writes = vi.spyOn(fs, "writeSync");
  syncBuiltinESMExports();
  onTestFinished(() => {
    writes.mockRestore();
    syncBuiltinESMExports();
  });
  store.add(Array.from({ length: 10_000 }, () => "y"));
  expect(writes).toHaveBeenCalledOnce();
});

/** The disk is full until it is said that it is not. @returns Says so. */
function fillDisk(): () => void {
  const { writeSync } = fs;
  const restore = (): void => {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  };
  fs.writeSync = ((fd: number, bytes: Uint8Array): number => {
    // Some of it still fits.
    writeSync(fd, bytes, 0, 1);
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  }) as typeof writeSync;
  syncBuiltinESMExports();
  onTestFinished(restore);
  return restore;
}

test("what does not fit on a full disk waits, and is written, in order, as soon as it can be", () => {
  const { files, store } = keep(["one"]);
  const makeRoom = fillDisk();
  store.add(["two", "three"]);
  store.add(["four"]);
  expect(contentOf(files)).toEqual({ "1.out": "one\n" });
  expect(() => store.addLate()).toThrow("ENOSPC");
  makeRoom();
  store.add(["five"]);
  store.addLate();
  expect(contentOf(files)).toEqual({ "1.out": "one\ntwo\nthree\nfour\nfive\n" });
  expect(store.bytes()).toBe("one\ntwo\nthree\nfour\nfive\n".length);
});

test("more than there is room kept for does not wait for it", () => {
  const { store } = keep([]);
  fillDisk();
  expect(() => store.add(["x".repeat(2 ** 16)])).toThrow("ENOSPC");
});

test("what is written while the next file is searched for is read first", () => {
  const { files, store } = keep(["begin"]);
  const lines = numbered(20);
  const path = (ending: string): string => {
    if (ending === partEnding(1)) for (const line of lines.splice(0)) store.add([line]);
    return files.path(ending);
  };
  const read = reading({ dir: files.dir, path });
  read.toEnd();
  expect(read.lines).toEqual(["begin", ...numbered(20)]);
});

/** What a supervisor leaves that is killed when it has reduced a part and not yet removed it, or not yet all of it. */
test.for([["whole"], ["half"], ["without its head"]] as const)(
  "a part whose section is there, %s, is read once",
  ([state]) => {
    const lines = numbered(200);
    const { files, store } = keep(lines.slice(0, 100));
    const firstPart = (): number =>
      Math.min(
        ...readdirSync(files.dir).flatMap((name) =>
          Number(/part-(\d+)$/.exec(name)?.[1] ?? Infinity),
        ),
      );
    const part = firstPart();
    const path = files.path(partEnding(part));
    copyFileSync(path, join(files.dir, "copy"));
    const before = statSync(files.path("middle")).size;
    let at = 100;
    for (; existsSync(path); at += 1) store.add([lines[at] ?? ""]);
    copyFileSync(join(files.dir, "copy"), path);
    const after = statSync(files.path("middle")).size;
    if (state === "half") truncateSync(files.path("middle"), after - 1);
    if (state === "without its head") truncateSync(files.path("middle"), before + 3);
    const read = reading(files);
    read.toEnd();
    expect(decisionsOf(read.lines)).toEqual(decisionsOf(lines.slice(0, at)));
    expect(read.size()).toBe(store.bytes());
  },
);

test("a part that is missing ends what can be read, and its bytes are missing", () => {
  const { files, store } = keep(numbered(30));
  rmSync(files.path(partEnding(2)));
  const read = reading(files);
  read.toEnd();
  expect(read.size()).toBeLessThan(store.bytes());
});

test("until it is known what decides, all is kept", () => {
  let reducer: Reducer | undefined;
  const lines = numbered(60);
  const { files, store } = keep(lines, () => reducer);
  const read = reading(files);
  read.toEnd();
  expect(read.lines).toEqual(lines);
  reducer = decisive;
  store.add(["last"]);
  expect(readdirSync(files.dir).filter((name) => name.includes("part-"))).toHaveLength(SIZES.parts);
});

test("more that decides than is kept is told", () => {
  const { store } = keep([]);
  let count = 1;
  while (store.add([`!${"x".repeat(40)}`])) count += 1;
  const bytes = count * "!\n".length + count * 40;
  expect(bytes).toBeGreaterThan(SIZES.middle / 3);
  expect(bytes).toBeLessThan(SIZES.middle + SIZES.head + SIZES.part * (SIZES.parts + 1));
});

test("an output whose folder was removed is put back whole", () => {
  const lines = numbered(40);
  const { files, store } = keep(lines);
  const names = readdirSync(files.dir);
  for (const name of names) rmSync(join(files.dir, name));
  store.add(["after"]);
  store.restore();
  const read = reading(files);
  read.toEnd();
  expect(decisionsOf(read.lines)).toEqual(decisionsOf(lines));
  expect([read.lines.at(-1), read.size()]).toEqual(["after", store.bytes()]);
});
