import type { TurnRecovery } from "@quasar/loop";
import type { FindingStatus } from "@quasar/checkpoint";
import type { Fact } from "../journal/fact.ts";
import { standingsIn } from "../journal/standings.ts";
import { eventIn } from "./event-words.ts";
import {
  countIn,
  cycleIn,
  numberIn,
  objectIn,
  objectsIn,
  shaIn,
  textIn,
  textsIn,
  timeIn,
} from "./fields.ts";
import { type LifeStory, livesAfter, recoveryIn } from "./lives.ts";
import type { CommitFacts, CycleFacts, EventFacts } from "./run-facts.ts";

/** What a journal tells of a turn. */
export interface TurnStory {
  /** The life that it was started in, from 0; -1: unknown. */
  readonly life: number;
  readonly endedAt: string;
  readonly durationMs: number | undefined;
  readonly recoveries: readonly TurnRecovery[];
  readonly denied: readonly string[];
  readonly summary: string;
}

/** How a finding stood after a review. */
export interface FindingStanding {
  readonly cycle: number;
  readonly status: FindingStatus;
}

/** What a journal tells, as far as it was read. Nothing in it is changed by what comes. */
export interface Story {
  readonly startedAt: string;
  readonly lastAt: string;
  /** The run that it was forked from; `""`: none. */
  readonly forkedFrom: string;
  /** By the turns' ids. */
  readonly turns: ReadonlyMap<string, TurnStory>;
  readonly cycles: readonly CycleFacts[];
  /** By the findings' ids. */
  readonly findings: ReadonlyMap<string, readonly FindingStanding[]>;
  readonly commits: readonly CommitFacts[];
  readonly lives: readonly LifeStory[];
  readonly events: readonly EventFacts[];
}

/** Of a journal of which nothing was read. */
export const NO_STORY: Story = {
  ...{ startedAt: "", lastAt: "", forkedFrom: "", turns: new Map(), findings: new Map() },
  ...{ cycles: [], commits: [], lives: [], events: [] },
};

/**
 * What a journal tells with what was added to it: in pieces the same as at once. What is no fact of a run, or of another
 * version, is passed over.
 *
 * @param added - Oldest first. The cost is that of its length, and of a copy of lists of what was before.
 */
export function continueStory(story: Story, added: readonly Fact[]): Story {
  if (added.length === 0) return story;
  const draft: Draft = {
    ...story,
    turns: new Map(story.turns),
    cycles: [...story.cycles],
    findings: new Map(story.findings),
    commits: [...story.commits],
    events: [...story.events],
  };
  for (const fact of added) take(draft, fact);
  return draft;
}

interface Draft extends Story {
  startedAt: string;
  lastAt: string;
  forkedFrom: string;
  readonly turns: Map<string, TurnStory>;
  readonly cycles: CycleFacts[];
  readonly findings: Map<string, readonly FindingStanding[]>;
  readonly commits: CommitFacts[];
  lives: readonly LifeStory[];
  readonly events: EventFacts[];
}

function take(draft: Draft, fact: Fact): void {
  const at = timeIn(fact["time"]);
  draft.startedAt ||= at;
  draft.lastAt = at || draft.lastAt;
  draft.lives = livesAfter(draft.lives, fact);
  if (Object.hasOwn(TAKEN, fact.type)) TAKEN[fact.type]?.(draft, fact, at);
  const event = eventIn(fact);
  if (event !== undefined) draft.events.push({ at, ...event });
}

type Take = (draft: Draft, fact: Fact, at: string) => void;

/** What becomes of a fact beside its event, by its type. */
const TAKEN: Readonly<Record<string, Take>> = {
  forked(draft, { from }) {
    draft.forkedFrom = textIn(from);
  },
  cycle_start(draft, { cycle }, at) {
    inCycle(draft, cycle, (known) => ({ ...known, startedAt: known.startedAt || at }));
  },
  agent_start(draft, { turnId }) {
    inTurn(draft, turnId, (known) => ({ ...known, life: draft.lives.length - 1 }));
  },
  turn_recovered(draft, fact) {
    const how = recoveryIn(fact);
    if (how === undefined) return;
    inTurn(draft, fact["turnId"], (known) => {
      // A turn that is retried by the life that started it was never cut off.
      const isLater = known.life !== draft.lives.length - 1;
      return isLater ? { ...known, recoveries: [...known.recoveries, how] } : known;
    });
  },
  agent_done(draft, { turnId, durationMs, summary }, at) {
    inTurn(draft, turnId, (known) => ({
      ...known,
      endedAt: at,
      durationMs: numberIn(durationMs),
      summary: textIn(summary),
    }));
  },
  tools_denied(draft, { turnId, denials }) {
    const denied = objectsIn(denials).map(({ what }) => textIn(what));
    inTurn(draft, turnId, (known) => ({ ...known, denied: [...known.denied, ...denied] }));
  },
  committed(draft, { cycle, turnId, sha, by, paths, changes }, at) {
    if (shaIn(sha) === "") return;
    const { files, added, removed } = objectIn(changes);
    draft.commits.push({
      ...{ sha: shaIn(sha), cycle: cycleIn(cycle), turnId: textIn(turnId), by: textIn(by) },
      fileCount: countIn(files) ?? (by === undefined ? undefined : textsIn(paths).length),
      ...{ added: countIn(added), removed: countIn(removed), at },
    });
  },
  check_done(draft, { cycle, check, name, passed, output }, at) {
    if (check !== "lint" && check !== "filter") return;
    const done = { check, name: textIn(name), isPassed: passed === true } as const;
    const ended = { ...done, output: textIn(output), at };
    inCycle(draft, cycle, (known) => ({ ...known, checks: [...known.checks, ended] }));
  },
  review_complete(draft, fact, at) {
    const { cycle, approved } = fact;
    const isApproved = approved === true;
    inCycle(draft, cycle, (known) => ({ ...known, endedAt: at, isApproved }));
    for (const { id, status } of standingsIn(fact)) {
      const life = draft.findings.get(id) ?? [];
      if (life.at(-1)?.status === status) continue;
      draft.findings.set(id, [...life, { cycle: cycleIn(cycle), status }]);
    }
  },
};

const NO_TURN: TurnStory = {
  ...{ life: -1, endedAt: "", durationMs: undefined },
  ...{ recoveries: [], denied: [], summary: "" },
};

function inTurn({ turns }: Draft, id: unknown, change: (known: TurnStory) => TurnStory): void {
  const turnId = textIn(id);
  if (turnId !== "") turns.set(turnId, change(turns.get(turnId) ?? NO_TURN));
}

/** The newest cycles are asked for most. */
function inCycle({ cycles }: Draft, n: unknown, change: (known: CycleFacts) => CycleFacts): void {
  const cycle = cycleIn(n);
  if (cycle === 0) return;
  const at = cycles.findLastIndex((each) => each.cycle === cycle);
  const known = cycles[at];
  if (known !== undefined) cycles[at] = change(known);
  else {
    const none = { cycle, startedAt: "", endedAt: "", checks: [], isApproved: undefined };
    cycles.push(change(none));
  }
}
