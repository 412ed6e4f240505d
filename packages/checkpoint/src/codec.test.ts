import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import type { Checkpoint, CheckpointQuestion, TomlValue } from "./checkpoint.ts";
import { createCheckpoint } from "./create.ts";
import { decodeCheckpoint } from "./decode.ts";
import { encodeCheckpoint } from "./encode.ts";
import { KNOWN_KEYS } from "./fields.ts";
import { createMemoryCheckpointStore } from "./memory-store.ts";
import { PHASES, type Phase } from "./phases.ts";
import { aCheckpoint } from "./testing.ts";

const goFile = (name: string): string =>
  readFileSync(new URL(`../test/fixtures/${name}`, import.meta.url), "utf8");

const aTurn = {
  id: "run-1.3",
  role: "coder",
  attempt: 1,
  status: "started",
  allowanceUsd: 4.5,
  reservedUsd: 0.5,
  unmetered: true,
  startedAt: "2026-11-20T18:04:05.000000001Z",
  sessionId: "5f0e",
  resumed: true,
  treeMark: "8b1a",
  pid: 4711,
  processStart: 123_456,
  bootId: "0d6f8a9e-2f43-4b86-9b6e-6c1f5a2f9f10",
  host: "here",
  retries: 2,
  kills: 1,
  retryAt: "2026-11-20T18:05:00.000Z",
} as const;

const aQuestion: CheckpointQuestion = {
  ...{ id: "q-0123abcd", turnId: "run-1.3", role: "coder", cycle: 2, kind: "ambiguity" },
  ...{ summary: "Which of the two?", detail: 'both "fit"', options: ["this", "that"] },
};

const anEntry = {
  turnId: "run-1.2",
  role: "reviewer",
  cycle: 1,
  attempt: 2,
  status: "lost",
  source: "partial",
  reservedUsd: 0.5,
  costUsd: 0.5,
  unknownUsd: 0.25,
  startedAt: "2026-11-20T18:04:05.000000001Z",
} as const;

const anOutcome = { outcome: "error", message: "it's\nover", allow: ["Bash(npm *)"], requests: 41 };

const seedKeys = Object.keys(parse(goFile("go-zero.toml")));

describe("a round trip", () => {
  test.for<[string, Checkpoint]>([
    ["empty state", createCheckpoint()],
    ["mid-cycle state with findings", aCheckpoint({ phase: "reviewing", turn: aTurn })],
    [
      "state with a ledger",
      aCheckpoint({ ledger: [anEntry, anEntry], retryAt: "2026-11-21T03:00:00Z" }),
    ],
    [
      "state with a branch, trees and protected paths",
      aCheckpoint({
        branch: "fix/login",
        checkedTree: "c".repeat(40),
        checkedWith: "0".repeat(64),
        reviewedTree: "d".repeat(40),
        protectedPaths: [{ path: 'a "b".txt', mode: "100644", id: "e".repeat(40) }],
        questions: [aQuestion],
        humanResponses: "[HUMAN RESPONSES]\nUse it.",
        relayedAnswers: ["q-00000000"],
      }),
    ],
    [
      "state with the driving program's notes",
      aCheckpoint({ settings: { lint: "make" }, outcome: anOutcome, hasUnreportedCosts: true }),
    ],
    [
      "multi-cycle state with commits",
      aCheckpoint({
        cycle: 4,
        cycleCommits: ["1", "2", "3", "4"].map((digit) => digit.repeat(40)),
      }),
    ],
  ])("seed 1: table-driven tests cover: %s", ([, checkpoint]) => {
    expect(decodeCheckpoint(encodeCheckpoint(checkpoint))).toStrictEqual(checkpoint);
  });

  test("seed 1: serializes to and deserializes from TOML without data loss", () => {
    fc.assert(
      fc.property(anyCheckpoint, (checkpoint) => {
        expect(decodeCheckpoint(encodeCheckpoint(checkpoint))).toStrictEqual(checkpoint);
      }),
      { numRuns: 2000 },
    );
  });

  test("any text comes back, whatever controls, quotes and line ends it has", () => {
    const piece = fc.constantFrom(
      ...["'", "'''", '"', '"""', "\\", "\n", "\r\n", "\r", "\t", "\0", "\x1b[2J", "\x7f", "\x85"],
      ...["\u2028", "\ufeff", "\u202e", "😀", "é", "#", "[[findings]]", "a", "\\u0041", "= 1"],
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, text, (coderOutput, description) => {
        const [finding] = aCheckpoint().findings;
        const findings = [{ ...finding!, description }];
        const checkpoint = aCheckpoint({ coderOutput, failure: description, findings });
        expect(decodeCheckpoint(encodeCheckpoint(checkpoint))).toStrictEqual(checkpoint);
      }),
      { numRuns: 5000 },
    );
  });

  test("seed 1: the version field is set to 1", () => {
    expect(createCheckpoint().version).toBe(1);
    expect(encodeCheckpoint(aCheckpoint())).toMatch(/^version = 1\n/);
  });

  test.for(PHASES.map((phase, index) => [phase, index] as const))(
    "stores phase %s as %i",
    ([phase, index]) => {
      const text = encodeCheckpoint(aCheckpoint({ phase }));
      expect(parse(text)["phase"]).toBe(index);
      expect(decodeCheckpoint(text).phase).toBe(phase);
    },
  );

  test("lone surrogates become U+FFFD, wherever they stand", () => {
    const bad = "a\ud83d";
    const finding = { ...aCheckpoint().findings[0]!, description: bad };
    const checkpoint = aCheckpoint({
      taskTitle: bad,
      childBeadIds: [bad],
      findings: [finding],
      extra: { [bad]: bad },
    });
    const text = encodeCheckpoint(checkpoint);
    expect(text.isWellFormed()).toBe(true);
    const read = decodeCheckpoint(text);
    expect(read).toMatchObject({ taskTitle: "a\ufffd", childBeadIds: ["a\ufffd"] });
    expect(read.findings[0]?.description).toBe("a\ufffd");
    expect(read.extra).toStrictEqual({ "a\ufffd": "a\ufffd" });
  });
});

