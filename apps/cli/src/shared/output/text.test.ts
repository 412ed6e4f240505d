import type { Finding } from "@quasar/loop";
import { widthOf } from "@quasar/runs/text";
import { expect, test } from "vitest";
import { advance, IDLE, type Progress } from "./progress.ts";
import type { OutputRecord } from "./record.ts";
import { findingLines, labelled, linesOf, liveBlock, nextLines, type View } from "./text.ts";

const plain: View = { columns: undefined, paint: (_style, text) => text, live: false };

const finding: Finding = {
  id: "f-e67f8738fdc5",
  severity: "major",
  description: "the session token is compared with ==, which leaks its length and prefix by time",
  cycle: 1,
  status: "found",
};

const TURN = "20261121-101500-7f3a9c";

test("what a long label takes of its line is missing to the text", () => {
  const lines = labelled({ ...plain, columns: 40 }, "payment-with-a-…", "word ".repeat(9).trim());
  expect(lines).toEqual([
    "  payment-with-a-… word word word word",
    "           word word word word word",
  ]);
});

test("no command to type next is broken, also where it goes to another folder first", () => {
  const command = `cd /home/ada/${"widgets-".repeat(10)} && quasar resume --max-budget 6.04`;
  expect(nextLines([command], { ...plain, columns: 80 })).toEqual([`  next     ${command}`]);
});

test("a command in the last line of a warning is never broken, and its words are", () => {
  const command = `rm -r /home/ada/${"widgets/".repeat(10)}.quasar/checkpoint.toml`;
  const message = `the compatibility checkpoint cannot be removed: ${"no ".repeat(20)}\n${command}`;
  const lines = linesOf({ type: "warning", cycle: 0, message }, IDLE, { ...plain, columns: 80 });
  expect(lines.slice(0, -1).every((line) => widthOf(line) <= 80)).toBe(true);
  expect(lines.slice(-1)).toEqual([`         ${command}`]);
});

test("a command's explanation goes under it where both do not fit", () => {
  const short = "quasar prune --older-than 0s   # frees 1 KiB";
  const long = `mv /home/ada/${"widgets/".repeat(6)}.git/index.lock away   # if no git works in this repository`;
  expect(nextLines([short, long], { ...plain, columns: 80 })).toEqual([
    "  next     quasar prune --older-than 0s # frees 1 KiB",
    `           mv /home/ada/${"widgets/".repeat(6)}.git/index.lock away`,
    "           # if no git works in this repository",
  ]);
  expect(nextLines([long], plain)).toHaveLength(1);
  const dear = `${long.slice(0, long.indexOf("#"))}# ${"what it does ".repeat(8).trim()}`;
  const [, ...remarks] = nextLines([dear], { ...plain, columns: 80 });
  expect(remarks).toHaveLength(2);
  expect(remarks.every((line) => line.startsWith("           # what"))).toBe(true);
});

test.for([
  ["a structured answer", { type: "text", text: '{"verdict":"approved","findings":[]}' }, []],
  ["the subject of a commit", { type: "text", text: "COMMIT: fix: a" }, []],
  [
    "it after what was said",
    { type: "text", text: "Done.\n\nCOMMIT: fix: a\n" },
    ["  coder    Done."],
  ],
  [
    "COMMIT: elsewhere",
    { type: "text", text: "COMMIT: is last.\nNo." },
    ["  coder    COMMIT: is last. No."],
  ],
] as const)("of what an agent says and does, %s is shown as it should", ([, event, lines]) => {
  expect(linesOf({ type: "agent_event", cycle: 1, role: "coder", event }, IDLE, plain)).toEqual(
    lines,
  );
});

test.for([
  ["in words", "I read it.\n\nISSUE:\nSEVERITY: major\nDESCRIPTION: Two spaces."],
  ["in JSON", '```json\n{"verdict":"approved","findings":[]}\n```'],
] as const)("a review %s is shown once, when it is complete", ([, text]) => {
  const event = { type: "text", text } as const;
  expect(linesOf({ type: "agent_event", cycle: 1, role: "reviewer", event }, IDLE, plain)).toEqual(
    [],
  );
});

