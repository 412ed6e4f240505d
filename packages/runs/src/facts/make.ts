import type { Checkpoint } from "@quasar/checkpoint";
import { parseReview } from "@quasar/loop/review";
import { latestFindings, type RunStatus, type RunSummary } from "../look/summary.ts";
import type { TurnSummary } from "../look/turns.ts";
import type { LifeStory } from "./lives.ts";
import { moneyOf } from "./money.ts";
import type {
  FindingFacts,
  LifeFacts,
  RecoveryFacts,
  RunFacts,
  TurnFacts,
  VerdictFacts,
} from "./run-facts.ts";
import type { Story, TurnStory } from "./story.ts";

/** What the facts of a run are made from. */
export interface FactSources {
  readonly summary: RunSummary;
  /** `undefined`: it cannot be read. */
  readonly checkpoint: Checkpoint | undefined;
  /** The agents' names, by role; `""`: unknown. */
  readonly coder: string;
  readonly reviewer: string;
  readonly turns: readonly TurnSummary[];
  readonly story: Story;
  /** Damage of its files, in words. */
  readonly problems: readonly string[];
}

/** What is shown of a run: the same for the same sources. */
export function runFacts(sources: FactSources): RunFacts {
  const { summary, checkpoint, coder, reviewer, story, problems } = sources;
  const { id, task, status, reason, cycle, maxCycles, baseSha, next } = summary;
  const { startedAt, lastAt, forkedFrom, cycles, commits, events } = story;
  const turns = sources.turns.map((turn) => turnFacts(turn, story.turns.get(turn.turnId)));
  const lives = story.lives.map((life, n) => {
    return lifeFacts(life, n === story.lives.length - 1 ? UNNOTED[status] : "killed");
  });
  return {
    ...{ id, task, status, reason, coder, reviewer, cycle, maxCycles, baseSha, forkedFrom },
    headSha: checkpoint?.gitSha ?? "",
    ...{ startedAt, lastAt },
    verdict: checkpoint && verdictIn(checkpoint),
    money: moneyOf(summary, sources.turns),
    recovery: recoveryFacts(lives, turns),
    ...{ turns, cycles },
    findings: checkpoint === undefined ? [] : findingFacts(checkpoint, story),
    ...{ commits, lives, events, problems, next },
  };
}

function turnFacts(turn: TurnSummary, told: TurnStory | undefined): TurnFacts {
  const { recoveries = [], denied = [], summary = "" } = told ?? {};
  return { ...turn, endedAt: endOf(turn, told), recoveries, denied, summary };
}

/** Where a later life read the end of a turn, the journal says when it was read. */
function endOf({ startedAt, durationMs }: TurnSummary, told: TurnStory | undefined): string {
  const isSeen = told !== undefined && told.endedAt !== "" && !told.recoveries.includes("read");
  if (isSeen) return told.endedAt;
  const endMs = Date.parse(startedAt) + (durationMs ?? Number.NaN);
  return Math.abs(endMs) < 8.64e15 ? new Date(endMs).toISOString() : "";
}

/** How the last life ended of which the journal does not say it, by what the checkpoint says. */
const UNNOTED: Readonly<Record<RunStatus, string>> = {
  running: "working",
  interrupted: "killed",
  stopped: "stopped",
  approved: "approved",
  abandoned: "killed",
  damaged: "killed",
};

function lifeFacts(life: LifeStory, unnoted: string): LifeFacts {
  const { startedAt, lastAt, message, recovered } = life;
  const end = life.end || unnoted;
  return { startedAt, endedAt: end === "working" ? "" : lastAt, end, message, recovered };
}

function recoveryFacts(lives: readonly LifeFacts[], turns: readonly TurnFacts[]): RecoveryFacts {
  const bought = turns.filter(({ recoveries, costUsd }) => {
    return costUsd > 0 && recoveries.includes("restarted");
  });
  return {
    crashCount: lives.filter(({ end }) => end === "killed").length,
    resumeCount: Math.max(0, lives.length - 1),
    boughtTwiceCount: bought.length,
    boughtTwiceUsd: bought.reduce((total, { costUsd }) => total + costUsd, 0),
  };
}

function verdictIn({ reviewOutput }: Checkpoint): VerdictFacts | undefined {
  if (reviewOutput === "") return undefined;
  const { verdict, report } = parseReview(reviewOutput);
  const { satisfaction = "", risk = "", needsHumanReview = false, summary = "" } = report ?? {};
  return { isApproved: verdict === "approved", satisfaction, risk, needsHumanReview, summary };
}

function findingFacts(checkpoint: Checkpoint, { findings }: Story): readonly FindingFacts[] {
  return latestFindings(checkpoint).map((finding) => ({
    ...finding,
    life: findings.get(finding.id) ?? [],
  }));
}
