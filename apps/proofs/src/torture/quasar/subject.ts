import { basename } from "node:path";
import {
  type Command,
  compareFacts,
  type Deviation,
  endOf,
  type Facts,
  type Fixture,
  type Life,
  type Place,
  type Subject,
} from "@quasar/torture";
import { type Moment, rounded, skippedOf, type Spending, spendingOf } from "../model/spending.ts";
import type { ModelRequest, ModelServer } from "../model/server.ts";
import { TASK, type TorturedAgent } from "./agent.ts";
import {
  commitsOf,
  finishedTurns,
  hasEndedRun,
  journalOf,
  costOf,
  treeOf,
  uncommittedOf,
} from "./observe.ts";

export interface QuasarOptions {
  /** How `quasar` is started: `node` and the path of its `main.js`. */
  readonly quasar: Command;
  readonly agent: TorturedAgent;
  readonly fixture: Fixture;
  readonly server: ModelServer;
  /** By account: who is told of what the server is asked. */
  readonly places: Map<string, Place>;
  /** US dollars that a run may cost. */
  readonly budgetUsd: number;
}

const MAX_CYCLES = 3;
const EXIT_BUDGET = 4;
const EXIT_NOTHING_TO_RESUME = 8;

/** What is compared of a run of `quasar`. */
interface QuasarFacts extends Spending {
  /** A run that lost turns to kills may use up its budget. */
  readonly end: "approved" | "budget";
  readonly tree: Readonly<Record<string, string>>;
  readonly uncommitted: string;
  readonly commits: readonly string[];
  /** How often each fact of the run's journal stands there. */
  readonly journal: Readonly<Record<string, number>>;
  /** SHA-256 of what was asked, by what for; of turns that no kill has changed. */
  readonly prompts: Readonly<Record<string, readonly string[]>>;
}

/** A two-cycle run of `quasar`, as a subject of torture. */
export function quasarSubject(options: QuasarOptions): Subject {
  const { quasar, agent, fixture, server, places, budgetUsd } = options;
  const moments = new Map<string, Moment[]>();
  const accountOf = (place: Place): string => basename(place.root);
  const urlOf = (place: Place): string => server.urlOf(accountOf(place));
  const call = (place: Place, ...args: string[]): Command => ({
    file: quasar.file,
    args: [...quasar.args, ...args, "--json"],
    env: agent.envOf(urlOf(place)),
  });
  return {
    fixture,
    prepare(place) {
      places.set(accountOf(place), place);
      agent.prepare(place, urlOf(place));
    },
    run(place) {
      const name = agent.nameIn(place);
      const limits = ["--max-budget", String(budgetUsd), "--max-cycles", String(MAX_CYCLES)];
      const agents = ["--coder", name, "--reviewer", name, ...agent.flags];
      const rest = ["--accept-dirty", "--filter", "true", "--commit-style", "seed"];
      return call(place, "run", TASK, ...rest, ...limits, ...agents);
    },
    resume: (place) => call(place, "resume"),
    next(life, place) {
      if (life.killed) {
        const noted = moments.get(place.root) ?? [];
        const requests = server.requestsOf(accountOf(place)).length;
        const everything = life.kill?.kind === "everything";
        noted.push({ everything, requests, finished: finishedTurns(place) });
        moments.set(place.root, noted);
        return "resume";
      }
      const lost = moments.get(place.root)?.some(({ everything }) => everything) === true;
      if (life.exitCode === EXIT_BUDGET && lost) return "end";
      return nextOf(life, place);
    },
    async observe(place, lives) {
      const asked = server.requestsOf(accountOf(place));
      const killed = moments.get(place.root) ?? [];
      const facts: QuasarFacts = {
        end: lives.at(-1)?.exitCode === EXIT_BUDGET ? "budget" : "approved",
        tree: treeOf(place),
        uncommitted: uncommittedOf(place),
        commits: commitsOf(place),
        journal: journalOf(place),
        ...spendingOf(asked, killed, await costOf(place)),
        prompts: promptsOf(asked, killed),
      };
      moments.delete(place.root);
      server.forget(accountOf(place));
      places.delete(accountOf(place));
      return { ...facts };
    },
    judge(facts, whole, { lives }) {
      const lost = lives.filter(({ killed, kill }) => killed && kill?.kind === "everything").length;
      return judge(facts, whole, {
        lostUsd: lost * agent.boundUsd,
        capUsd: budgetUsd + 2 * agent.boundUsd,
      });
    },
  };
}

function nextOf(life: Life, place: Place): "run" | "end" | { readonly failed: string } {
  if (life.exitCode === 0) return "end";
  // Nothing to resume: killed before there was anything, or when all was done.
  if (life.exitCode === EXIT_NOTHING_TO_RESUME) return hasEndedRun(place) ? "end" : "run";
  return { failed: endOf(life) };
}

/**
 * What was asked in turns that continued as they were. A turn is told that it was interrupted if it was
 * lost, or if its agent had asked nothing yet: then it may not have been started.
 */
function promptsOf(
  asked: readonly ModelRequest[],
  moments: readonly Moment[],
): QuasarFacts["prompts"] {
  const isAnew = (work: string, at: number): boolean =>
    moments.some(({ everything, requests }) => {
      const wasAsked = asked.slice(0, requests).some((other) => other.work === work);
      return requests <= at && asked[requests]?.work === work && (everything || !wasAsked);
    });
  const same = asked.filter(({ work }, at) => !isAnew(work, at));
  const prompts = Map.groupBy(same, ({ key }) => key);
  return Object.fromEntries(
    [...prompts].map(([key, all]) => [key, [...new Set(all.map(({ sha256 }) => sha256))]]),
  );
}

/** What differs, by the promise that it breaks. */
function judge(
  facts: Facts,
  others: Facts,
  { lostUsd, capUsd }: { readonly lostUsd: number; readonly capUsd: number },
): readonly Deviation[] {
  const now = facts as unknown as QuasarFacts;
  const whole = others as unknown as QuasarFacts;
  const { billedUsd, ledgerUsd, unknownUsd } = now;
  const money = `billed ${billedUsd}, ledger ${ledgerUsd}, of it unknown ${unknownUsd}`;
  const isBooked = billedUsd <= ledgerUsd && ledgerUsd <= rounded(billedUsd + lostUsd);
  return [
    ...(now.end === "approved" ? unfinished(now, whole) : []),
    ...now.paidTwice.map((key) => ({ law: "repeated", message: key })),
    ...(isBooked ? [] : [{ law: "ledger", message: money }]),
    ...(billedUsd <= rounded(capUsd) ? [] : [{ law: "cap", message: money }]),
  ];
}

/** What of the work is not as it is where nobody is killed. */
function unfinished(now: QuasarFacts, whole: QuasarFacts): readonly Deviation[] {
  const pick = ({ tree, uncommitted }: QuasarFacts): Facts => ({ tree, uncommitted });
  const trees = compareFacts(pick(now), pick(whole));
  const altered = Object.entries(now.prompts).filter(([key, hashes]) =>
    hashes.some((hash) => whole.prompts[key]?.includes(hash) === false),
  );
  return [
    ...trees.map(({ law, message }) => ({ law: "tree", message: `${law}: ${message}` })),
    ...compareFacts({ commits: now.commits }, { commits: whole.commits }),
    ...compareFacts({ journal: now.journal }, { journal: whole.journal }),
    ...skippedOf(now, whole).map((key) => ({ law: "skipped", message: key })),
    ...altered.map(([key]) => ({ law: "altered", message: key })),
  ];
}
