import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Board,
  choicesOf,
  type EntryToRecord,
  eventsAfter,
  newBoard,
  record,
  resolve,
  signalled,
} from "./board.ts";
import type { LeaseRecord } from "./leases.ts";
import { type Json, LANE, type Offer, type PromiseId } from "./port.ts";
import type { StateFacts } from "./state-facts.ts";

const GATES: readonly PromiseId[] = ["gate/a/1/", "gate/b/1/"];
const QUESTIONS: readonly PromiseId[] = ["question/q-00000001", "question/q-00000002"];
const ALL = [...GATES, ...QUESTIONS];

function facts(change: Partial<StateFacts> = {}): StateFacts {
  return { rev: "0", open: ALL, isUnfinished: true, recent: { from: 1, events: [] }, ...change };
}

const BEGUN = newBoard({ id: "aaaaaaaaaa", name: "demo", depot: "", state: "0" }, "d", facts());

function writer(work: string, n = 1): LeaseRecord {
  return {
    ...{ work, runId: work === LANE ? "" : `run-${work}`, epoch: { n, writer: "00000000" } },
    ...{ ask: "", worker: "w", machine: "", ttlMs: 0, until: 0, notBefore: 0, unfit: [], from: [] },
  };
}

function anOffer(work: string): Offer {
  return { work, runId: `run-${work}`, agents: [], labels: [], task: null };
}

type Op =
  | { readonly do: "resolve"; readonly id: PromiseId; readonly value: number }
  | { readonly do: "take"; readonly open: readonly PromiseId[]; readonly isLate: boolean }
  | { readonly do: "land"; readonly id: PromiseId }
  | { readonly do: "note"; readonly key: string }
  | { readonly do: "outcome"; readonly n: number; readonly value: number };

const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({
    do: fc.constant("resolve" as const),
    id: fc.constantFrom(...ALL),
    value: fc.nat(3),
  }),
  fc.record({
    do: fc.constant("take" as const),
    open: fc.subarray([...ALL]),
    isLate: fc.boolean(),
  }),
  fc.record({ do: fc.constant("land" as const), id: fc.constantFrom(...GATES) }),
  fc.record({ do: fc.constant("note" as const), key: fc.constantFrom("x", "y", "z") }),
  fc.record({
    do: fc.constant("outcome" as const),
    n: fc.integer({ min: 1, max: 3 }),
    value: fc.nat(3),
  }),
);

/** The same, as plainly as it can be said. */
interface Model {
  open: readonly PromiseId[];
  closed: PromiseId | "";
  /** Answers that nobody has taken, by what they answer. */
  readonly answers: Map<string, Json>;
  readonly notes: Set<string>;
  outcome: { readonly n: number; readonly value: number } | undefined;
}

test("a board does what its plain model does, whatever order things come in", () => {
  fc.assert(
    fc.property(fc.array(op, { maxLength: 60 }), (ops) => {
      let board: Board = record(BEGUN, writer(LANE), stateEntry(BEGUN, 1, {}))[0];
      const model: Model = {
        ...{ open: ALL, closed: "", outcome: undefined },
        ...{ answers: new Map(), notes: new Set() },
      };
      let revs = 1;
      for (const each of ops) {
        revs += 1;
        board = applied(board, model, each, revs);
        const answers = board.inbox.filter(({ id }) => !id.startsWith("note/"));
        expect(new Map(answers.map(({ id, value }) => [id, value]))).toEqual(model.answers);
        expect(answers.length).toBe(model.answers.size);
        const keys = board.inbox.map(({ key }) => Number(key));
        expect(keys).toEqual(keys.toSorted((one, other) => one - other));
        expect(new Set(keys).size).toBe(keys.length);
        expect(board.results.map(({ epoch, value }) => ({ n: epoch.n, value }))).toEqual(
          model.outcome === undefined ? [] : [model.outcome],
        );
      }
    }),
    { numRuns: 500 },
  );
});

function stateEntry(
  board: Board,
  rev: number,
  change: Partial<Extract<EntryToRecord, { readonly as: "state" }>>,
): Extract<EntryToRecord, { readonly as: "state" }> {
  const { rev: onto } = board.facts;
  const entry = { as: "state", onto, state: `${rev}`, taken: [], offers: [anOffer("a")] } as const;
  return { ...entry, facts: facts({ rev: `${rev}` }), ...change };
}

