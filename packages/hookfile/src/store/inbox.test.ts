import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { clearInbox, dropInInbox, type NewNote, readInbox } from "./inbox.ts";

const base = mkdtempSync(join(tmpdir(), "quasar-inbox-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function aTask(): string {
  return mkdtempSync(join(base, "t-"));
}

const NOTE: NewNote = {
  trigger: "git_commit",
  description: "Commit: say “no” \u001b[0m\n# x",
  commit: "a".repeat(40),
};
const at = (second: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

test("a note is one file of mode 0600, named by time and chance, whole at once", () => {
  const dir = aTask();
  const before = process.umask(0);
  try {
    const id = dropInInbox(dir, NOTE, { now: at(1), random: () => new Uint8Array(8).fill(0xab) });
    expect(id).toBe("20260101T000001000Z-abababababababab");
  } finally {
    process.umask(before);
  }
  expect(readdirSync(join(dir, "inbox"))).toEqual(["20260101T000001000Z-abababababababab.json"]);
  const file = join(dir, "inbox", "20260101T000001000Z-abababababababab.json");
  expect(statSync(file).mode & 0o7777).toBe(0o600);
  expect(statSync(join(dir, "inbox")).mode & 0o7777).toBe(0o700);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    version: 1,
    created_at: "2026-01-01T00:00:01.000Z",
    trigger: "git_commit",
    description: NOTE.description,
    commit: NOTE.commit,
  });
});

test("notes are read in the order of their times, each with an id of its own, and nothing is changed", () => {
  const dir = aTask();
  const ids = [3, 1, 2, 2].map((second) => dropInInbox(dir, NOTE, { now: at(second) }));
  expect(new Set(ids).size).toBe(4);
  const { notes, problems } = readInbox(dir);
  expect(problems).toEqual([]);
  expect(notes.map(({ createdAt }) => createdAt.slice(17, 19))).toEqual(["01", "02", "02", "03"]);
  expect(new Set(notes.map(({ id }) => id))).toEqual(new Set(ids));
  expect(notes[0]).toMatchObject(NOTE);
  expect(readInbox(dir)).toEqual({ notes, problems });
});

test("exactly what was read is cleared: what came since stays, and what is gone already is no error", () => {
  const dir = aTask();
  dropInInbox(dir, NOTE, { now: at(1) });
  const first = readInbox(dir);
  const late = dropInInbox(dir, NOTE, { now: at(0) });
  clearInbox(dir, first);
  clearInbox(dir, first);
  expect(readInbox(dir).notes.map(({ id }) => id)).toEqual([late]);
});

test("a task that is gone gets no note, and no folder is made for it", () => {
  const dir = join(aTask(), "gone");
  expect(dropInInbox(dir, NOTE, { now: at(1) })).toBeUndefined();
  expect(existsSync(dir)).toBe(false);
  expect(readInbox(dir)).toEqual({ notes: [], problems: [] });
});

const name = (digit: string): string => `20260101T000000000Z-${digit.repeat(16)}.json`;
const stored = (change: object): string =>
  JSON.stringify({
    version: 1,
    created_at: "2026-01-01T00:00:01.000Z",
    trigger: "git_commit",
    description: "x",
    ...change,
  });

