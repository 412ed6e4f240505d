import { basename } from "node:path";
import {
  chanceOf,
  type Command,
  compareFacts,
  type Deviation,
  endOf,
  type Facts,
  type Fixture,
  formatKill,
  type Life,
  type Next,
  type Place,
  processesOf,
  type Subject,
} from "@quasar/torture";
import { type Moment, rounded, skippedOf, type Spending, spendingOf } from "../model/spending.ts";
import type { ModelServer } from "../model/server.ts";
import type { TorturedAgent } from "../quasar/agent.ts";
import { FOLDER } from "./fixture.ts";
import {
  costOf,
  crowdedOf,
  damageOf,
  endOneAgent,
  finishedTurns,
  landingsOf,
  leftovers,
  NEBULA_CHANCE,
  nebulaOf,
  type PhaseFacts,
  phasesOf,
  refNamesOf,
  takeBack,
  unsoundOf,
  userOf,
} from "./observe.ts";
import { subjectsOf, type TorturedNebula } from "./tortured-nebula.ts";

export interface NebulaOptions {
  /** How `quasar` is started: `node` and the path of its `main.js`. */
  readonly quasar: Command;
  readonly agent: TorturedAgent;
  readonly fixture: Fixture;
  readonly nebula: TorturedNebula;
  readonly server: ModelServer;
  /** By account: who hears what the server is asked. */
  readonly places: Map<string, Place>;
}

const EXIT_DONE = 0;
const EXIT_DECISION = 5;
const EXIT_NOTHING_TO_RESUME = 8;

/** What is compared of a nebula. */
interface NebulaFacts extends Spending {
  readonly landings: readonly string[];
  readonly phases: Readonly<Record<string, PhaseFacts>>;
  readonly refs: readonly string[];
  readonly user: Facts;
  readonly left: readonly string[];
  /** What has to be true at any moment, and was not: at a kill, or at the end. */
  readonly unsound: readonly string[];
  /** Where more was on the disk than the phases need: at a kill, or at the end. */
  readonly crowded: readonly string[];
  /** How many turns may have been lost unseen. */
  readonly lostTurns: number;
}

/** What was seen of a trial while it continued. */
interface Seen {
  readonly moments: Moment[];
  readonly unsound: string[];
  readonly crowded: string[];
  lostTurns: number;
  /** Whether a power cut has taken landings back. */
  isTakenBack: boolean;
  /** When the nebula was over, and before anything of the trial's was ended. */
  left: readonly string[];
}

/** A nebula from its start to its last landing, as a subject of torture. */
export function nebulaSubject(options: NebulaOptions): Subject {
  const { quasar, agent, fixture, nebula, server, places } = options;
  const seen = new Map<string, Seen>();
  const seenOf = ({ root }: Place): Seen => {
    const known = seen.get(root) ?? {
      moments: [],
      unsound: [],
      crowded: [],
      lostTurns: 0,
      isTakenBack: false,
      left: [],
    };
    seen.set(root, known);
    return known;
  };
  const accountOf = (place: Place): string => basename(place.root);
  const apply = (place: Place, ...flags: readonly string[]): Command => {
    const name = agent.nameIn(place);
    const agents = ["--coder", name, "--reviewer", name, ...agent.flags];
    const args = ["nebula", "apply", FOLDER, "--auto", ...flags, ...agents, "--json"];
    return {
      file: quasar.file,
      args: [...quasar.args, ...args],
      env: agent.envOf(server.urlOf(accountOf(place))),
    };
  };
  return {
    fixture,
    chance: NEBULA_CHANCE,
    apart: "QUASAR_TURN_ID",
    unsteady: unsteadyOf(nebula),
    prepare(place) {
      places.set(accountOf(place), place);
      agent.prepare(place, server.urlOf(accountOf(place)));
    },
    run: (place) => apply(place, "--trust-config"),
    resume: (place) => apply(place, "--resume"),
    async next(life, place) {
      const known = seenOf(place);
      if (!life.killed) {
        const next = nextOf(life, place, quasar);
        if (next === "end") known.left = leftovers(place);
        return next;
      }
      const when = `at kill ${known.moments.length + 1}`;
      known.unsound.push(...unsoundOf(place, known.isTakenBack).map((why) => `${when}: ${why}`));
      known.crowded.push(...crowdedOf(place, nebula).map((why) => `${when}: ${why}`));
      const { kind, chance } = fateOf(life);
      const turn = kind === "runner" && chance < 1 / 3 ? endOneAgent(place) : undefined;
      // Until it was ended, it may have asked.
      await server.catchUp();
      const asked = server.requestsOf(accountOf(place));
      const finished = finishedTurns(place);
      if (turn !== undefined) {
        known.lostTurns += 1;
        const others = asked.map(({ turnId }) => turnId).filter((id) => id !== turn);
        const kept = new Set([...finished, ...others]);
        known.moments.push({ everything: true, requests: asked.length, finished: kept });
        return "resume";
      }
      const everything = kind === "everything";
      known.moments.push({ everything, requests: asked.length, finished });
      if (everything) known.lostTurns += nebula.workers;
      // Power fails for all at once.
      if (chance < 1 / 2 && processesOf(place.root).length === 0) {
        known.isTakenBack ||= takeBack(place, 2 * chance);
      }
      return "resume";
    },
    async observe(place) {
      const { moments, unsound, crowded, left, lostTurns } = seenOf(place);
      const asked = server.requestsOf(accountOf(place));
      const facts: NebulaFacts = {
        landings: landingsOf(place),
        phases: phasesOf(place),
        refs: refNamesOf(place),
        user: userOf(place),
        left,
        unsound: [
          ...unsound,
          ...[...unsoundOf(place, false), ...damageOf(place)].map((why) => `at the end: ${why}`),
        ],
        crowded: [...crowded, ...crowdedOf(place, nebula).map((why) => `at the end: ${why}`)],
        lostTurns,
        ...spendingOf(asked, moments, await costOf(place)),
      };
      seen.delete(place.root);
      server.forget(accountOf(place));
      places.delete(accountOf(place));
      return { ...(nebula.order === "plan" ? facts : inNoOrder(facts, nebula)) };
    },
    judge(facts, whole) {
      const bound = agent.boundUsd;
      const [now, then] = [facts, whole] as unknown as readonly [NebulaFacts, NebulaFacts];
      return judge(now, then, { boundUsd: bound, subjects: subjectsOf(nebula) });
    },
  };
}

