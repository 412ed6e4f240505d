import type { LifeFacts, RunFacts } from "@quasar/runs/facts";
import type { ReportData } from "../report-data.ts";
import { runsOf, timeMs, turnsOf, type TurnOf } from "./runs.ts";
import { type TimeScale, timeScale } from "./time-scale.ts";
import { turnWords } from "./turn-words.ts";

/** What happened when, a lane for each role of a run or each phase of a nebula. Places go from 0 to 1. */
export interface Timeline {
  readonly lanes: readonly Lane[];
  /** Where commands were killed. */
  readonly kills: readonly { readonly at: number; readonly ms: number }[];
  readonly breaks: TimeScale["breaks"];
  readonly ticks: readonly { readonly at: number; readonly ms: number }[];
}

export interface Lane {
  readonly name: string;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
}

/** A turn. */
export interface Bar {
  readonly turnId: string;
  readonly from: number;
  readonly to: number;
  readonly status: "settled" | "failed" | "lost" | "open";
  readonly role: string;
  readonly words: string;
}

/** `reattached`: a later command found the agent alive. `landing`: a commit of a run, or a landing of a nebula. */
export interface Mark {
  readonly kind: "reattached" | "landing";
  readonly at: number;
  readonly words: string;
}

/** `undefined`: nothing has happened. */
export function timelineOf(data: ReportData): Timeline | undefined {
  const lives = data.kind === "run" ? data.run.lives : data.nebula.lives;
  const timed = turnsOf(data).flatMap((each) => {
    const span = spanOf(each, data);
    return span === undefined ? [] : [{ ...each, ...span }];
  });
  if (timed.length === 0) return undefined;
  const landings = landingsOf(data);
  const moments = landings.map(({ ms }) => ({ from: ms, to: ms }));
  const scale = timeScale([...timed, ...moments]);
  const reattached = reattachedOf(data);
  const lanes = laneNames(data).map((name): Lane => {
    const own = timed.filter((each) => laneOf(each) === name);
    const bars = own.map(({ phase, turn, from, to }) => ({
      turnId: turn.turnId,
      from: scale.at(from),
      to: scale.at(to),
      status: turn.status,
      role: turn.role,
      words: phase === "" ? turnWords(turn) : `${phase}: ${turnWords(turn)}`,
    }));
    const ids = new Set(own.map(({ turn }) => turn.turnId));
    const arrows = reattached
      .filter(({ turnId }) => ids.has(turnId))
      .map(({ ms }): Mark => ({ kind: "reattached", at: scale.at(ms), words: "reattached" }));
    const diamonds = landings
      .filter(({ lane }) => lane === name)
      .map(({ ms, words }): Mark => ({ kind: "landing", at: scale.at(ms), words }));
    return { name, bars, marks: [...arrows, ...diamonds] };
  });
  return {
    lanes: lanes.filter(({ bars, marks }) => bars.length + marks.length > 0),
    kills: killsOf(lives).map((ms) => ({ at: scale.at(ms), ms })),
    breaks: scale.breaks,
    ticks: scale.ticks.map((ms) => ({ at: scale.at(ms), ms })),
  };
}

function laneOf({ phase, turn }: TurnOf): string {
  return phase === "" ? turn.role : phase;
}

function laneNames(data: ReportData): readonly string[] {
  return data.kind === "run" ? ["coder", "reviewer"] : data.nebula.phases.map(({ id }) => id);
}

function spanOf(
  { turn }: TurnOf,
  data: ReportData,
): { readonly from: number; readonly to: number } | undefined {
  const from = timeMs(turn.startedAt);
  if (from === undefined) return undefined;
  const lastAt = data.kind === "run" ? data.run.lastAt : data.nebula.lastAt;
  const length = turn.durationMs === undefined ? undefined : from + turn.durationMs;
  const open = turn.status === "open" ? timeMs(lastAt) : undefined;
  const to = timeMs(turn.endedAt) ?? length ?? open ?? from;
  return { from, to: Math.max(from, to) };
}

interface Moment {
  readonly lane: string;
  readonly ms: number;
  readonly words: string;
}

function landingsOf(data: ReportData): readonly Moment[] {
  if (data.kind === "nebula") {
    return data.nebula.landings.flatMap(({ phase, number, sha, at }) => {
      const ms = timeMs(at);
      const words = `landing ${number}: ${phase}, ${sha.slice(0, 10)}`;
      return ms === undefined ? [] : [{ lane: phase, ms, words }];
    });
  }
  return data.run.commits.flatMap(({ sha, at }) => {
    const ms = timeMs(at);
    return ms === undefined ? [] : [{ lane: "coder", ms, words: `commit ${sha.slice(0, 10)}` }];
  });
}

function reattachedOf(
  data: ReportData,
): readonly { readonly turnId: string; readonly ms: number }[] {
  return runsOf(data).flatMap(({ run }: { readonly run: RunFacts }) =>
    run.lives.flatMap(({ recovered, startedAt }) => {
      const ms = timeMs(startedAt);
      if (recovered?.how !== "followed" || ms === undefined) return [];
      return [{ turnId: recovered.turnId, ms }];
    }),
  );
}

/** When commands were killed: what is known of it is their last record. */
function killsOf(lives: readonly LifeFacts[]): readonly number[] {
  return lives.flatMap(({ end, endedAt }, n) => {
    const ms = timeMs(endedAt) ?? timeMs(lives[n + 1]?.startedAt ?? "");
    return end === "killed" && ms !== undefined ? [ms] : [];
  });
}