describe("files of the Go original", () => {
  test("are read, to the nanosecond", () => {
    const checkpoint = decodeCheckpoint(goFile("go-populated.toml"));
    expect(checkpoint).toMatchObject({
      createdAt: "2026-11-20T18:04:05.123456789-05:00",
      phase: "resolving_issues",
      maxBudgetUsd: 70,
      coderOutput: "Changed a.go\n\t- tab\r\nCRLF line",
      revision: 0,
      extra: {},
    });
    expect(checkpoint.allFindings.map(({ id, status }) => [id, status])).toStrictEqual([
      ["f-c2beb96a4466", "found"],
      ["f-78def530c86a", "found"],
    ]);
  });

  test("hold the zero struct, which has none of our versions", () => {
    const text = goFile("go-zero.toml");
    const versioned = text.replace("version = 0", "version = 1");
    expect(decodeCheckpoint(versioned)).toStrictEqual(createCheckpoint());
    expect(() => decodeCheckpoint(text)).toThrow(
      expect.objectContaining({ code: "ERR_INCOMPATIBLE_VERSION" }),
    );
  });

  test.for(["go-populated.toml", "go-zero.toml"])("lose no value when ours writes %s", (name) => {
    const theirs = goFile(name).replace("version = 0", "version = 1");
    const ours = encodeCheckpoint(decodeCheckpoint(theirs));
    const parsed = parse(ours);
    for (const key of seedKeys.filter((candidate) => !candidate.includes("findings"))) {
      expect([key, parsed[key]]).toStrictEqual([key, parse(theirs)[key]]);
    }
    expect(parsed["findings"]).toMatchObject(parse(theirs)["findings"] as object);
    expect(parsed["all_findings"]).toMatchObject(parse(theirs)["all_findings"] as object);
  });
});