/** How often the engine looks where the branch is depends on how often it wakes. */
function unsteadyOf({ unsteady }: Pick<TorturedNebula, "unsteady">): RegExp {
  const looks = "spawn git (?:merge-base|rev-parse) #";
  return new RegExp([looks, ...(unsteady === undefined ? [] : [unsteady.source])].join("|"), "u");
}

/** How a life was killed, and a number from 0 to 1 for what else happens then. */
function fateOf({ kill }: Life): { readonly kind: string; readonly chance: number } {
  return { kind: kill?.kind ?? "", chance: kill === undefined ? 1 : chanceOf(formatKill(kill)) };
}

/** What a person does who has seen how a command ended. */
function nextOf(life: Life, place: Place, quasar: Command): Next {
  const { phases = [] } = nebulaOf(place) ?? {};
  const isDone = phases.length > 0 && phases.every(({ status }) => status === "done");
  if (life.exitCode === EXIT_DECISION) {
    const { id } = phases.find(({ status }) => status === "awaiting_human") ?? {};
    const args = ["nebula", "approve", ...(id === undefined ? [] : [id])];
    return { ...quasar, args: [...quasar.args, ...args] };
  }
  if (life.exitCode === EXIT_DONE && life.command.args.includes("approve")) return "resume";
  if (life.exitCode === EXIT_DONE && isDone) return "end";
  // Killed before there was a nebula, or when all was done.
  if (life.exitCode === EXIT_NOTHING_TO_RESUME) return isDone ? "end" : "run";
  return { failed: endOf(life) };
}

/**
 * What does not depend on which of two phases was faster: it decides the order of the landings, and which of the two
 * that conflict is reworked.
 */
function inNoOrder(
  facts: NebulaFacts,
  { hasFixedBases }: Pick<TorturedNebula, "hasFixedBases">,
): NebulaFacts {
  const { landings, phases, refs } = facts;
  const all = Object.values(phases);
  const last = landings.at(-1)?.split(" ")[0] ?? "";
  const sum = (of: (phase: PhaseFacts) => number): number =>
    all.reduce((n, phase) => n + of(phase), 0);
  return {
    ...facts,
    landings: [last, ...landings.map(subjectIn).toSorted()],
    phases: {
      all: {
        status: [...new Set(all.map(({ status }) => status))].join(" "),
        hasLanded: all.every(({ hasLanded }) => hasLanded),
        attempt: sum(({ attempt }) => attempt),
        runs: sum(({ runs }) => runs),
        commits: all
          .flatMap(({ commits }) => commits)
          .map((line) => (hasFixedBases ? line.replace(/ Phase \w$/u, "") : subjectIn(line)))
          .toSorted(),
      },
    },
    refs: refs
      // What a lost turn had written, and how far it had come, is chance.
      .filter((name) => !/^refs\/quasar\/\d{8}-/u.test(name))
      .map((name) => name.replace(/\/p\d-[0-9a-f]{8}\//u, "/p/"))
      .toSorted(),
  };
}

/** Of a commit's tree and subject. */
function subjectIn(line: string): string {
  return line.replace(/^[0-9a-f]{40} /u, "");
}

/** What differs, by the promise that it breaks. */
function judge(
  now: NebulaFacts,
  whole: NebulaFacts,
  { boundUsd, subjects }: { readonly boundUsd: number; readonly subjects: readonly string[] },
): readonly Deviation[] {
  const { billedUsd, ledgerUsd, unknownUsd, lostTurns } = now;
  const lostUsd = rounded(lostTurns * boundUsd);
  const isBooked = billedUsd <= ledgerUsd && ledgerUsd <= rounded(billedUsd + lostUsd);
  const money = `billed ${billedUsd}, ledger ${ledgerUsd}, of it unknown ${unknownUsd}`;
  const same = ["landings", "phases", "refs", "user", "left"] as const;
  const pick = (facts: NebulaFacts): Facts =>
    Object.fromEntries(same.map((name) => [name, facts[name]]));
  const landed = now.landings.map(subjectIn);
  const missing = subjects.filter((subject) => !landed.includes(subject));
  return [
    ...compareFacts(pick(now), pick(whole)),
    ...missing.map((subject) => ({ law: "landings", message: `there is no ${subject}` })),
    ...now.unsound.map((message) => ({ law: "sound", message })),
    ...now.crowded.map((message) => ({ law: "disk", message })),
    ...now.paidTwice.map((key) => ({ law: "repeated", message: key })),
    ...skippedOf(now, whole).map((key) => ({ law: "skipped", message: key })),
    ...(isBooked ? [] : [{ law: "ledger", message: money }]),
  ];
}