test("what a reviewer says before it decides is shown", () => {
  const event = { type: "text", text: "I look at the tests." } as const;
  expect(linesOf({ type: "agent_event", cycle: 1, role: "reviewer", event }, IDLE, plain)).toEqual([
    "  reviewer I look at the tests.",
  ]);
});

test("a denial that no rule lifts is shown without one", () => {
  const denials = [{ what: "fetch https://a.example", allow: [] }];
  const record = { type: "tools_denied", cycle: 1, role: "coder", turnId: "r.1", denials } as const;
  expect(linesOf(record, IDLE, plain)).toEqual(["  denied   `fetch https://a.example`"]);
});

test("what a failed check has printed is shown once, by the lines that say most", () => {
  const around = [...Array(40).keys()].map((n) => `line ${n}`);
  const output = [...around, "✖ two spaces", "  a--b", ...around, "", "end"].join("\n");
  const description = `[filter:npm test] ${output}`;
  const red: Finding = { ...finding, severity: "critical", description };
  const records: readonly OutputRecord[] = [
    { type: "check_done", cycle: 1, check: "filter", name: "npm test", passed: false, output },
    { type: "review_complete", cycle: 1, approved: false, findings: [red] },
  ];
  const said = ["line 0", "line 1", "…", "✖ two spaces", "  a--b", "line 0", "line 1", "…"];
  const shown = [...said, "line 38", "line 39", "end"].map((line) => `           ${line}`);
  const narrow: View = { ...plain, columns: 80 };
  expect(records.flatMap((record) => linesOf(record, IDLE, narrow))).toEqual([
    "  check    npm test: failed",
    ...shown,
    "  review   1 finding, back to the coder",
  ]);
  const kept = findingLines(red, narrow);
  expect(kept).toEqual(["  finding  critical: npm test failed", ...shown]);
});

test("of many findings a screen lists the worst, then the newest, and says where the others are", () => {
  const severities = ["minor", "Critical", "odd", "major"];
  const findings = Array.from({ length: 40 }, (_, n): Finding => {
    const severity = severities[n % 4] ?? "";
    return { ...finding, severity, description: `d${n}`, cycle: n === 2 ? 2 : 1 };
  });
  const record: OutputRecord = { type: "review_complete", cycle: 2, approved: false, findings };
  const known = { ...IDLE, runId: TURN };
  const lines = linesOf(record, known, plain);
  // All ten critical ones; of those that count as major the newest cycle's, then the first in the list.
  const critical = [1, 5, 9, 13, 17, 21, 25, 29, 33, 37];
  const shown = [...critical, 2, 3, 6, 7, 10, 11, 14, 15, 18, 19].toSorted((a, b) => a - b);
  expect(lines.map((line) => Number(/: d(\d+)$/u.exec(line)?.[1] ?? -1))).toEqual([
    ...shown,
    -1,
    -1,
  ]);
  expect(lines.slice(-2)).toEqual([
    `           and 20 more: quasar show ${TURN}`,
    "  review   40 findings, back to the coder",
  ]);
  expect(linesOf(record, known, plain, "atlas resume").at(-2)).toBe("           and 20 more");
  expect(linesOf({ ...record, findings: findings.slice(20) }, known, plain)).toHaveLength(21);
});

test("what was kept of a task's run is brought back by git, which knows no runs", () => {
  const ref = "refs/quasar/task-1-implement-1/2";
  const record = { type: "snapshot", cycle: 1, n: 2, ref, sha: "0".repeat(40) } as const;
  const wide = { columns: 120, live: false, paint: (_: unknown, text: string): string => text };
  const told = (resume: string): string => linesOf(record, IDLE, wide, resume).join(" ");
  expect(told("atlas resume")).toContain(`git restore --source ${ref} :/`);
  expect(told("")).toContain("quasar restore 2");
});