describe("what the Go reader asks of a file", () => {
  const texts = [
    createCheckpoint({ unknownCostUsd: 1 }),
    aCheckpoint({ turn: aTurn, maxBudgetUsd: 1e21, unknownCostUsd: 2.5 }),
  ].map((one) => encodeCheckpoint(one));

  test.for(texts)("every seed key is there, once", (text) => {
    const keys = [...text.matchAll(/^(?:\[\[)?([a-z_]+)(?: =|\]\])/gm)].map(([, key]) => key);
    const root = keys.slice(0, keys.indexOf("lint_output") + 2);
    const lists = new Set(keys.filter((key) => key?.endsWith("findings")));
    expect(seedKeys.filter((key) => !root.includes(key) && !lists.has(key))).toStrictEqual([]);
    expect(new Set(root).size).toBe(root.length);
  });

  test.for(texts)("integers are bare and amounts have a dot or an exponent", (text) => {
    const lines = new Map(text.split("\n").map((line) => line.split(" = ") as [string, string]));
    for (const key of ["version", "cycle", "max_cycles", "phase"]) {
      expect(lines.get(key)).toMatch(/^[0-9]+$/);
    }
    for (const key of ["total_cost_usd", "max_budget_usd", "unknown_cost_usd"]) {
      expect(lines.get(key)).toMatch(/^[0-9.]+$|e[+-][0-9]+$/);
      expect(lines.get(key)).toMatch(/[.e]/);
    }
  });

  test.for(texts)("times are not quoted", (text) => {
    expect(text).toMatch(/^created_at = \d{4}-\d\d-\d\dT[^'"\n]+$/m);
  });

  test.for(texts)("there is no BOM, one newline at the end, and no key after a table", (text) => {
    expect(text.charCodeAt(0)).toBe("v".charCodeAt(0));
    expect(text).toMatch(/[^\n]\n$/);
    const [, ...tables] = text.split("\n[[");
    for (const table of tables) {
      const keys = [...table.matchAll(/^([a-z]+) = /gm)].map(([, key]) => key);
      expect(keys).toStrictEqual(["id", "severity", "description", "cycle", "status"]);
    }
  });

  test("empty findings are plain keys before any table", () => {
    expect(encodeCheckpoint(createCheckpoint())).toMatch(
      /\nfindings = \[\]\nall_findings = \[\]\n/,
    );
    const mixed = encodeCheckpoint(aCheckpoint({ findings: [] }));
    expect(mixed.indexOf("\nfindings = []\n")).toBeLessThan(mixed.indexOf("\n[[all_findings]]"));
    expect(mixed.indexOf("\nfindings = []\n")).toBeGreaterThan(0);
  });
});

test("the small values come before what grows", () => {
  const large = "line\n".repeat(2000);
  const text = encodeCheckpoint(
    aCheckpoint({
      taskTitle: large,
      coderOutput: large,
      cycleCommits: Array.from({ length: 500 }, () => "c".repeat(40)),
      failure: large,
      turn: { ...aTurn, sessionId: "s".repeat(300) },
      extra: { later: large },
    }),
  );
  const lists = text.indexOf("\ncycle_commits = ");
  for (const key of ["version", "phase", "run_id", "turn.session_id"]) {
    expect([key, `\n${text}`.indexOf(`\n${key} = `) < lists]).toStrictEqual([key, true]);
  }
  expect(lists).toBeLessThan(4096);
  expect(text.indexOf("\nlater = ")).toBeLessThan(text.indexOf("\ntask_title = "));
});

test("the head keeps within 4 KiB even where every value is long", () => {
  const long = "x".repeat(5000);
  const text = encodeCheckpoint(
    aCheckpoint({ phaseId: long, nebulaName: long, runId: long, taskBeadId: long, gitSha: long }),
  );
  expect(text.indexOf(long)).toBeGreaterThan(text.indexOf("\nrefactored = "));
  expect(decodeCheckpoint(text).runId).toBe(long);
});

test("our key is written where it says something", () => {
  const written = (change: Partial<Checkpoint>): readonly string[] =>
    Object.keys(parse(encodeCheckpoint(createCheckpoint(change)))).toSorted();
  expect(written({})).toStrictEqual(seedKeys.toSorted());
  expect(
    written({ revision: 1, unknownCostUsd: 2, failure: "x", filterHistory: [""] }),
  ).toStrictEqual(
    [...seedKeys, "revision", "unknown_cost_usd", "failure", "filter_history"].toSorted(),
  );
});

test("a text of several lines is written as it is", () => {
  const coderOutput = 'Read C:\\srv\n\tsaid "it\'s fine" — 😀\n';
  expect(encodeCheckpoint(aCheckpoint({ coderOutput }))).toContain(`'''\n${coderOutput}'''\n`);
});

describe("unknown keys", () => {
  test("survive a rewrite", () => {
    const later = [
      "new_text = 'a'",
      "new_time = 2026-11-20T18:04:05.123-05:00",
      "new_day = 2026-11-20",
      "'quoted key.with = signs' = [1, 2.5, [true]]",
      "a.b.c = 1",
    ].join("\n");
    const text = `${later}\n${goFile("go-populated.toml")}\n[table]\nx = nan\n[[tables]]\ny = 1\n`;
    const once = decodeCheckpoint(text);
    const twice = decodeCheckpoint(encodeCheckpoint(once));
    expect(Object.keys(once.extra)).toHaveLength(7);
    expect(twice).toStrictEqual(once);
  });

  test("come back whatever they are called and hold", () => {
    fc.assert(
      fc.property(fc.dictionary(anyKey, anyTomlValue, { maxKeys: 5 }), (extra) => {
        const plain = Object.fromEntries(Object.entries(extra));
        const read = decodeCheckpoint(encodeCheckpoint(createCheckpoint({ extra: plain })));
        expect(isDeepStrictEqual(read.extra, plain)).toBe(true); // toStrictEqual calls `constructor`
      }),
      { numRuns: 2000 },
    );
  });

  test("make no prototypes", () => {
    const text = `__proto__.polluted = 1\nconstructor.prototype.polluted = 1\n${goFile("go-populated.toml")}`;
    const { extra } = decodeCheckpoint(text);
    expect(Object.getPrototypeOf(extra)).toBe(Object.prototype);
    expect(Object.hasOwn(extra, "__proto__")).toBe(true);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    const again = decodeCheckpoint(encodeCheckpoint(createCheckpoint({ extra })));
    expect(isDeepStrictEqual(again.extra, extra)).toBe(true);
  });

  test.for<[string, unknown]>([
    ["a known key", { cycle: 3 }],
    ["the seal's key", { sealed: 0 }],
    ["the store's key", { quasar_artifacts: {} }],
    ["a key of the driving program's notes", { settings: {} }],
    ["null", { a: null }],
    ["undefined", { a: undefined }],
    ["a bigint", { a: 1n }],
    ["a function", { a: () => 1 }],
    ["no date at all", { a: new Date(Number.NaN) }],
    ["the year 275760", { a: new Date(8.64e15) }],
    ["more depth than is read", { a: nested(17) }],
  ])("are refused when they are %s", ([, extra]) => {
    const checkpoint = createCheckpoint({ extra: extra as Checkpoint["extra"] });
    expect(() => encodeCheckpoint(checkpoint)).toThrow(
      expect.objectContaining({ code: "ERR_INVALID_CHECKPOINT" }),
    );
  });
});

test.for<[string, Partial<Checkpoint>]>([
  ["half a cycle", { cycle: 1.5 }],
  ["a negative cycle", { cycle: -1 }],
  ["a cycle beyond what is exact", { cycle: 2 ** 53 }],
  ["a cost that is no number", { totalCostUsd: Number.NaN }],
  ["a cost without end", { totalCostUsd: Infinity }],
  ["a negative budget", { maxBudgetUsd: -1 }],
  ["an unknown cost that is no number", { unknownCostUsd: Number.NaN }],
  ["another phase", { phase: "lunch" as Phase }],
  ["a day that does not exist", { createdAt: "2026-02-30T00:00:00Z" }],
  ["a time that is more than one", { createdAt: "2026-01-01T00:00:00Z\nphase = 9" }],
  ["a turn of nobody", { turn: { ...aTurn, role: "boss" as "coder" } }],
  ["settings without a word in TOML", { settings: { a: 1n as unknown as TomlValue } }],
  ["settings that are a date", { settings: new Date() as unknown as Record<string, TomlValue> }],
  ["an outcome without a message", { outcome: { ...anOutcome, message: undefined as never } }],
])("encoding refuses %s, as decoding would", ([, change]) => {
  expect(() => encodeCheckpoint(aCheckpoint(change))).toThrow(
    expect.objectContaining({ code: "ERR_INVALID_CHECKPOINT" }),
  );
});

test.for<[string, Partial<Checkpoint>, string]>([
  ["a later version", { version: 2 }, "ERR_INCOMPATIBLE_VERSION"],
  ["version 0", { version: 0 }, "ERR_INCOMPATIBLE_VERSION"],
  ["half a version", { version: 1.5 }, "ERR_INVALID_CHECKPOINT"],
  [
    "two unknown keys that are one on disk",
    { extra: { "\ud83d": 1, "\ude00": 2 } },
    "ERR_INVALID_CHECKPOINT",
  ],
  [
    "two such keys within a table",
    { extra: { a: [{ "\ud83d": 1, "\ude00": 2 }] } },
    "ERR_INVALID_CHECKPOINT",
  ],
  [
    "more values than are read",
    { childBeadIds: Array.from({ length: 200_000 }, () => "a") },
    "ERR_INVALID_CHECKPOINT",
  ],
  [
    "more unknown keys than are read",
    { extra: Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, 1])) },
    "ERR_INVALID_CHECKPOINT",
  ],
])("neither encoding nor saving takes %s", async ([, change, code]) => {
  const checkpoint = aCheckpoint(change);
  expect(() => encodeCheckpoint(checkpoint)).toThrow(expect.objectContaining({ code }));
  const store = createMemoryCheckpointStore();
  await expect(store.save(checkpoint)).rejects.toMatchObject({ code });
});

