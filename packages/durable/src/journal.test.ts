import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { openJournal } from "./journal.ts";
import { readJournal, readLastRecord } from "./read-journal.ts";
import { quarantine } from "./quarantine.ts";
import { failing, shortWrites } from "./testing.ts";

const now = () => new Date("2026-01-02T03:04:05Z");
const ASIDE = "events.jsonl.damaged-20260102T030405Z";

function aPath(): string {
  const dir = mkdtempSync(join(tmpdir(), "quasar-journal-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, "run", "events.jsonl");
}

function aJournal(...words: readonly unknown[]): string {
  const path = aPath();
  const journal = openJournal(path);
  for (const word of words) journal.append(word);
  journal.close();
  return path;
}

const wordsIn = (path: string): readonly unknown[] | undefined =>
  readJournal(path)?.records.map(({ data }) => data);

test("what is added is read again, by who opens it next, too", () => {
  const words = [{ type: "a", n: 1 }, "é\u2028\n", null, [1.5, { __proto__: null }]];
  const path = aJournal(...words);
  expect(readJournal(path)).toMatchObject({ unfinished: 0, damage: undefined });
  const journal = openJournal(path);
  expect(journal.records.map(({ data }) => data)).toEqual(words);
  expect(journal.append("more")).toMatchObject({ seq: 5, data: "more" });
  expect(wordsIn(path)).toEqual([...words, "more"]);
  expect(journal.end).toEqual(readJournal(path)?.end);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("each line is one record that names the line before", () => {
  const path = aJournal("a", "b");
  expect(readFileSync(path, "utf8")).toBe(
    [
      `{"seq":1,"prev":"${"0".repeat(64)}","data":"a"}\n`,
      `{"seq":2,"prev":"0f3b0d5c","data":"b"}\n`,
    ]
      .join("")
      .replace("0f3b0d5c", readJournal(path)?.records[1]?.prev ?? ""),
  );
  expect(readJournal(path)?.records[1]?.prev).toMatch(/^[0-9a-f]{64}$/);
});

test("any byte that is changed is found out, and nothing after it is believed", () => {
  const path = aJournal("one", "two", "three");
  const whole = readJournal(path);
  const bytes = readFileSync(path);
  const lengths = bytes
    .toString()
    .split("\n")
    .map((line) => line.length + 1);
  const last = (lengths[0] ?? 0) + (lengths[1] ?? 0);
  for (const [at] of bytes.entries()) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    writeFileSync(path, changed);
    const found = readJournal(path);
    const told = found?.records.map(({ data }) => data) ?? [];
    // The last line is not named by another: a change of what it says shows in its hash alone.
    if (at < last) {
      // An end of a line that is gone makes one line of two: it is taken for a torn end, and kept.
      if (bytes[at] === 0x0a && found?.damage === undefined) {
        expect(found?.unfinished).toBeGreaterThan(0);
      } else expect(found?.damage, `byte ${at}`).toBeDefined();
      expect(["one", "two"].slice(0, told.length)).toEqual(told);
    } else if (told.length === 3) expect(found?.end.hash).not.toBe(whole?.end.hash);
    else expect(told.slice(0, 1)).toEqual(["one"]);
  }
});

test.for([
  ["a record is left out", (lines: readonly string[]) => [lines[0], lines[2]]],
  ["records are swapped", (lines: readonly string[]) => [lines[1], lines[0], lines[2]]],
  ["a record is there twice", (lines: readonly string[]) => [lines[0], lines[0], lines[1]]],
  ["an empty line is put in", (lines: readonly string[]) => [lines[0], "", lines[1]]],
  ["a key is added", (l: readonly string[]) => [l[0]?.replace("{", '{"x":1,'), l[1]]],
  ["it is no JSON", (lines: readonly string[]) => ["nonsense", lines[1]]],
] as const)("where %s, it is damaged: it can be quarantined, not added to", ([, change]) => {
  const path = aJournal("one", "two", "three");
  const lines = readFileSync(path, "utf8").split("\n").slice(0, 3);
  writeFileSync(
    path,
    change(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
  expect(readJournal(path)?.damage).toMatchObject({ message: expect.stringContaining("damaged") });
  expect(() => openJournal(path)).toThrow(expect.objectContaining({ code: "ERR_DAMAGED" }));
  expect(quarantine(path, { now: now() })).toContain(ASIDE);
  expect(openJournal(path).records).toEqual([]);
});

test("a torn end is taken out, and kept beside", () => {
  const whole = readFileSync(aJournal("one", "two"));
  const first = whole.indexOf("\n") + 1;
  for (let length = first; length < whole.length; length += 1) {
    const path = aPath();
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, whole.subarray(0, length));
    const unfinished = length - first;
    expect(readJournal(path)).toMatchObject({ unfinished, damage: undefined });
    const journal = openJournal(path, { now });
    expect(journal.asidePath?.endsWith(ASIDE) ?? false).toBe(unfinished > 0);
    if (journal.asidePath !== undefined) {
      expect(readFileSync(journal.asidePath)).toEqual(whole.subarray(0, length));
    }
    journal.append("three");
    expect(wordsIn(path)).toEqual(["one", "three"]);
  }
});

test("a last line of garbage is a torn end, however it ends", () => {
  for (const garbage of ["\0\0\0", "\xa5\n", "{}\n", '{"seq":2,\n', "\n"]) {
    const path = aJournal("one");
    appendFileSync(path, garbage, "latin1");
    const journal = openJournal(path, { now });
    expect(journal.records).toHaveLength(1);
    expect(readFileSync(journal.asidePath ?? "").toString("latin1")).toContain(garbage);
    journal.append("two");
    expect(wordsIn(path)).toEqual(["one", "two"]);
  }
});

test("a reader continues where it stopped, also while a record is being written", () => {
  const path = aJournal("one");
  const first = readJournal(path);
  expect(readJournal(path, { from: first?.end })?.records).toEqual([]);
  const journal = openJournal(path);
  journal.append("two");
  const second = readJournal(path, { from: first?.end });
  expect(second?.records).toMatchObject([{ seq: 2, data: "two" }]);
  appendFileSync(path, '{"seq":3,');
  const torn = readJournal(path, { from: second?.end });
  expect(torn).toMatchObject({ records: [], unfinished: 9, damage: undefined, end: second?.end });
  writeFileSync(path, "");
  expect(readJournal(path, { from: second?.end })?.damage).toBeDefined();
});

test("a reader that continues reads only what came since", () => {
  const path = aJournal("one");
  const journal = openJournal(path);
  for (let n = 0; n < 100; n += 1) journal.append("x".repeat(1000));
  const { end } = journal;
  journal.append("last");
  let readBytes = 0;
  const fs: FileSystem = {
    ...nodeFileSystem,
    read(fd, ...into) {
      const count = nodeFileSystem.read(fd, ...into);
      readBytes += count;
      return count;
    },
  };
  expect(readJournal(path, { fs, from: end })?.records).toMatchObject([{ data: "last" }]);
  expect(readBytes).toBeLessThan(200);
});

test("a record that is too long is refused, and the next one is added", () => {
  const path = aJournal("one");
  const journal = openJournal(path, { maxRecordBytes: 200 });
  expect(() => journal.append("x".repeat(200))).toThrow(
    expect.objectContaining({ code: "ERR_TOO_LARGE" }),
  );
  expect(() => journal.append(undefined)).toThrow(TypeError);
  expect(() => journal.append(1n)).toThrow(TypeError);
  expect(journal.append("two").seq).toBe(2);
  expect(wordsIn(path)).toEqual(["one", "two"]);
  journal.close();
  expect(() => journal.append("three")).toThrow("closed");
});

test("whichever call fails, what was acknowledged is there and the next record can be added", () => {
  for (const errno of ["EIO", "ENOSPC"]) {
    for (let at = 1; ; at += 1) {
      const path = aJournal("zero");
      const fs = failing(nodeFileSystem, { at, errno });
      const acknowledged: unknown[] = ["zero"];
      const attempt = (act: () => void): void => {
        try {
          act();
        } catch (error) {
          expect(error).toMatchObject({ name: expect.stringMatching(/^(?:Durable)?Error$/) });
        }
      };
      attempt(() => {
        const journal = openJournal(path, { fs, now });
        for (const word of ["one", "two", "three"]) {
          attempt(() => {
            journal.append(word);
            acknowledged.push(word);
          });
        }
        journal.close();
      });
      const found = wordsIn(path);
      expect(found, `${errno} at call ${at}`).toEqual(acknowledged);
      if (acknowledged.length > 1) expect(acknowledged.length).toBeGreaterThanOrEqual(3);
      openJournal(path).append("last");
      expect(wordsIn(path)).toEqual([...acknowledged, "last"]);
      if (fs.calls.length < at) break;
    }
  }
});

test("what was added is on disk with the next record where records are not joined", () => {
  const path = aPath();
  let flushes = 0;
  const fs = { ...nodeFileSystem, fsync: (fd: number) => (flushes++, nodeFileSystem.fsync(fd)) };
  const journal = openJournal(path, { fs });
  flushes = 0;
  journal.add("one");
  expect(flushes).toBe(0);
  journal.add("two");
  expect(flushes).toBe(1);
  expect(readFileSync(path, "utf8")).not.toContain("\n ");
});

test("several spoilt lines are damage where records are not joined", () => {
  const path = aJournal("one");
  appendFileSync(path, "{}\n{}\n");
  expect(readJournal(path)?.damage).toBeDefined();
  expect(readJournal(path, { joins: true })).toMatchObject({ unfinished: 6, damage: undefined });
});

test("what was added is read at once, and on disk with one flush when it is asked for", () => {
  const path = aPath();
  let flushes = 0;
  const fs = { ...nodeFileSystem, fsync: (fd: number) => (flushes++, nodeFileSystem.fsync(fd)) };
  const journal = openJournal(path, { fs, joins: true });
  flushes = 0;
  journal.add("one");
  journal.add("two");
  expect(wordsIn(path)).toEqual(["one", "two"]);
  expect(flushes).toBe(0);
  journal.sync();
  journal.sync();
  expect(flushes).toBe(1);
  journal.append("three");
  expect(flushes).toBe(2);
  expect(wordsIn(path)).toEqual(["one", "two", "three"]);
});

test.for([
  ["the first", 1],
  ["the second", 2],
  ["the last", 3],
  ["the first and the last", 1, 3],
] as const)(
  "records added without a sync are a torn end where a crash spoils %s",
  ([, ...spoiled]) => {
    for (const spoil of ["\0", "\xa5", "\n", "x"]) {
      const path = aJournal("one");
      const journal = openJournal(path, { joins: true });
      for (const word of ["two", "three", "four"]) journal.add(word);
      const whole = readFileSync(path);
      const ends = [...whole.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at);
      for (const at of spoiled) whole.write(spoil, (ends[at] ?? 0) - 4, "latin1");
      writeFileSync(path, whole);
      const kept = ["one", "two", "three", "four"].slice(0, spoiled[0]);
      // What is within a text may be anything; the last record is named by no other.
      const isUnseen = spoil === "x" && spoiled[0] === 3;
      expect(readJournal(path, { joins: true })?.damage, spoil).toBeUndefined();
      if (!isUnseen) expect(wordsIn(path), spoil).toEqual(kept);
      openJournal(path, { now, joins: true }).append("five");
      if (!isUnseen) expect(wordsIn(path), spoil).toEqual([...kept, "five"]);
    }
  },
);

test("records added without a sync are damaged where one that came after it shows that they were whole", () => {
  const path = aJournal("one");
  const journal = openJournal(path, { joins: true });
  journal.add("two");
  journal.append("three");
  journal.append("four");
  const text = readFileSync(path, "utf8");
  for (const word of ["two", "three"]) {
    for (const changed of [`"${word}s"`, "nonsense"]) {
      writeFileSync(path, text.replace(`"${word}"`, changed));
      expect(readJournal(path, { joins: true })?.damage, `${word} ${changed}`).toBeDefined();
    }
  }
});

test.for([
  ["several records", ["one", "two"], "two"],
  ["one record", ["one"], "one"],
  ["none", [], undefined],
] as const)("the last one of %s is read alone, under its hash", ([, words, last]) => {
  const path = aJournal(...words);
  expect(readLastRecord(path)?.record.data).toBe(last);
  if (last !== undefined) expect(readLastRecord(path)?.hash).toBe(readJournal(path)?.end.hash);
});

test.for(["x", "{}\n", "\n", '{"seq":3'])(
  "a journal with %j behind its last record ends in no record",
  (torn) => {
    const path = aJournal("one", "two");
    appendFileSync(path, torn);
    expect(readLastRecord(path)).toBeUndefined();
  },
);

test("a disk that takes a few bytes at a time gets all of them", () => {
  const path = aPath();
  const journal = openJournal(path, { fs: shortWrites(nodeFileSystem, 3) });
  journal.append("one");
  journal.append("two");
  expect(wordsIn(path)).toEqual(["one", "two"]);
});

test("a journal of which a crash has left its second name only is found and made whole", () => {
  const path = aJournal("one");
  renameSync(path, `${path}.2.prev`);
  expect(wordsIn(path)).toEqual(["one"]);
  openJournal(path).append("two");
  expect(wordsIn(path)).toEqual(["one", "two"]);
});

test("there is no journal where nobody has opened one", () => {
  const path = aPath();
  expect(readJournal(path)).toBeUndefined();
  openJournal(path).close();
  expect(readJournal(path)).toMatchObject({ records: [], end: { bytes: 0, seq: 0 } });
  expect(readdirSync(join(path, ".."))).toEqual(["events.jsonl"]);
});

test.for([
  ["a link", (path: string) => symlinkSync("/etc/passwd", path)],
  ["a folder", (path: string) => mkdirSync(path)],
] as const)("%s in its place is refused", ([, plant]) => {
  const path = aPath();
  mkdirSync(join(path, ".."), { recursive: true });
  plant(path);
  const refused = expect.objectContaining({ code: "ERR_NOT_REGULAR" });
  expect(() => openJournal(path)).toThrow(refused);
  expect(() => readJournal(path)).toThrow(refused);
});

test("what another name of the file says is the same: nothing is written in place", () => {
  const path = aJournal("one");
  const before = readFileSync(path, "utf8");
  linkSync(path, `${path}.backup`);
  openJournal(path).append("two");
  expect(readFileSync(`${path}.backup`, "utf8").startsWith(before)).toBe(true);
});
