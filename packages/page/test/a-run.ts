import type { RunFacts, TranscriptFacts, TurnFacts } from "@quasar/runs/facts";
import type { ChangeDiff, RunReport } from "../src/index.ts";

const START = Date.UTC(2026, 10, 22, 16, 0);

/** RFC 3339, so many seconds after the run of the tests began. */
export const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

export function aTurn(n: number, change: Partial<TurnFacts> = {}): TurnFacts {
  return {
    turnId: `k3f9x2.${n}`,
    role: n % 2 === 1 ? "coder" : "reviewer",
    cycle: Math.ceil(n / 2),
    attempt: 1,
    status: "settled",
    source: "reported",
    reservedUsd: 0.5,
    costUsd: 0.21,
    unknownUsd: 0,
    startedAt: at((n - 1) * 120),
    endedAt: at(n * 120 - 10),
    durationMs: 110_000,
    recoveries: [],
    denied: [],
    summary: "",
    ...change,
  };
}

const SHA = (char: string): string => char.repeat(40);

/** A run that was approved in its third cycle, after it was killed twice. */
export function aRun(change: Partial<RunFacts> = {}): RunFacts {
  return {
    id: "k3f9x2",
    task: "Add input validation to the login handler\n\nReject empty names and passwords over 1 KB.",
    status: "approved",
    reason: "",
    coder: "claude",
    reviewer: "codex",
    cycle: 3,
    maxCycles: 5,
    baseSha: SHA("a"),
    headSha: SHA("c"),
    forkedFrom: "",
    startedAt: at(0),
    lastAt: at(9700),
    verdict: {
      isApproved: true,
      satisfaction: "high",
      risk: "low",
      needsHumanReview: false,
      summary: "The handler rejects what it should, and the tests say why.",
    },
    money: {
      spentUsd: 1.43,
      unknownUsd: 0.17,
      hasUnreportedCosts: false,
      knownUsd: 1.26,
      reservedUsd: 0,
      maxUsd: 5,
      byRole: [
        { name: "coder", knownUsd: 0.84, unknownUsd: 0.17, turnCount: 4 },
        { name: "reviewer", knownUsd: 0.42, unknownUsd: 0, turnCount: 3 },
      ],
      byCycle: [
        { name: "cycle 1", knownUsd: 0.42, unknownUsd: 0, turnCount: 2 },
        { name: "cycle 2", knownUsd: 0.42, unknownUsd: 0.17, turnCount: 3 },
        { name: "cycle 3", knownUsd: 0.42, unknownUsd: 0, turnCount: 2 },
      ],
    },
    recovery: { crashCount: 2, resumeCount: 2, boughtTwiceCount: 0, boughtTwiceUsd: 0 },
    turns: [
      aTurn(1, { recoveries: ["followed"], durationMs: 230_000, endedAt: at(230) }),
      aTurn(2, { startedAt: at(250), endedAt: at(330), durationMs: 80_000 }),
      aTurn(3, {
        status: "lost",
        source: "unknown",
        costUsd: 0.17,
        unknownUsd: 0.17,
        startedAt: at(340),
        endedAt: at(410),
        durationMs: 70_000,
        recoveries: ["restarted"],
      }),
      aTurn(4, { role: "coder", cycle: 2, attempt: 2, startedAt: at(9000), endedAt: at(9200) }),
      aTurn(5, { role: "reviewer", cycle: 2, startedAt: at(9210), endedAt: at(9290) }),
      aTurn(6, {
        role: "coder",
        cycle: 3,
        startedAt: at(9300),
        endedAt: at(9500),
        denied: ["Bash(npm publish)"],
        summary: "Moved the limit into the configuration.",
      }),
      aTurn(7, { role: "reviewer", cycle: 3, startedAt: at(9510), endedAt: at(9690) }),
    ],
    cycles: [
      {
        cycle: 1,
        startedAt: at(0),
        endedAt: at(330),
        checks: [aCheck("pnpm test", false), aCheck("pnpm lint", true)],
        isApproved: false,
      },
      {
        cycle: 2,
        startedAt: at(340),
        endedAt: at(9290),
        checks: [aCheck("pnpm test", true)],
        isApproved: false,
      },
      {
        cycle: 3,
        startedAt: at(9300),
        endedAt: at(9690),
        checks: [aCheck("pnpm test", true)],
        isApproved: true,
      },
    ],
    findings: [
      {
        id: "f-e67f00aa12bc",
        severity: "major",
        description:
          "An empty password passes: `validate` returns before it looks at it (src/login.ts:12).",
        cycle: 1,
        status: "fixed",
        life: [
          { cycle: 1, status: "found" },
          { cycle: 2, status: "still_present" },
          { cycle: 3, status: "fixed" },
        ],
      },
      {
        id: "f-8b8e11aa12bc",
        severity: "minor",
        description: "The limit of 1024 is a magic number.",
        cycle: 2,
        status: "found",
        life: [{ cycle: 2, status: "found" }],
      },
    ],
    commits: [
      aCommit("b", 1, "k3f9x2.1", at(231)),
      aCommit("d", 2, "k3f9x2.4", at(9201)),
      aCommit("c", 3, "k3f9x2.6", at(9501)),
    ],
    lives: [
      { startedAt: at(0), endedAt: at(90), end: "killed", message: "", recovered: undefined },
      {
        startedAt: at(120),
        endedAt: at(410),
        end: "killed",
        message: "",
        recovered: { turnId: "k3f9x2.1", how: "followed" },
      },
      {
        startedAt: at(8990),
        endedAt: at(9700),
        end: "approved",
        message: "approved after 3 cycles",
        recovered: { turnId: "k3f9x2.3", how: "restarted" },
      },
    ],
    events: [
      { at: at(0), type: "cycle_start", turnId: "", text: "cycle 1" },
      { at: at(1), type: "agent_start", turnId: "k3f9x2.1", text: "coder begins" },
      { at: at(121), type: "resumed", turnId: "k3f9x2.1", text: "reattached to the coder" },
      { at: at(9690), type: "task_success", turnId: "", text: "approved" },
    ],
    problems: [],
    next: [],
    ...change,
  };
}

