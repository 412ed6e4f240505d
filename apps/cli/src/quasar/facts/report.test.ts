import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Checkpoint,
  type CheckpointFinding,
  type CheckpointLedgerEntry,
  type CheckpointTurn,
  createCheckpoint,
  createFileCheckpointStore,
} from "@quasar/checkpoint";
import { openJournal } from "@quasar/durable/journal";
import { readRunFacts } from "@quasar/runs/facts";
import { openWorkspace, summarize } from "@quasar/runs/internal";
import { runMarkdown } from "@quasar/runs/report";
import { budget, count } from "@quasar/runs/text";
import * as v from "valibot";
import { expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { stepsInWords } from "../next-steps.ts";
import { reportLine } from "../schemas/report.ts";
import { statusLine } from "../schemas/status.ts";
import { reportFacts } from "./report.ts";
import { runFacts } from "./run.ts";

const RUN = "20261120-101112-0a1b2c";
const SHA = "0123456789abcdef0123456789abcdef01234567";
const AT = "2026-11-20T10:11:12Z";

const finding = (n: number, status: CheckpointFinding["status"]): CheckpointFinding => {
  const id = `f-${String(n).padStart(12, "0")}`;
  return { id, severity: "major", description: `finding ${n}`, cycle: 1, status };
};

const entry = (n: number, change: Partial<CheckpointLedgerEntry> = {}): CheckpointLedgerEntry => ({
  ...{ turnId: `${RUN}.${n}`, role: n % 2 === 1 ? "coder" : "reviewer" },
  ...{ cycle: Math.ceil(n / 2), attempt: 1, status: "settled", source: "reported" },
  ...{ reservedUsd: 1, costUsd: 0.1, unknownUsd: 0, startedAt: AT, ...change },
});

const ledgerOf = (turns: number, change?: Partial<CheckpointLedgerEntry>) => ({
  ledger: Array.from({ length: turns }, (_, n) => entry(n + 1, change)),
  totalCostUsd: turns * (change?.costUsd ?? 0.1),
  unknownCostUsd: turns * (change?.unknownUsd ?? 0),
});

const OPEN_TURN: CheckpointTurn = {
  ...{ id: `${RUN}.3`, role: "coder", attempt: 1, status: "started", sessionId: "" },
  ...{ resumed: false, treeMark: "", pid: 0, processStart: 0, bootId: "", host: "" },
  ...{
    retries: 0,
    kills: 0,
    retryAt: "",
    allowanceUsd: 1,
    reservedUsd: 0.5,
    unmetered: false,
    startedAt: AT,
  },
};

const cycleFacts = (cycle: number): readonly object[] => [
  { type: "cycle_start", cycle },
  { type: "agent_start", cycle, role: "coder", turnId: `${RUN}.${cycle * 2 - 1}`, attempt: 1 },
  {
    ...{ type: "agent_done", cycle, role: "coder", turnId: `${RUN}.${cycle * 2 - 1}` },
    ...{ durationMs: 1000, costUsd: 0.1, summary: "Did it." },
  },
  { type: "check_done", cycle, check: "filter", name: "npm test", passed: cycle > 1, output: "" },
  {
    ...{ type: "review_complete", cycle, approved: false, findings: [] },
    changed: [{ id: "f-000000000001", cycle: 1, status: cycle === 1 ? "found" : "still_present" }],
  },
];
const RESUMED = { type: "resumed", cycle: 1, message: "resumed from checkpoint", details: [] };

interface Stored {
  readonly checkpoint: Partial<Checkpoint>;
  readonly facts: readonly object[];
  readonly isArchived?: true;
  /** What is done to the journal. */
  readonly harm?: (path: string) => void;
}

const KILLED: Stored = {
  checkpoint: { ...ledgerOf(2), phase: "coding", turn: OPEN_TURN, cycle: 2 },
  facts: [...cycleFacts(1), RESUMED, ...cycleFacts(2).slice(0, 2)],
};
const FOREIGN: readonly object[] = [
  { type: "constructor" },
  { type: "committed", sha: "no id", cycle: "x" },
  { type: "cycle_start", cycle: -3, time: "soon" },
  { nothing: true },
];

const JOURNALS: readonly (readonly [name: string, stored: Stored])[] = [
  [
    "a run of many cycles",
    { checkpoint: ledgerOf(20), facts: [1, 2, 3, 4, 5].flatMap(cycleFacts) },
  ],
  ["one that was killed", KILLED],
  ["a torn end", { ...KILLED, harm: (path) => appendFileSync(path, '{"seq":99,"prev"') }],
  [
    "a damaged middle",
    {
      ...KILLED,
      harm: (path) =>
        writeFileSync(path, readFileSync(path, "utf8").replace("npm test", "npm tent")),
    },
  ],
  ["foreign records", { ...KILLED, facts: [...FOREIGN, ...KILLED.facts, ...FOREIGN] }],
  [
    "a fork",
    {
      checkpoint: ledgerOf(2),
      facts: [{ type: "forked", from: "20261119-101112-0a1b2c", cycle: 1 }, RESUMED],
    },
  ],
  [
    "a run that was given up",
    {
      checkpoint: {
        ...ledgerOf(3),
        outcome: { outcome: "abandoned", message: "given up", allow: [], requests: 0 },
      },
      facts: [...cycleFacts(1), { type: "abandoned" }],
      isArchived: true,
    },
  ],
  [
    "a run at a usage limit",
    {
      checkpoint: {
        ...ledgerOf(1, { costUsd: 0.5, unknownUsd: 0.4, status: "failed", source: "unknown" }),
        ...{ failure: "limit", retryAt: "2026-11-20T12:00:00Z" },
        outcome: { outcome: "agent", message: "usage limit", allow: [], requests: 0 },
      },
      facts: [
        ...cycleFacts(1).slice(0, 2),
        { type: "waiting", until: AT, waitMs: 1000, isKnown: true, message: "usage limit" },
        { type: "result", outcome: "agent", message: "usage limit" },
      ],
    },
  ],
  ["no journal", { checkpoint: ledgerOf(4), facts: [] }],
  ["another program's checkpoint", { checkpoint: { totalCostUsd: 3.5 }, facts: [] }],
  [
    "an approved run",
    {
      checkpoint: {
        ...ledgerOf(4, { costUsd: 0.3, unknownUsd: 0.1 }),
        ...{ phase: "approved", reviewOutput: "APPROVED: it does" },
      },
      facts: [...cycleFacts(1), { type: "result", outcome: "approved", message: "" }],
      isArchived: true,
    },
  ],
];

test.for(JOURNALS)("status, report and Markdown say the same figures of %s", async ([, stored]) => {
  const root = mkdtempSync(join(tmpdir(), "report-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  execFileSync("git", ["init", "-q", root]);
  const workspace = await openWorkspace(root);
  const dir = join(workspace.runsDir, RUN);
  mkdirSync(dir, { recursive: true });
  const kept = stored.isArchived === true ? join(dir, "archive") : dir;
  await createFileCheckpointStore({ dir: kept }).save(
    createCheckpoint({
      ...{ runId: RUN, taskTitle: "Do it", cycle: 2, maxCycles: 9, maxBudgetUsd: 5 },
      ...{ baseCommitSha: SHA, gitSha: SHA },
      allFindings: [finding(1, "fixed"), finding(2, "found"), finding(2, "still_present")],
      ...stored.checkpoint,
    }),
  );
  const path = join(dir, "events.jsonl");
  const journal = openJournal(path, { joins: true });
  for (const fact of stored.facts) journal.add({ time: AT, ...fact });
  journal.close();
  stored.harm?.(path);

  const [summary] = await summarize(workspace, [RUN]);
  if (summary === undefined) throw new Error("there is no run");
  const status = v.parse(
    statusLine.entries.runs.item,
    JSON.parse(JSON.stringify(runFacts(summary))),
  );
  const facts = await readRunFacts(workspace, RUN);
  const printed = { ...reportFacts(facts), redactionSet: "" };
  const report = v.parse(
    reportLine,
    JSON.parse(JSON.stringify(result("report", printed, EXIT.ok, stepsInWords(facts.next)))),
  );
  expect(report).toMatchObject({
    ...{ runId: status.runId, status: status.status, task: status.task, reason: status.reason },
    ...{ cycle: status.cycle, maxCycles: status.maxCycles, baseSha: status.baseSha },
    ...{ spentUsd: status.spentUsd, knownUsd: status.knownUsd, unknownUsd: status.unknownUsd },
    ...{ hasUnreportedCosts: status.hasUnreportedCosts, maxBudgetUsd: status.maxBudgetUsd },
    next: status.next,
  });
  expect(report.findings.filter((each) => each.status !== "fixed")).toMatchObject(status.findings);
  for (const shares of [report.costByRole, report.costByCycle]) {
    const sum = (key: "knownUsd" | "unknownUsd") =>
      shares.reduce((total, share) => total + share[key], 0);
    expect(sum("knownUsd")).toBeCloseTo(status.knownUsd, 9);
    expect(sum("unknownUsd")).toBeCloseTo(status.unknownUsd, 9);
  }
  const [, verdict = ""] = runMarkdown(facts).split("\n\n");
  expect(verdict).toContain(budget(status, status.maxBudgetUsd));
  expect(verdict).toContain(count(report.turns.length, "turn"));
});