test("encoding takes as many values as are read", () => {
  const others = encodeCheckpoint(aCheckpoint({ childBeadIds: [] })).split("\n").length;
  const childBeadIds = Array.from({ length: 200_000 - others - 10 }, () => "a");
  const checkpoint = aCheckpoint({ childBeadIds });
  expect(decodeCheckpoint(encodeCheckpoint(checkpoint))).toStrictEqual(checkpoint);
});

test("encoding refuses more than 4 MiB, and takes just that", () => {
  const rest = encodeCheckpoint(createCheckpoint({ coderOutput: "x" })).length - 1;
  const room = 4 * 1024 * 1024 - rest;
  const full = createCheckpoint({ coderOutput: "x".repeat(room) });
  expect(decodeCheckpoint(encodeCheckpoint(full))).toStrictEqual(full);
  expect(() => encodeCheckpoint({ ...full, coderOutput: "x".repeat(room + 1) })).toThrow(
    expect.objectContaining({ code: "ERR_TOO_LARGE" }),
  );
});

test.for(seedKeys)("decoding asks for %s", (key) => {
  const text = goFile("go-zero.toml").replace("version = 0", "version = 1");
  const without = text
    .split("\n")
    .filter((line) => !line.startsWith(`${key} = `))
    .join("\n");
  expect(() => decodeCheckpoint(without)).toThrow(
    expect.objectContaining({
      code: "ERR_INVALID_CHECKPOINT",
      message: expect.stringContaining(key) as string,
    }),
  );
});

