import { shortId } from "@quasar/runs/words";
import type { NebulaFacts, NeedFacts, PhaseFacts } from "@quasar/nebula/facts";
import { money } from "@quasar/runs/text";
import type { Style } from "../../shared/output/text.ts";
import { ageSince, lasted } from "./age.ts";
import { limitedWords } from "./limited.ts";
import { type Beside, lastSaid, turnOf } from "./shown.ts";

/** In this order from top to bottom. */
export const GROUPS = ["needs", "working", "waiting", "done"] as const;
export type Group = (typeof GROUPS)[number];

export const GROUP_TITLES: Readonly<Record<Group, string>> = {
  needs: "NEEDS YOU",
  working: "WORKING",
  waiting: "WAITING",
  done: "DONE",
};

/** A row of the list: a phase, or the plan. Its texts are not cleaned. */
export interface Item {
  /** Of the phase; `""`: the plan. */
  readonly id: string;
  readonly group: Group;
  readonly mark: string;
  readonly style: Style | undefined;
  /** In a word or two: `coder`, `landing`. */
  readonly role: string;
  /** The same where there is no room for what follows. */
  readonly brief: string;
  /** What it does, waits for or has come to. */
  readonly activity: string;
  readonly age: string;
  readonly cost: string;
  readonly cycle: string;
  /** Where it is worked on; `undefined`: here. What it costs is known there. */
  readonly machine: string | undefined;
}

/** The rows of a nebula's list, in the order of the screen. */
export function itemsOf(nebula: NebulaFacts, beside: Beside, now: number): readonly Item[] {
  const plan = nebula.needs.find(({ phase }) => phase === "");
  const items = nebula.phases.map((phase) => itemOf(phase, nebula, beside, now));
  const all = plan === undefined ? items : [planItem(plan), ...items];
  return GROUPS.flatMap((group) => inOrder(group, all, nebula));
}

/** What needs a person comes in the order of its urgency, the rest in that of the plan. */
function inOrder(group: Group, all: readonly Item[], { needs }: NebulaFacts): readonly Item[] {
  const those = all.filter((item) => item.group === group);
  if (group !== "needs") return those;
  const rank = ({ id }: Item): number => needs.findIndex(({ phase }) => phase === id);
  return those.toSorted((one, other) => rank(one) - rank(other));
}

function planItem({ text }: NeedFacts): Item {
  const own = { id: "", group: "needs", mark: "!", style: "yellow" } as const;
  const none = { age: "", cost: "", cycle: "", machine: undefined } as const;
  return { ...own, role: "plan", brief: "plan", activity: text, ...none };
}

/** What is known to have been spent; marked where more may have been. */
function costOf({ knownUsd, unknownUsd, hasUnreportedCosts }: PhaseFacts["money"]): string {
  return unknownUsd > 0 || hasUnreportedCosts ? `${money(knownUsd)}+` : money(knownUsd);
}

/** @see Item */
type Standing = Pick<Item, "group" | "mark" | "style" | "role" | "activity" | "age"> &
  Partial<Pick<Item, "brief">>;

function itemOf(phase: PhaseFacts, nebula: NebulaFacts, beside: Beside, now: number): Item {
  const { id, runs, attempt, attempts, machine } = phase;
  const cycle = runs.at(-1)?.cycle ?? 0;
  const standing = standingOf(phase, nebula, beside, now);
  const isAgain = attempt > 1 && (standing.group === "working" || standing.group === "waiting");
  return {
    id,
    brief: standing.role === "" ? standing.activity : standing.role,
    ...standing,
    activity: isAgain ? `attempt ${attempt}: ${standing.activity}` : standing.activity,
    cost: attempts.length === 0 || machine !== undefined ? "" : costOf(phase.money),
    cycle: cycle === 0 ? "" : `cyc ${cycle}`,
    machine,
  };
}

function standingOf(phase: PhaseFacts, nebula: NebulaFacts, beside: Beside, now: number): Standing {
  const need = nebula.needs.find((each) => each.phase === phase.id);
  if (need !== undefined) return needStanding(need);
  if (phase.isWorkedOn || phase.status === "landing") return workStanding(phase, beside, now);
  if (phase.status === "done" || phase.status === "failed" || phase.status === "skipped") {
    return endStanding(phase);
  }
  const [activity, brief = activity] = waitsFor(phase, nebula, now);
  return { group: "waiting", mark: ".", style: undefined, role: "", activity, brief, age: "" };
}

