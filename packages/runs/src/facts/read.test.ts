import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";

import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Checkpoint, createCheckpoint, createFileCheckpointStore } from "@quasar/checkpoint";
import { type Journal, openJournal } from "@quasar/durable/journal";
import { expect, onTestFinished, test } from "vitest";
import { AJOURNAL, aJournal } from "../../test/a-journal.ts";
import { openFactsIn, readFactsIn } from "./read.ts";
import { readTranscript } from "./transcript.ts";

const RUN = "20261120-101112-0a1b2c";

interface ARun {
  readonly dir: string;
  readonly workTree: string;
  readonly journal: Journal;
  save(change?: Partial<Checkpoint>): Promise<void>;
}

async function aRun(): Promise<ARun> {
  const workTree = mkdtempSync(join(tmpdir(), "facts-"));
  onTestFinished(() => rmSync(workTree, { recursive: true }));
  const dir = join(workTree, RUN);
  mkdirSync(dir);
  const store = createFileCheckpointStore({ dir });
  const save = async (change: Partial<Checkpoint> = {}): Promise<void> => {
    await store.save(createCheckpoint({ runId: RUN, taskTitle: "Do it", ...change }));
  };
  await save();
  const journal = openJournal(join(dir, "events.jsonl"), { joins: true });
  onTestFinished(() => journal.close());
  return { dir, workTree, journal, save };
}

test("a reader has what one has who reads the whole, and the same object while nothing changes", async () => {
  const run = await aRun();
  const reader = openFactsIn(run.dir);
  for (const fact of aJournal(...AJOURNAL)) {
    run.journal.add(fact);
    const seen = await reader.look();
    expect(seen).toEqual(await readFactsIn(run.dir));
    expect(await reader.look()).toBe(seen);
  }
  await run.save({ taskTitle: "Do more" });
  expect(await reader.look()).toMatchObject({ task: "Do more" });
});

test("an end that is being written is not there yet, and a journal that was replaced is read anew", async () => {
  const run = await aRun();
  const path = join(run.dir, "events.jsonl");
  const reader = openFactsIn(run.dir);
  for (const fact of aJournal(...AJOURNAL)) run.journal.add(fact);
  const whole = await reader.look();
  appendFileSync(path, '{"seq":26,"prev"');
  expect(await reader.look()).toMatchObject({ events: whole?.events, problems: [] });
  renameSync(path, `${path}.damaged-1`);
  const renewed = openJournal(path, { joins: true });
  renewed.append({ type: "notice", message: "a new journal", time: "2026-01-02T00:00:00Z" });
  renewed.append({ type: "notice", message: "another", time: "2026-01-02T00:00:00Z" });
  renewed.close();
  expect((await reader.look())?.events.map(({ text }) => text)).toEqual([
    "a new journal",
    "another",
  ]);
  writeFileSync(path, readFileSync(path, "utf8").replace("new", "bad"));
  const damaged = await readFactsIn(run.dir);
  expect(damaged).toMatchObject({ events: [] });
  expect(damaged?.problems.join()).toMatch(/^the journal is damaged: /u);
});

test("a look costs what was added, however long the journal is", async () => {
  const run = await aRun();
  const note = (n: number) => ({
    type: "notice",
    message: `note ${n}`,
    time: "2026-01-02T00:00:00Z",
  });
  for (let n = 0; n < 10_000; n += 1) run.journal.add(note(n));
  const reader = openFactsIn(run.dir);
  expect((await reader.look())?.events).toHaveLength(10_000);
  run.journal.add(note(10_000));
  const tookMs: number[] = [];
  for (let n = 0; n < 50; n += 1) {
    run.journal.add(note(10_001 + n));
    const started = performance.now();
    await reader.look();
    tookMs.push(performance.now() - started);
  }
  expect((await reader.look())?.events).toHaveLength(10_051);
  // To read all of it takes about 100 ms; the quickest look is that of a machine that does nothing else.
  expect(Math.min(...tookMs)).toBeLessThan(10);
});

test("a run that never got to its first save has no facts, and one that cannot be read says so", async () => {
  const run = await aRun();
  const path = join(run.dir, "checkpoint.toml");
  rmSync(path);
  for (const name of readdirSync(run.dir)) {
    if (name.startsWith("checkpoint")) rmSync(join(run.dir, name));
  }
  expect(await readFactsIn(run.dir)).toBeUndefined();
  writeFileSync(path, "no = [checkpoint");
  run.journal.add({ type: "notice", message: "said before" });
  expect(await readFactsIn(run.dir)).toMatchObject({
    status: "damaged",
    events: [{ text: "said before" }],
  });
});

async function aTurnSaying(printed: string): Promise<ARun> {
  const run = await aRun();
  const turnId = `${RUN}.1`;
  const entry = { turnId, role: "coder", cycle: 1, attempt: 1, status: "settled" } as const;
  const cost = { source: "reported", reservedUsd: 0, costUsd: 0, unknownUsd: 0 } as const;
  await run.save({ ledger: [{ ...entry, ...cost, startedAt: "2026-01-01T00:00:00Z" }] });
  mkdirSync(join(run.dir, "turns"));
  writeFileSync(join(run.dir, "turns", "1.start"), JSON.stringify({ v: 1, agent: "some command" }));
  writeFileSync(join(run.dir, "turns", "1.out"), printed);
  writeFileSync(join(run.dir, "turns", "1.prompt"), "Say something.");
  return run;
}

test("a transcript has what the agent of a turn said, and its name is among the facts", async () => {
  const run = await aTurnSaying("first\nsecond\n");
  const { events, ...rest } = await readTranscript(run, `${RUN}.1`);
  const prompt = "Say something.";
  expect(rest).toEqual({ turnId: `${RUN}.1`, isKept: true, prompt, omittedCount: 0 });
  expect(events.map((event) => event.type === "text" && event.text).join("")).toMatch(/second\n$/u);
  expect(await readFactsIn(run.dir)).toMatchObject({ coder: "some command", reviewer: "" });
  expect(await readTranscript(run, `${RUN}.2`)).toMatchObject({ isKept: false, events: [] });
});

test("a transcript has the end of what was said where that is more than it may have", async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}\n`).join("");
  const run = await aTurnSaying(lines);
  const { events } = await readTranscript(run, `${RUN}.1`, { maxLength: 1000 });
  const text = events.map((event) => (event.type === "text" ? event.text : "")).join("");
  expect(text.length).toBeLessThanOrEqual(1001);
  expect(events.length).toBeGreaterThan(0);
});
