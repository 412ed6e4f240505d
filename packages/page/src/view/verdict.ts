import type { NebulaFacts } from "@quasar/nebula/facts";
import type { RunFacts } from "@quasar/runs/facts";
import { budget, count } from "@quasar/runs/text";
import { landedWords, openTurnWords } from "@quasar/runs/words";
import type { ReportData } from "../report-data.ts";

/** What the reader wants to know first. */
export interface Verdict {
  readonly tone: Tone;
  /** `Approved after 2 cycles`. */
  readonly headline: string;
  /** Further facts, the most telling first. */
  readonly facts: readonly string[];
  /** Why it stopped; `""` otherwise. */
  readonly reason: string;
  /** What its last reviewer wrote; `""`: nothing. */
  readonly summary: string;
}

/** `good`, `bad`, `wait`: a person is needed; `quiet`: neither. */
export type Tone = "good" | "bad" | "wait" | "quiet";

export function verdictOf(data: ReportData): Verdict {
  return data.kind === "run" ? ofRun(data.run) : ofNebula(data.nebula);
}

const TONES: Readonly<Record<RunFacts["status"], Tone>> = {
  running: "quiet",
  interrupted: "wait",
  stopped: "bad",
  approved: "good",
  abandoned: "quiet",
  damaged: "bad",
};

function ofRun(run: RunFacts): Verdict {
  const { status, reason, verdict, money } = run;
  const { satisfaction = "", risk = "", needsHumanReview = false, summary = "" } = verdict ?? {};
  const facts = [
    satisfaction === "" ? "" : `satisfaction ${satisfaction}`,
    risk === "" ? "" : `risk ${risk}`,
    needsHumanReview ? "the reviewer asks for a person's review" : "",
    budget(money, money.maxUsd) + openTurnWords(money.reservedUsd),
    count(run.turns.length, "turn"),
    count(run.commits.length, "commit"),
  ];
  return {
    tone: needsHumanReview && status === "approved" ? "wait" : TONES[status],
    headline: headlineOf(run),
    facts: facts.filter((fact) => fact !== ""),
    reason,
    summary,
  };
}

function headlineOf({ status, cycle, maxCycles }: RunFacts): string {
  const where = maxCycles > 0 ? `cycle ${cycle} of ${maxCycles}` : `cycle ${cycle}`;
  const HEADLINES: Readonly<Record<RunFacts["status"], string>> = {
    running: `Running, ${where}`,
    interrupted: `Interrupted in ${where}`,
    stopped: `Stopped in ${where}, not approved`,
    approved: `Approved after ${count(cycle, "cycle")}`,
    abandoned: `Abandoned in ${where}`,
    damaged: "Damaged: its checkpoint cannot be read",
  };
  return HEADLINES[status];
}

function ofNebula(nebula: NebulaFacts): Verdict {
  const { status, needs, money, phases } = nebula;
  const failed = phases.filter((phase) => phase.status === "failed").length;
  const working = phases.filter(({ isWorkedOn }) => isWorkedOn).length;
  const limited = phases.filter(({ standing }) => standing === "limited").length;
  const words = { working: "working", paused: "paused", stopped: "stopped", done: "done" } as const;
  const isDone = status === "done";
  const bad = failed > 0 ? "bad" : "quiet";
  return {
    tone: isDone ? "good" : needs.length > 0 ? "wait" : bad,
    headline: landedWords(nebula),
    facts: [
      words[status],
      ...(needs.length > 0 ? [`${needs.length} ${needs.length === 1 ? "needs" : "need"} you`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(working > 0 ? [`${working} at work`] : []),
      ...(limited > 0 ? [`${limited} limited`] : []),
      budget(money, money.maxUsd),
    ],
    reason: "",
    summary: "",
  };
}