const RECORDS: readonly OutputRecord[] = [
  {
    type: "run",
    runId: TURN,
    task: "Add input validation to the login handler, for every field that a user can send\n\nMore.",
    workTree: "/home/ada/shop",
    branch: "main",
    coder: "claude",
    reviewer: "codex",
    allowed: "coder: edits; a convenience, not a sandbox (docs/trust.md)",
    maxCycles: 3,
    maxBudgetUsd: 5,
    turnRole: "coder",
    turnBudgetUsd: 4.5,
    spentUsd: 0,
    unknownUsd: 0,
    hasUnreportedCosts: false,
  },
  { type: "cycle_start", cycle: 1 },
  { type: "agent_start", cycle: 1, role: "coder", turnId: `${TURN}.1`, attempt: 1 },
  {
    type: "agent_event",
    cycle: 1,
    role: "coder",
    event: { type: "tool", name: "Edit", detail: "src/login.ts" },
  },
  { type: "agent_event", cycle: 1, role: "coder", event: { type: "usage", costUsd: 0.2 } },
  {
    type: "agent_done",
    cycle: 1,
    role: "coder",
    turnId: `${TURN}.1`,
    costUsd: 0.25,
    durationMs: 41_000,
    spentUsd: 0.25,
  },
  { type: "committed", cycle: 1, turnId: "r.1", sha: "1a2b3c4d5e6f".padEnd(40, "0") },
  { type: "check_done", cycle: 1, check: "filter", name: "npm test", passed: true, output: "" },
  { type: "agent_start", cycle: 1, role: "reviewer", turnId: `${TURN}.2`, attempt: 2 },
  {
    type: "agent_done",
    cycle: 1,
    role: "reviewer",
    turnId: `${TURN}.2`,
    costUsd: undefined,
    durationMs: 187_000,
  },
  { type: "review_complete", cycle: 1, approved: false, findings: [finding] },
  { type: "warning", cycle: 1, message: "the budget \u001b[2Jis watched between turns only" },
  { type: "review_complete", cycle: 2, approved: true, findings: [] },
  {
    type: "result",
    exit: 0,
    outcome: "approved",
    runId: TURN,
    cycle: 2,
    spentUsd: 0.5,
    knownUsd: 0.25,
    unknownUsd: 0.25,
    message: "approved",
    report: {
      satisfaction: "high",
      risk: "low",
      needsHumanReview: true,
      summary: "Every field is checked by one schema, and what fails is told without an echo.",
    },
    findings: [finding],
    baseSha: "b".repeat(40),
    finalSha: "c".repeat(40),
    changed: true,
    checked: true,
    caches: [],
    files: [
      { path: "src/login.ts", added: 10, removed: 2 },
      { path: "logo.png", added: undefined, removed: undefined },
    ],
    commits: ["b", "1", "c"].map((digit) => digit.repeat(40)),
    retryAt: undefined,
    limit: undefined,
    next: ["git log --oneline bbbbbbbbbb.."],
  },
  {
    type: "error",
    code: "ERR_DIRTY",
    exit: 6,
    message: "the work tree has changes that are not committed:\n  src/login.ts\n  notes.md",
    next: ["quasar run --accept-dirty …", "quasar run --worktree …"],
  },
];

function rendered(view: View): string {
  let progress: Progress = IDLE;
  const lines = RECORDS.flatMap((record) => {
    progress = advance(progress, record, 0);
    return linesOf(record, progress, view);
  });
  return lines.join("\n");
}

test("tells a run in plain lines when piped", () => {
  expect(rendered(plain)).toMatchInlineSnapshot(`
    "quasar run 20261121-101500-7f3a9c
      task     Add input validation to the login handler, for every field that a user can send
      in       /home/ada/shop, branch main
      agents   coder claude, reviewer codex
      allowed  coder: edits; a convenience, not a sandbox (docs/trust.md)
      limits   3 cycles, $5.00; a coder's turn may spend up to $4.50
    cycle 1 of 3
      coder    works (20261121-101500-7f3a9c.1)
      coder    Edit: src/login.ts
      coder    done in 41 s, $0.25
      commit   1a2b3c4d5e
      check    npm test: passed
      reviewer works (20261121-101500-7f3a9c.2, attempt 2)
      reviewer done in 3:07, cost unknown
      finding  major: the session token is compared with ==, which leaks its length and prefix by time
      review   1 finding, back to the coder
    warning: the budget \\u{1b}[2Jis watched between turns only
      review   approved
    approved after 2 cycles
      cost     $0.25 known, up to $0.25 more, of $5.00
      commits  1111111111 cccccccccc
      changed  2 files, +10 -2
               src/login.ts  +10 -2
               logo.png      binary
      report   satisfaction high, risk low, a person should look at it
               Every field is checked by one schema, and what fails is told without an echo.
      next     git log --oneline bbbbbbbbbb..
    error: the work tree has changes that are not committed:
           src/login.ts
           notes.md
      next     quasar run --accept-dirty …
               quasar run --worktree …"
  `);
});

