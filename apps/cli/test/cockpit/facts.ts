import type { NebulaFacts, PhaseFacts } from "@quasar/nebula/facts";
import type { FindingFacts, MoneyFacts, RunFacts, TurnFacts } from "@quasar/runs/facts";
import { patchLines } from "../../src/shared/output/diff.ts";
import type { FleetShown, Shown } from "../../src/cockpit/model/shown.ts";

/** When the frames of the tests are. */
export const NOW: number = Date.parse("2026-11-21T16:05:07Z");

export function money(knownUsd: number, maxUsd = 0, unknownUsd = 0): MoneyFacts {
  const spentUsd = knownUsd + unknownUsd;
  const spent = {
    spentUsd,
    knownUsd,
    unknownUsd,
    hasUnreportedCosts: false,
    reservedUsd: 0,
    maxUsd,
  };
  return { ...spent, byRole: [], byCycle: [] };
}

const NO_RECOVERY = { crashCount: 0, resumeCount: 0, boughtTwiceCount: 0, boughtTwiceUsd: 0 };

export function aTurn(n: number, more: Partial<TurnFacts> = {}): TurnFacts {
  return {
    ...{ turnId: `20261121-160000-abcdef.${n}`, role: "coder", cycle: 1, attempt: 1 },
    ...{ status: "settled", source: "reported", reservedUsd: 0.5, costUsd: 0.3, unknownUsd: 0 },
    ...{ startedAt: "2026-11-21T16:00:55Z", durationMs: 61_000, endedAt: "2026-11-21T16:01:56Z" },
    ...{ recoveries: [], denied: [], summary: "" },
    ...more,
  };
}

export function aFinding(id: string, more: Partial<FindingFacts> = {}): FindingFacts {
  return {
    ...{ id, severity: "major", cycle: 1, status: "found" },
    ...{ description: "session id not rotated on login", life: [{ cycle: 1, status: "found" }] },
    ...more,
  };
}

export function aRun(more: Partial<RunFacts> = {}): RunFacts {
  return {
    ...{ id: "20261121-160000-abcdef", task: "Add a --dry-run flag", status: "running" },
    ...{ reason: "", coder: "claude", reviewer: "codex", cycle: 1, maxCycles: 3 },
    ...{ baseSha: "a".repeat(40), headSha: "b".repeat(40) },
    ...{ startedAt: "2026-11-21T15:24:00Z", lastAt: "2026-11-21T16:05:00Z" },
    ...{ verdict: undefined, money: money(0.62, 5), turns: [], cycles: [], findings: [] },
    ...{ commits: [], lives: [], events: [], problems: [], next: [], forkedFrom: "" },
    recovery: NO_RECOVERY,
    ...more,
  };
}

export function aPhase(id: string, more: Partial<PhaseFacts> = {}): PhaseFacts {
  return {
    ...{ id, title: `Phase ${id}`, status: "pending", isWorkedOn: false, reason: "" },
    ...{ dependsOn: [], wave: 1, attempt: 1, money: money(0), runs: [], question: "" },
    ...{ digest: "", baseSha: "", tipSha: "", landedSha: "", landedAt: "", retryAt: "" },
    ...{ standing: "pending", isMerge: false, reworks: [], warnings: [], landsAfter: "" },
    attempts: (more.runs ?? []).map(({ id: runId, startedAt }, at) => {
      return { attempt: at + 1, runId, startedAt, reasons: [] };
    }),
    ...more,
  };
}

const OPEN = { status: "open", durationMs: undefined, endedAt: "", costUsd: 0 } as const;

const GATED = aRun({
  id: "20261121-160000-000001",
  status: "approved",
  cycle: 2,
  verdict: {
    ...{ isApproved: true, satisfaction: "high", risk: "low", needsHumanReview: false },
    summary: "Sessions are checked before the password is.",
  },
  turns: [aTurn(1), aTurn(2, { role: "reviewer", costUsd: 0.2 })],
  cycles: [
    {
      ...{ cycle: 2, startedAt: "", endedAt: "", isApproved: true },
      checks: [{ check: "filter", name: "pnpm test", isPassed: true, output: "", at: "" }],
    },
  ],
  findings: [
    aFinding("f-e67f001122aa", {
      ...{ status: "fixed", description: "missing nil check in auth.ts:12" },
      life: [
        { cycle: 1, status: "found" },
        { cycle: 2, status: "fixed" },
      ],
    }),
    aFinding("f-8b8e334455bb", {
      ...{ severity: "minor", status: "still_present" },
      description: "error text leaks the user's name",
    }),
  ],
});