function applied(board: Board, model: Model, each: Op, rev: number): Board {
  switch (each.do) {
    case "resolve": {
      const [next, { as }] = resolve(board, each.id, each.value);
      const before = model.answers.get(each.id);
      if (!model.open.includes(each.id) || model.closed === each.id) {
        expect(as).toBe("closed");
      } else if (QUESTIONS.includes(each.id) && before !== undefined && before !== each.value) {
        expect(as).toBe("already");
      } else {
        expect(as).toBe("resolved");
        model.answers.set(each.id, each.value);
      }
      return next;
    }
    case "take": {
      const taken = board.inbox.map(({ key }) => key);
      // Something may come between the look at the inbox and the record.
      const [meanwhile] = each.isLate ? resolve(board, "gate/a/1/", "late") : [board];
      const entry = stateEntry(board, rev, {
        taken,
        facts: facts({ rev: `${rev}`, open: each.open }),
      });
      const [next, { as }] = record(meanwhile, writer(LANE), entry);
      expect(as).toBe("recorded");
      const isKept = meanwhile !== board;
      for (const id of model.answers.keys()) {
        const stays = QUESTIONS.includes(id as PromiseId) && each.open.includes(id as PromiseId);
        if (!stays) model.answers.delete(id);
      }
      if (isKept) model.answers.set("gate/a/1/", "late");
      model.open = each.open;
      model.closed = "";
      return next;
    }
    case "land": {
      const [next, { as }] = record(board, writer(LANE), {
        ...stateEntry(board, rev, { closes: each.id }),
        facts: facts({ rev: `${rev}`, open: model.open }),
      });
      expect(as).toBe(model.answers.has(each.id) ? "news" : "recorded");
      if (as === "recorded") {
        model.closed = each.id;
        for (const id of QUESTIONS) if (!model.open.includes(id)) model.answers.delete(id);
      }
      return next;
    }
    case "note": {
      const [next, { as }] = record(board, writer("a"), { as: "note", key: each.key, value: 1 });
      expect(as).toBe(model.notes.has(each.key) ? "known" : "recorded");
      model.notes.add(each.key);
      return next;
    }
    case "outcome": {
      const { n, value } = each;
      const [next, answer] = record(board, writer("a", n), { as: "result", key: "outcome", value });
      if (model.outcome?.n === n) {
        expect(answer).toEqual({ as: "known", value: model.outcome.value });
      } else {
        expect(answer).toEqual({ as: "recorded" });
        model.outcome = { n, value };
      }
      return next;
    }
  }
}

test("nobody but the lane records a state, and the lane records nothing else", () => {
  expect(record(BEGUN, writer("a"), stateEntry(BEGUN, 1, {}))).toEqual([BEGUN, { as: "stale" }]);
  const result = { as: "result", key: "outcome", value: 1 } as const;
  expect(record(BEGUN, writer(LANE), result)).toEqual([BEGUN, { as: "stale" }]);
  expect(record(BEGUN, undefined, stateEntry(BEGUN, 1, {}))).toEqual([BEGUN, { as: "stale" }]);
});

test.for([
  ["pause", { isPaused: true, stop: "" }, 1, 0],
  ["stop", { isPaused: false, stop: "after-turns" }, 0, 0],
  ["cancel", { isPaused: false, stop: "now" }, 0, 0],
  ["continue", { isPaused: false, stop: "" }, 1, 1],
] as const)("after %s there is for workers what it leaves", ([what, orders, lanes, works]) => {
  const [offered] = record(BEGUN, writer(LANE), stateEntry(BEGUN, 1, {}));
  const board = { ...offered, orders: signalled(offered.orders, what) };
  const worker = { id: "w", machine: "m", labels: [], agents: [] };
  expect(board.orders).toEqual(orders);
  expect(choicesOf(board, { work: LANE, worker })).toHaveLength(lanes);
  expect(choicesOf(board, { work: "any", worker })).toHaveLength(works);
});

const texts = (from: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `event ${from + at}`);

test("the newest events are kept, and each is reported once", () => {
  let board = BEGUN;
  let seen = 0;
  const reported: string[] = [];
  for (const [from, count] of [
    [1, 3],
    [2, 3],
    [5, 16],
    [10, 20],
  ] as const) {
    const recent = { from, events: texts(from, count) };
    const entry = stateEntry(board, from, { facts: facts({ rev: `${from}`, recent }) });
    [board] = record(board, writer(LANE), entry);
    const { to, texts: fresh, isGap } = eventsAfter(board.events, seen);
    expect(isGap).toBe(false);
    reported.push(...fresh);
    seen = to;
  }
  expect(reported).toEqual(texts(1, 29));
});

test.for([
  ["many", texts(1, 500), 301],
  ["large", Array.from({ length: 20 }, () => "x".repeat(40_000)), 15],
] as const)(
  "of %s events the oldest go, and who has not seen them hears of a gap",
  ([, events, from]) => {
    const entry = stateEntry(BEGUN, 1, { facts: facts({ rev: "1", recent: { from: 1, events } }) });
    const [board] = record(BEGUN, writer(LANE), entry);
    expect(board.events.from).toBe(from);
    expect(eventsAfter(board.events, 0)).toMatchObject({ to: events.length, isGap: true });
    expect(eventsAfter(board.events, from - 1)).toMatchObject({ isGap: false });
  },
);

test("events that are missing in between leave a gap", () => {
  const one = stateEntry(BEGUN, 1, {
    facts: facts({ rev: "1", recent: { from: 1, events: texts(1, 2) } }),
  });
  const [board] = record(BEGUN, writer(LANE), one);
  const two = stateEntry(board, 2, {
    facts: facts({ rev: "2", recent: { from: 9, events: texts(9, 2) } }),
  });
  const [later] = record(board, writer(LANE), two);
  expect(eventsAfter(later.events, 2)).toEqual({ to: 10, texts: texts(9, 2), isGap: true });
});