test.for([80, 120])("keeps within %d columns", (columns) => {
  const lines = rendered({ ...plain, columns, live: true }).split("\n");
  expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
});

test("continues under its own beginning at 80 columns", () => {
  expect(rendered({ ...plain, columns: 80, live: true })).toMatchInlineSnapshot(`
    "quasar run 20261121-101500-7f3a9c
      task     Add input validation to the login handler, for every field that a
               user can send
      in       /home/ada/shop, branch main
      agents   coder claude, reviewer codex
      allowed  coder: edits; a convenience, not a sandbox (docs/trust.md)
      limits   3 cycles, $5.00; a coder's turn may spend up to $4.50
    cycle 1 of 3
      coder    Edit: src/login.ts
      coder    done in 41 s, $0.25
      commit   1a2b3c4d5e
      check    npm test: passed
      reviewer done in 3:07, cost unknown
      finding  major: the session token is compared with ==, which leaks its length
               and prefix by time
      review   1 finding, back to the coder
    warning: the budget \\u{1b}[2Jis watched between turns only
      review   approved
    approved after 2 cycles
      cost     $0.25 known, up to $0.25 more, of $5.00
      commits  1111111111 cccccccccc
      changed  2 files, +10 -2
               src/login.ts  +10 -2
               logo.png      binary
      report   satisfaction high, risk low, a person should look at it
               Every field is checked by one schema, and what fails is told without
               an echo.
      next     git log --oneline bbbbbbbbbb..
    error: the work tree has changes that are not committed:
           src/login.ts
           notes.md
      next     quasar run --accept-dirty …
               quasar run --worktree …"
  `);
});

function progressAfter(count: number, now: number): Progress {
  return RECORDS.slice(0, count).reduce((state, record) => advance(state, record, now), IDLE);
}

test.for([80, 120])("draws who works in a block of two lines within %d columns", (columns) => {
  const working = {
    ...progressAfter(5, 1000),
    activity: `says ${"日本語 \u001b[31m ".repeat(40)}`,
  };
  const block = liveBlock(working, 8_900, columns, (_style, text) => text);
  expect(block).toHaveLength(2);
  expect(block[0]).toMatch(/^. coder works · cycle 1 of 3 · 0:07 · \$0\.20 of \$5\.00$/u);
  expect(block[1]).toMatch(/^ {2}says 日本語 \\u\{1b\}\[31m .*…$/u);
  expect(Math.max(...block.map(widthOf))).toBeLessThan(columns);
});

test("draws nothing when nobody works", () => {
  expect(liveBlock(progressAfter(6, 0), 0, 80, (_style, text) => text)).toEqual([]);
});

test("adds up what turns cost, and remembers that one did not say", () => {
  expect(progressAfter(6, 0)).toMatchObject({
    settledUsd: 0.25,
    turnUsd: 0,
    hasUnreportedCosts: false,
  });
  expect(progressAfter(10, 0)).toMatchObject({ settledUsd: 0.25, hasUnreportedCosts: true });
});

test("lets no text of an agent act on the terminal, whichever record brings it", () => {
  const evil = "x\u001b]0;t\u0007\u202e\r";
  const records: readonly OutputRecord[] = [
    { type: "agent_event", cycle: 1, role: "coder", event: { type: "retry", message: evil } },
    { type: "check_done", cycle: 1, check: "lint", name: evil, passed: false, output: evil },
    {
      type: "review_complete",
      cycle: 1,
      approved: false,
      findings: [{ ...finding, severity: evil, description: evil }],
    },
    { type: "resumed", cycle: 1, message: evil, details: [evil] },
    { type: "struggle_detected", cycle: 1, message: evil },
    { type: "notice", message: evil },
    { type: "warning", cycle: 1, message: evil },
    { type: "error", code: "ERR_STATE", exit: 1, message: evil, next: [evil] },
  ];
  const text = records.flatMap((record) => linesOf(record, IDLE, plain)).join("\n");
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text.split("\\u{1b}]0;t").length).toBeGreaterThan(records.length);
});