const NEED_ROLES: Readonly<Record<NeedFacts["kind"], string>> = {
  plan: "plan",
  land: "gate",
  rework: "rework",
  agent: "question",
  budget: "budget",
  failed: "failed",
};

function needStanding({ kind, text }: NeedFacts): Standing {
  const style = kind === "failed" ? "red" : "yellow";
  const activity = text === "" ? NEED_WORDS[kind] : text;
  return { group: "needs", mark: "!", style, role: NEED_ROLES[kind], activity, age: "" };
}

/** What a need says that gives no reason. */
const NEED_WORDS: Readonly<Record<NeedFacts["kind"], string>> = {
  plan: "nothing begins before you accept it",
  land: "accept its change?",
  rework: "could not land: retry or skip it",
  agent: "an agent asks",
  budget: "its limit is too small",
  failed: "failed",
};

function workStanding(phase: PhaseFacts, beside: Beside, now: number): Standing {
  const own = { group: "working", style: "cyan" } as const;
  const turn = turnOf(phase.runs.at(-1));
  const isElsewhere = phase.machine !== undefined;
  if (phase.status === "landing") {
    const activity = "verifies the merged tree";
    return { ...own, mark: "=", role: "landing", activity, age: "" };
  }
  if (isElsewhere) {
    const age = ageSince(phase.attempts.at(-1)?.startedAt ?? "", now);
    return { ...own, mark: ">", role: "", activity: "at work", age };
  }
  if (turn?.status !== "open") {
    const [activity, brief] = betweenTurns(phase);
    return { ...own, mark: ">", role: "", activity, brief, age: "" };
  }
  const { role, turnId, startedAt } = turn;
  const activity = `turn ${shortId(turnId)}  ${lastSaid(beside, turn)}`.trimEnd();
  return { ...own, mark: ">", role, activity, age: ageSince(startedAt, now) };
}

/** What a phase does while none of its agents works. */
function betweenTurns({ runs }: PhaseFacts): readonly [activity: string, brief: string] {
  const run = runs.at(-1);
  if (run === undefined || run.turns.length === 0) return ["its work tree is made ready", "begins"];
  if (run.status === "approved") return ["approved by its reviewer", "approved"];
  return ["between two turns", "…"];
}

function endStanding({ status, landedSha, landedAt, reason, attempts }: PhaseFacts): Standing {
  const took = Date.parse(landedAt) - Date.parse(attempts[0]?.startedAt ?? "");
  const ended = { group: "done", role: "", age: Number.isNaN(took) ? "" : lasted(took) } as const;
  if (status === "done") {
    const activity = landedSha === "" ? "nothing to land" : `landed ${landedSha.slice(0, 10)}`;
    const brief = landedSha === "" ? "done" : landedSha.slice(0, 7);
    return { ...ended, mark: "v", style: "green", activity, brief };
  }
  const words = reason === "" ? status : `${status}: ${reason}`;
  return {
    ...ended,
    mark: "x",
    style: status === "failed" ? "red" : "dim",
    activity: words,
    brief: status,
  };
}

/** Why a phase does not work now; what has begun is said in a word, too. */
function waitsFor(
  phase: PhaseFacts,
  { phases, status, fleet }: NebulaFacts,
  now: number,
): readonly [activity: string, brief?: string] {
  const { retryAt, landsAfter, runs } = phase;
  if (retryAt !== "") return [limitedWords(retryAt, now), "limited"];
  if (phase.status === "queued" || runs.at(-1)?.status === "approved") {
    return [`approved; lands ${whenItLands(landsAfter, status, fleet)}`, "approved"];
  }
  const open = phase.dependsOn.filter(
    (id) => phases.find((each) => each.id === id)?.status !== "done",
  );
  if (open.length > 0) return [`after ${open.join(", ")}`];
  if (status === "paused") return ["paused"];
  // What it needs is not known here, and a fleet resumes by itself.
  if (phase.machine !== undefined) {
    return phase.status === "running"
      ? ["waits for a free worker", "waits"]
      : ["waits for its turn"];
  }
  if (status === "stopped") {
    return phase.attempts.length === 0 ? ["not begun"] : ["stopped; can resume", "stopped"];
  }
  return ["waits for a free worker", "waits"];
}

function whenItLands(
  landsAfter: string,
  status: NebulaFacts["status"],
  fleet: NebulaFacts["fleet"],
): string {
  if (fleet?.lane === "") return "once a machine has the lane";
  if (status === "stopped") return "once it is resumed";
  return landsAfter === "" ? "next" : `after ${landsAfter}`;
}