test.for([
  ["a link to a note", (file) => symlinkSync(aNoteElsewhere(), file), "not-a-file"],
  ["a link to nothing", (file) => symlinkSync("/nowhere", file), "not-a-file"],
  ["a FIFO that nobody writes to", (file) => execFileSync("mkfifo", [file]), "not-a-file"],
  ["a folder", (file) => mkdirSync(file), "not-a-file"],
  ["a huge file", (file) => writeFileSync(file, stored({ x: "x".repeat(2 ** 20) })), "too-large"],
  ["an empty file", (file) => writeFileSync(file, ""), "not-a-note"],
  ["what is no JSON", (file) => writeFileSync(file, "{"), "not-a-note"],
  ["null", (file) => writeFileSync(file, "null"), "not-a-note"],
  ["another version", (file) => writeFileSync(file, stored({ version: 2 })), "not-a-note"],
  ["a trigger of its own", (file) => writeFileSync(file, stored({ trigger: "x" })), "not-a-note"],
  ["no time", (file) => writeFileSync(file, stored({ created_at: "now" })), "not-a-note"],
  ["an option for a commit", (file) => writeFileSync(file, stored({ commit: "-x" })), "not-a-note"],
  [
    "a description without end",
    (file) => writeFileSync(file, stored({ description: "x".repeat(1_001) })),
    "not-a-note",
  ],
] as const satisfies readonly (readonly [string, (file: string) => unknown, string])[])(
  "the inbox tolerates %s: it is reported, quarantined, and stops no note",
  ([, plant, reason]) => {
    const dir = aTask();
    const id = dropInInbox(dir, NOTE, { now: at(1) });
    plant(join(dir, "inbox", name("0")));
    const inbox = readInbox(dir);
    expect(inbox.notes.map((note) => note.id)).toEqual([id]);
    expect(inbox.problems).toEqual([{ name: name("0"), reason }]);
    clearInbox(dir, inbox);
    expect(readInbox(dir)).toEqual({ notes: [], problems: [] });
    expect(readdirSync(join(dir, "inbox"))).toEqual([`${name("0")}.bad`]);
  },
);

function aNoteElsewhere(): string {
  const file = join(aTask(), "note.json");
  writeFileSync(file, stored({}));
  return file;
}

test("an inbox that is a link is neither read nor written through", () => {
  const dir = aTask();
  const elsewhere = aTask();
  writeFileSync(join(elsewhere, name("0")), stored({}));
  symlinkSync(elsewhere, join(dir, "inbox"));
  expect(readInbox(dir)).toEqual({ notes: [], problems: [{ name: "", reason: "not-a-file" }] });
  clearInbox(dir, readInbox(dir));
  const drop = (): unknown => dropInInbox(dir, NOTE, { now: at(1) });
  expect(drop).toThrow(expect.objectContaining({ code: "ERR_UNSAFE_DIRECTORY" }));
  expect(readdirSync(elsewhere)).toEqual([name("0")]);
});

test("a note that knows too much, or a prototype, brings in nothing but a note", () => {
  const dir = aTask();
  mkdirSync(join(dir, "inbox"));
  const text = stored({ id: "other", extra: 1 }).replace("{", '{"__proto__":{"polluted":1},');
  writeFileSync(join(dir, "inbox", name("0")), text);
  const [note] = readInbox(dir).notes;
  expect(note?.id).toBe(name("0").replace(".json", ""));
  expect(Object.keys(note ?? {})).toEqual(["id", "createdAt", "trigger", "description", "commit"]);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});

test("of a flood at most 1,000 are read at a time, the oldest first, and none is lost", () => {
  const dir = aTask();
  mkdirSync(join(dir, "inbox"));
  for (let index = 0; index < 1_100; index += 1) {
    const hex = index.toString(16).padStart(16, "0");
    const text = index % 2 === 0 ? stored({}) : "{";
    writeFileSync(join(dir, "inbox", `20260101T000000000Z-${hex}.json`), text);
  }
  const first = readInbox(dir);
  expect([first.notes.length, first.problems.length]).toEqual([500, 500]);
  clearInbox(dir, first);
  const second = readInbox(dir);
  expect([second.notes.length, second.problems.length]).toEqual([50, 50]);
});

test("what cannot be quarantined stays, and stops nothing", () => {
  const dir = aTask();
  const id = dropInInbox(dir, NOTE, { now: at(1) });
  writeFileSync(join(dir, "inbox", name("0")), "{");
  mkdirSync(join(dir, "inbox", `${name("0")}.bad`, "full"), { recursive: true });
  const inbox = readInbox(dir);
  clearInbox(dir, inbox);
  expect(inbox.notes[0]?.id).toBe(id);
  expect(readInbox(dir)).toEqual({ notes: [], problems: inbox.problems });
});

test("a note that is being written is not seen", () => {
  const dir = aTask();
  mkdirSync(join(dir, "inbox"));
  writeFileSync(join(dir, "inbox", `.${name("0")}.0123456789abcdef.tmp`), stored({}));
  expect(readInbox(dir)).toEqual({ notes: [], problems: [] });
});
