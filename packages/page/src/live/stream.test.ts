import { expect, test } from "vitest";
import { aNebula } from "../../test/a-nebula.ts";
import { aRun, at } from "../../test/a-run.ts";
import { type Assembled, assemble } from "./assemble.ts";
import { createEventParser } from "./event-stream.ts";
import type { LiveFacts, LiveMessage, ReportFacts } from "./protocol.ts";
import { messageSince, type Snapshot, snapshotOf } from "./snapshot.ts";

const live = (facts: ReportFacts, redactionDigest = "3f2a"): LiveFacts => {
  return { facts, decisions: [], redactionDigest };
};

const event = (n: number, text = `event ${n}`) => ({ at: at(n), type: "x", turnId: "", text });

/** A run of so many events. */
const after = (count: number, change: Partial<ReturnType<typeof aRun>> = {}): Snapshot => {
  const events = Array.from({ length: count }, (_, n) => event(n + 1));
  return snapshotOf(live({ kind: "run", run: aRun({ events, ...change }) }));
};

/** What a page has after what a server sends it. */
function received(before: Assembled | undefined, snapshot: Snapshot): Assembled | undefined {
  const sent = messageSince(snapshot, before?.revision ?? "");
  return createEventParser()(sent).reduce<Assembled | undefined>(
    (known, { id, data }) => assemble(known, id, JSON.parse(data) as LiveMessage),
    before,
  );
}

const textsOf = (page: Assembled | undefined) => page?.events.map(({ text }) => text);

test("a page has each event once, whichever server sends it what the page lacks", () => {
  let page: Assembled | undefined;
  for (const count of [2, 2, 5, 6]) {
    page = received(page, after(count));
    expect(textsOf(page)).toEqual(Array.from({ length: count }, (_, n) => `event ${n + 1}`));
  }
  expect(messageSince(after(6), page?.revision ?? "")).toBe("");
  const sent = messageSince(after(7), page?.revision ?? "");
  expect(sent).toContain('"from":6');
  expect(sent).not.toContain("event 6");
});

test("facts that change without an event are sent, without events", () => {
  const page = received(undefined, after(3));
  const next = received(page, after(3, { status: "stopped" }));
  expect(next?.embedded.data).toMatchObject({ run: { status: "stopped" } });
  expect(textsOf(next)).toEqual(textsOf(page));
});

test.for([
  ["events that are others by now", [event(1, "another"), event(2), event(3)]],
  ["fewer events than the page has", [event(1)]],
] as const)("%s replace those of the page", ([, events]) => {
  const page = received(undefined, after(2));
  const other = received(page, after(0, { events }));
  expect(textsOf(other)).toEqual(events.map(({ text }) => text));
});

test.for(["", "7", "3.x.y", `2.${"0".repeat(16)}.${"0".repeat(16)}`, "999999999.0.0"])(
  "of the revision %j, which was never, all is sent",
  (revision) => {
    expect(messageSince(after(3), revision)).toContain('"from":0');
  },
);

test("a message that does not follow on what the page has is none", () => {
  const [{ id, data } = { id: "", data: "" }] = createEventParser()(
    messageSince(after(3), received(undefined, after(2))?.revision ?? ""),
  );
  expect(assemble(undefined, id, JSON.parse(data) as LiveMessage)).toBe(undefined);
});

test("events come as they are wherever the stream is cut, and comments are none", () => {
  const text = `:\n\n${messageSince(after(2), "")}:\n\nevent: problem\ndata: "gone"\n\n`;
  const whole = createEventParser()(text);
  expect(whole.map(({ type }) => type)).toEqual(["message", "problem"]);
  for (const length of [1, 7, 100]) {
    const parse = createEventParser();
    const pieces = text.match(new RegExp(`[^]{1,${length}}`, "gu")) ?? [];
    expect(pieces.flatMap((piece) => parse(piece))).toEqual(whole);
  }
});

test("hostile texts are cleaned, and end no message", () => {
  const task = "x\n\ndata: {}\n\n\u202e\u0000";
  const sent = messageSince(after(1, { task }), "");
  expect(createEventParser()(sent)).toHaveLength(1);
  expect(sent).toContain(String.raw`\\u{202e}\\u{0}`);
});

test("events of a nebula's runs are not sent, its own are", () => {
  const nebula = aNebula();
  const phases = nebula.phases.map((phase) => {
    return {
      ...phase,
      runs: phase.runs.map((run) => ({ ...run, events: [event(1, "of a run")] })),
    };
  });
  const facts = { kind: "nebula", nebula: { ...nebula, phases } } as const;
  const sent = messageSince(snapshotOf(live(facts)), "");
  expect(sent.includes('"text":"landed"')).toBe(true);
  expect(sent.includes("of a run")).toBe(false);
});