test.for([
  ["unreported_costs", "unreported_costs = 1"],
  ["unsaid_costs", "unsaid_costs = 1"],
  ["outcome", "outcome = 'error'"],
  ["outcome.message", "outcome = { outcome = 'error' }"],
  ["outcome.outcome", "outcome = { outcome = 1, message = '' }"],
  ["outcome.allow", "outcome = { outcome = 'error', message = '', allow = [1] }"],
  ["outcome.requests", "outcome = { outcome = 'error', message = '', requests = -1 }"],
  ["settings", "settings = ['claude']"],
  ["quasar_artifacts", "quasar_artifacts = 2026-11-20"],
  ["quasar_artifacts", "quasar_artifacts = { coder_output = '../../../etc/passwd' }"],
] as const)("decoding refuses another type of %s, and names it: %s", ([key, line]) => {
  const error = { code: "ERR_INVALID_CHECKPOINT", message: expect.stringContaining(key) as string };
  expect(() => decodeCheckpoint(`${line}\n${goFile("go-populated.toml")}`)).toThrow(
    expect.objectContaining(error),
  );
});

test("created_at is the root's, not one that an output shows", () => {
  const block = "'''\ncreated_at = 2001-01-01T00:00:00Z\n'''";
  const text = goFile("go-populated.toml")
    .replace("version = 1", `version = 1\nnote = ${block}\nlist = [${block},\n"]", '#']`)
    .replace("created_at = ", '"created_at"   =   ');
  expect(decodeCheckpoint(text).createdAt).toBe("2026-11-20T18:04:05.123456789-05:00");
});

/** With an ordinary prototype. */
function plainTable(value: fc.Arbitrary<TomlValue>): fc.Arbitrary<Record<string, TomlValue>> {
  return fc
    .dictionary(anyText, value, { maxKeys: 3 })
    .map((table) => Object.fromEntries(Object.entries(table)));
}

function nested(depth: number): TomlValue {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

const anyText = fc.oneof(
  fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
  fc.string({ unit: fc.constantFrom("a", "\n", "'", '"', "\\", "\r", "\0", "😀") }),
);
const anyKey = fc
  .oneof(anyText, fc.constantFrom("__proto__", "constructor", "", "a.b"))
  .filter((key) => !KNOWN_KEYS.has(key));
const anyAmount = fc
  .double({ min: 0, noNaN: true, noDefaultInfinity: true })
  .map((value) => value + 0);
const anyTomlValue: fc.Arbitrary<TomlValue> = fc.letrec<{ value: TomlValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    anyText,
    fc.boolean(),
    fc.double().filter((value) => !Object.is(value, -0)),
    fc.maxSafeInteger(),
    fc.array(tie("value"), { maxLength: 3 }),
    plainTable(tie("value")),
  ),
})).value;
const anyTable = plainTable(anyTomlValue);
const anyTime = fc
  .tuple(
    fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T00:00:00Z"),
      noInvalidDate: true,
    }),
    fc.constantFrom("", ".1", ".123456789"),
    fc.constantFrom("Z", "-05:00", "+23:59"),
  )
  .map(([date, fraction, offset]) => `${date.toISOString().slice(0, 19)}${fraction}${offset}`);