/** Seven phases, one of each standing. */
export function aNebula(more: Partial<NebulaFacts> = {}): NebulaFacts {
  const ended = { status: "done", landedAt: "2026-11-21T15:36:40Z" } as const;
  return {
    ...{ id: "k3v9x2m4qa", name: "auth", branch: "nebula/auth", status: "working" },
    ...{ baseSha: "a".repeat(40), tipSha: "c".repeat(40), planVerdict: "", planReason: "" },
    ...{
      dir: "/repo/.nebulas/auth",
      pid: 4711,
      stops: undefined,
      agents: [],
      pauseEnds: [],
      push: undefined,
    },
    ...{ isArchived: false, shortages: [], obstacles: [], decisions: [], questions: [] },
    ...{ openQuestions: [], recovery: NO_RECOVERY, problems: [] },
    ...{ startedAt: "2026-11-21T15:24:00Z", lastAt: "2026-11-21T16:05:00Z" },
    ...{ landedCount: 2, unchangedCount: 0, phaseCount: 7 },
    needs: [
      {
        ...{ kind: "land", phase: "login-api", questionId: "", digest: "9c01".repeat(16) },
        text: "accept 2 files, +84 -12?",
      },
    ],
    money: {
      ...money(6.41, 20),
      reservedUsd: 0.3,
      byPhase: [
        { name: "schema", knownUsd: 1.88, unknownUsd: 0, turnCount: 6 },
        { name: "login-api", knownUsd: 1.1, unknownUsd: 0, turnCount: 2 },
      ],
    },
    phases: [
      aPhase("schema", {
        ...ended,
        ...{ landedSha: "3f2a91c".padEnd(40, "0"), money: money(1.88) },
        runs: [aRun({ status: "approved", cycle: 3 })],
      }),
      aPhase("config", {
        ...ended,
        ...{ landedSha: "77b01de".padEnd(40, "0"), money: money(0.95) },
        runs: [aRun({ status: "approved", cycle: 1 })],
      }),
      aPhase("login-api", {
        ...{ title: "Check passwords at login", status: "awaiting_human", question: "land" },
        ...{ digest: "9c01".repeat(16), money: money(1.1), runs: [GATED], dependsOn: ["schema"] },
        wave: 2,
      }),
      aPhase("sessions", {
        ...{ status: "running", isWorkedOn: true, money: money(0.62), wave: 2 },
        dependsOn: ["schema"],
        runs: [aRun({ turns: [aTurn(3, OPEN)], findings: [aFinding("f-1c2d33aa90b1")] })],
      }),
      aPhase("rate-limit", {
        ...{ status: "running", isWorkedOn: true, money: money(0.4), wave: 2 },
        dependsOn: ["config"],
        runs: [
          aRun({
            id: "20261121-160000-000002",
            cycle: 2,
            turns: [
              aTurn(4, {
                ...OPEN,
                ...{ turnId: "20261121-160000-000002.4", role: "reviewer" },
                startedAt: "2026-11-21T16:04:29Z",
              }),
            ],
          }),
        ],
      }),
      aPhase("docs", {
        ...{ status: "landing", isWorkedOn: true, money: money(0.31), wave: 2 },
        runs: [aRun({ status: "approved" })],
      }),
      aPhase("e2e", { wave: 3, dependsOn: ["sessions", "rate-limit"] }),
    ],
    landings: [],
    lane: ["docs"],
    lives: [],
    events: [
      {
        ...{ at: "2026-11-21T15:58:03Z", type: "resumed", turnId: "", phase: "" },
        text: "resumed: reattached 2 agents",
      },
      {
        ...{ at: "2026-11-21T16:01:40Z", type: "phase_landed", turnId: "", phase: "config" },
        text: "landed 77b01de",
      },
    ],
    ...more,
  };
}

export const CHANGE: NonNullable<Shown["change"]> = {
  files: [
    { path: "src/auth.ts", added: 71, removed: 12 },
    { path: "test/auth.test.ts", added: 13, removed: 0 },
  ],
  lines: patchLines(`diff --git a/src/auth.ts b/src/auth.ts
@@ -40,6 +40,14 @@ export function open(
+  const id = randomUUID();
-  const id = 1;
 }
`),
};

export function shownNebula(more: Partial<NebulaFacts> = {}): Shown {
  return {
    kind: "nebula",
    nebula: aNebula(more),
    said: new Map([
      [
        "20261121-160000-abcdef.3",
        [
          { kind: "tool", text: "Read src/session.ts, src/store.ts" },
          { kind: "text", text: "The store has to be closed before the file is moved." },
          { kind: "tool", text: "Edit src/session.ts" },
        ],
      ],
      ["20261121-160000-000002.4", [{ kind: "tool", text: "Read 5 files" }]],
    ]),
    change: CHANGE,
  };
}

/** The same phases, as the server of a fleet has them. */
export function shownFleet(silent?: FleetShown["silent"]): Shown {
  const { phases, ...nebula } = aNebula();
  const begun = { attempt: 1, runId: "20261121-160000-000009", reasons: [] };
  const machines: Readonly<Record<string, string>> = {
    ...{ sessions: "gpu-box-1.example.org", "rate-limit": "one", docs: "two" },
  };
  return {
    kind: "nebula",
    nebula: {
      ...nebula,
      ...{ pid: undefined, fleet: { isWorking: true, lane: "two" } },
      phases: phases.map((phase) => ({
        ...phase,
        ...{ title: "", dependsOn: [], wave: 0, runs: [], money: money(0) },
        attempts: phase.attempts.map(() => ({ ...begun, startedAt: "2026-11-21T16:01:00Z" })),
        ...(phase.id === "login-api" && { baseSha: "a".repeat(40), tipSha: "b".repeat(40) }),
        machine: machines[phase.id] ?? "",
        machines: phase.id === "login-api" ? ["one", "two"] : [machines[phase.id] ?? []].flat(),
      })),
    },
    fleet: { url: "http://127.0.0.1:8080", depot: "ssh://git@example.org/depot.git", silent },
    ...{ said: new Map(), change: undefined },
  };
}

export function shownRun(more: Partial<RunFacts> = {}): Shown {
  return {
    kind: "run",
    run: aRun({
      turns: [aTurn(1), aTurn(2, { role: "reviewer" }), aTurn(3, OPEN)],
      findings: [aFinding("f-1c2d33aa90b1")],
      events: [
        {
          ...{ at: "2026-11-21T16:01:40Z", type: "committed", turnId: "" },
          text: "committed 71f7d5921c, 1 file, +1 -1",
        },
      ],
      ...more,
    }),
    said: shownNebula().said,
    change: CHANGE,
  };
}
