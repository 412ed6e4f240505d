import type { LandingFacts, NebulaFacts, PhaseFacts } from "@quasar/nebula/facts";
import type { RunFacts } from "@quasar/runs/facts";
import type { NebulaReport } from "../src/index.ts";
import { aRun, at, aTranscript, aTurn, DIFF } from "./a-run.ts";

const sha = (n: number): string => n.toString(16).repeat(40).slice(0, 40);

/** A run of a phase that begins so many seconds after the nebula. */
function phaseRun(id: string, from: number, cycles: number): RunFacts {
  const turns = Array.from({ length: cycles * 2 }, (_, n) => {
    const [begin, end] = [from + n * 200, from + n * 200 + (n % 2 === 0 ? 180 : 90)];
    const times = { startedAt: at(begin), endedAt: at(end), durationMs: (end - begin) * 1000 };
    return aTurn(n + 1, { turnId: `${id}.${n + 1}`, ...times });
  });
  return aRun({ id, turns, lives: [], commits: [], findings: findingsOf(id) });
}

const findingsOf = (id: string) => [
  {
    id: "f-0000000000aa",
    severity: "minor",
    description: `${id} has a magic number`,
    cycle: 1,
    status: "fixed" as const,
    life: [{ cycle: 2, status: "fixed" as const }],
  },
];

function aPhase(id: string, change: Partial<PhaseFacts> & { readonly from: number }): PhaseFacts {
  const { from, ...rest } = change;
  const runId = `r-${id}`;
  return {
    id,
    title: `The ${id} of the service`,
    status: "done",
    standing: "landed",
    isWorkedOn: false,
    reason: "",
    isMerge: false,
    dependsOn: [],
    wave: 1,
    attempt: 1,
    attempts: [{ attempt: 1, runId, startedAt: at(from), reasons: [] }],
    reworks: [],
    warnings: [],
    money: aRun().money,
    runs: [phaseRun(runId, from, 2)],
    question: "",
    digest: "",
    baseSha: sha(0),
    tipSha: sha(7),
    landedSha: "",
    landedAt: "",
    retryAt: "",
    landsAfter: "",
    ...rest,
  };
}

function aLanding(number: number, phase: string, seconds: number): LandingFacts {
  const tree = sha(number + 8);
  return {
    phase,
    number,
    sha: sha(number),
    tree,
    onto: sha(number - 1),
    isVerified: true,
    isVerifiedTree: true,
    verifications: [{ tree, outcome: number === 2 ? "flaky" : "passed", at: at(seconds - 5) }],
    at: at(seconds),
  };
}

export function aNebula(change: Partial<NebulaFacts> = {}): NebulaFacts {
  const share = (name: string, knownUsd: number, unknownUsd = 0) => {
    return { name, knownUsd, unknownUsd, turnCount: 4 };
  };
  return {
    id: "q7w2e9r4t1",
    name: "auth",
    dir: "/home/ada/auth",
    branch: "nebula/auth",
    baseSha: sha(0),
    tipSha: sha(2),
    status: "stopped",
    pid: undefined,
    stops: undefined,
    agents: [],
    pauseEnds: [],
    landedCount: 2,
    unchangedCount: 0,
    phaseCount: 5,
    startedAt: at(0),
    lastAt: at(2400),
    planVerdict: "approved",
    planReason: "",
    push: undefined,
    isArchived: false,
    shortages: [],
    obstacles: [],
    needs: [
      {
        kind: "land",
        phase: "login-api",
        text: "land 2 files +84 -12?",
        questionId: "",
        digest: "d1",
      },
    ],
    money: {
      ...aRun().money,
      reservedUsd: 0.3,
      byPhase: [
        share("schema", 1.88),
        share("config", 0.95),
        share("login-api", 1.1, 0.17),
        share("rate-limit", 0.4),
      ],
    },
    phases: [
      aPhase("schema", { from: 0, landedSha: sha(1), landedAt: at(820) }),
      aPhase("config", { from: 30, landedSha: sha(2), landedAt: at(900) }),
      aPhase("login-api", {
        from: 850,
        status: "awaiting_human",
        standing: "waits",
        wave: 2,
        dependsOn: ["schema", "config"],
        question: "land",
        attempts: [
          { attempt: 1, runId: "r-login-api", startedAt: at(850), reasons: [] },
          { attempt: 2, runId: "r-login-api-2", startedAt: at(1650), reasons: ["merge conflict"] },
        ],
      }),
      aPhase("rate-limit", {
        from: 950,
        status: "failed",
        standing: "failed",
        reason: "reached its budget",
        wave: 1,
      }),
      aPhase("end-to-end", {
        from: 0,
        status: "pending",
        standing: "pending",
        dependsOn: ["login-api", "rate-limit"],
        wave: 3,
        attempts: [],
        runs: [],
      }),
    ],
    landings: [aLanding(1, "schema", 820), aLanding(2, "config", 900)],
    lane: [],
    decisions: [],
    questions: [],
    openQuestions: [],
    recovery: { crashCount: 1, resumeCount: 1, boughtTwiceCount: 0, boughtTwiceUsd: 0 },
    problems: [],
    lives: [
      { startedAt: at(0), endedAt: at(600), end: "killed", message: "", recovered: undefined },
      {
        startedAt: at(620),
        endedAt: at(2400),
        end: "stopped",
        message: "1 phase needs you",
        recovered: undefined,
      },
    ],
    events: [
      { at: at(0), type: "nebula_begun", turnId: "", phase: "", text: "begins" },
      { at: at(820), type: "phase_landed", turnId: "", phase: "schema", text: "landed" },
    ],
    ...change,
  };
}

export function aNebulaReport(change: Partial<NebulaReport> = {}): NebulaReport {
  const nebula = aNebula();
  const turns = nebula.phases.flatMap(({ runs }) => runs.flatMap((run) => run.turns));
  return {
    kind: "nebula",
    nebula,
    transcripts: turns.map(({ turnId }) => aTranscript(turnId)),
    diffs: [1, 2].map((n) => ({ sha: sha(n), from: sha(n - 1), text: DIFF })),
    ...change,
  };
}