const anyFinding = fc.record(
  {
    id: fc.constantFrom("f-e67f8738fdc5", "later"),
    severity: anyText,
    description: anyText,
    cycle: fc.nat(),
    status: fc.constantFrom("found", "fixed", "still_present", "regressed"),
  },
  { noNullPrototype: true },
);
const anyLedgerEntry = fc.record(
  {
    turnId: anyText,
    role: fc.constantFrom("coder", "reviewer"),
    cycle: fc.nat(),
    attempt: fc.nat(),
    status: fc.constantFrom("settled", "failed", "lost"),
    source: fc.constantFrom("reported", "computed", "partial", "unknown"),
    reservedUsd: anyAmount,
    costUsd: anyAmount,
    unknownUsd: anyAmount,
    startedAt: anyText,
  },
  { noNullPrototype: true },
);

const anyQuestion = fc.record(
  {
    id: anyText,
    turnId: anyText,
    role: fc.constantFrom("coder", "reviewer"),
    cycle: fc.nat(),
    kind: fc.constantFrom("decision_needed", "ambiguity", "blocker", "human_review"),
    summary: anyText,
    detail: anyText,
    options: fc.array(anyText),
  },
  { noNullPrototype: true },
);

const anyCheckpoint: fc.Arbitrary<Checkpoint> = fc
  .record(
    {
      phaseId: anyText,
      nebulaName: anyText,
      createdAt: anyTime,
      gitSha: anyText,
      taskTitle: anyText,
      cycle: fc.maxSafeInteger().map(Math.abs),
      phase: fc.constantFrom(...PHASES),
      totalCostUsd: anyAmount,
      maxBudgetUsd: anyAmount,
      coderOutput: anyText,
      reviewOutput: anyText,
      lintOutput: anyText,
      cycleCommits: fc.array(anyText),
      refactored: fc.boolean(),
      findings: fc.array(anyFinding, { maxLength: 3 }),
      allFindings: fc.array(anyFinding, { maxLength: 3 }),
      revision: fc.nat(),
      unknownCostUsd: anyAmount,
      hasUnreportedCosts: fc.boolean(),
      outcome: fc.record(
        { outcome: anyText, message: anyText, allow: fc.array(anyText), requests: fc.nat() },
        { noNullPrototype: true },
      ),
      settings: anyTable,
      filterHistory: fc.array(anyText),
      untouchablePaths: fc.array(anyText),
      protectedPaths: fc.array(
        fc.record({ path: anyText, mode: anyText, id: anyText }, { noNullPrototype: true }),
        { maxLength: 3 },
      ),
      questions: fc.array(anyQuestion, { maxLength: 3 }),
      humanResponses: anyText,
      relayedAnswers: fc.array(anyText),
      branch: anyText,
      checkedTree: anyText,
      checkedWith: anyText,
      reviewedTree: anyText,
      turn: fc.record(
        {
          id: anyText,
          role: fc.constantFrom("coder", "reviewer"),
          attempt: fc.nat(),
          status: fc.constantFrom("started", "settled"),
          allowanceUsd: anyAmount,
          reservedUsd: anyAmount,
          unmetered: fc.boolean(),
          startedAt: anyTime,
          sessionId: anyText,
          resumed: fc.boolean(),
          treeMark: anyText,
          pid: fc.nat(),
          processStart: fc.nat(),
          bootId: anyText,
          host: anyText,
          retries: fc.nat(),
          kills: fc.nat(),
          retryAt: anyText,
        },
        { noNullPrototype: true },
      ),
      retryAt: anyText,
      neededBudgetUsd: anyAmount,
      neededTurnBudgetUsd: anyAmount,
      commitStyle: fc.constantFrom("seed", "plain", "conventional"),
      commitRefused: fc.constantFrom("", "work", "message"),
      commitFixes: fc.nat(),
      commitSubject: anyText,
      ledger: fc.array(anyLedgerEntry, { maxLength: 3 }),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map((values) => createCheckpoint(values as Partial<Checkpoint>));