function aCheck(name: string, isPassed: boolean) {
  const output = isPassed ? "" : "FAIL test/login.test.ts\n  rejects an empty password\n2 failed";
  return { check: "filter", name, isPassed, output, at: at(240) } as const;
}

function aCommit(char: string, cycle: number, turnId: string, when: string) {
  const [fileCount, added, removed] = [2, 14, 3];
  return { sha: SHA(char), cycle, turnId, by: "", fileCount, added, removed, at: when };
}

export const DIFF = `diff --git a/src/login.ts b/src/login.ts
index 1111111..2222222 100644
--- a/src/login.ts
+++ b/src/login.ts
@@ -8,6 +8,10 @@ import { users } from "./users.ts";
 
 export function login(name: string, password: string): boolean {
-\tif (name === "") return false;
+\tif (name === "" || password === "") return false;
+\tif (Buffer.byteLength(password) > MOST_BYTES) return false;
 \tconst user = users.get(name);
-\treturn user !== undefined;
+\treturn user?.isPassword(password) ?? false;
 }
+
+/** Hashing a longer one takes too long. */
+const MOST_BYTES = 1024;
diff --git a/test/login.test.ts b/test/login.test.ts
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/test/login.test.ts
@@ -0,0 +1,4 @@
+test("rejects an empty password", () => {
+  expect(login("ada", "")).toBe(false);
+});
+// <script>alert(1)</script>
\\ No newline at end of file
`;

export const DIFFS: readonly ChangeDiff[] = ["b", "d", "c"].map((char, n, all) => {
  return { sha: SHA(char), from: SHA(all[n - 1] ?? "a"), text: DIFF };
});

export function aTranscript(
  turnId: string,
  text = "I add the check.",
  prompt = "Make it so.",
): TranscriptFacts {
  return {
    turnId,
    isKept: true,
    prompt,
    omittedCount: 0,
    events: [
      { type: "unpriced", model: "m-1", maxTokens: undefined },
      { type: "text", text },
      { type: "tool", name: "Edit", detail: "src/login.ts" },
      { type: "denied", what: "Bash(npm publish)" },
      { type: "text", text: "Done:\n\n- empty passwords are rejected\n- so are long ones" },
    ],
  };
}

export function aRunReport(change: Partial<RunReport> = {}): RunReport {
  const run = aRun();
  const transcripts = run.turns.map(({ turnId }) => aTranscript(turnId));
  return { kind: "run", run, transcripts, diffs: DIFFS, ...change };
}
