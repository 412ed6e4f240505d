import { writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  chanceOf,
  type Command,
  compareFacts,
  type Deviation,
  endOf,
  type Facts,
  formatKill,
  type Life,
  type Next,
  type Place,
  type Subject,
} from "@quasar/torture";
import { type Moment, rounded, skippedOf, type Spending, spendingOf } from "../model/spending.ts";
import type { ModelServer } from "../model/server.ts";
import type { TorturedAgent } from "../quasar/agent.ts";
import { clockOf, INTERVAL } from "./clock.ts";
import { pullRequestsOf } from "./fake-gh.ts";
import { type AtlasFixture, bareOf, ghOf, prepareRemote } from "./fixture.ts";
import {
  commitsOf,
  costOf,
  finishedTurns,
  historyOf,
  leftovers,
  pushesTo,
  readHook,
  receiptsOf,
  recordOf,
  soundness,
  staleHookMd,
  tasksOf,
  treesOf,
} from "./observe.ts";

export interface AtlasOptions {
  /** Path of the program `atlas`. */
  readonly atlas: string;
  readonly agent: TorturedAgent;
  readonly made: AtlasFixture;
  readonly server: ModelServer;
  /** By account: who is told of what the server is asked. */
  readonly places: Map<string, Place>;
  readonly budgetUsd: number;
}

const TASK = "fix null pointer in config";
const MAX_CYCLES = 3;
const EXIT_DONE = 0;
const EXIT_NOTHING_TO_RESUME = 8;
const EXIT_DECISION = 9;

/** The second one only looks; the first one leaves something for the step that commits. */
const VALIDATION = ["cp work.txt formatted.txt", "test -s formatted.txt"];

/** What is compared of a task. */
interface AtlasFacts extends Spending {
  readonly state: string;
  readonly steps: Facts;
  readonly commits: Facts;
  readonly published: Facts;
  readonly tree: Facts;
  readonly receipts: Facts;
  readonly record: Facts;
  readonly history: Facts;
  readonly left: readonly string[];
  /** What HOOK.md was when a command had ended, where it was not what hook.json said. */
  readonly stale: readonly string[];
  readonly checkpoints: Readonly<Record<string, number>>;
}

/** What was seen of a trial while it continued. */
interface Seen {
  readonly moments: Moment[];
  readonly stale: string[];
  /** When the task was over, and before anything of the trial's was ended. */
  left: readonly string[];
}

/** A bugfix from start to approval, as a subject of torture. */
export function atlasSubject(options: AtlasOptions): Subject {
  const { atlas, agent, made, server, places, budgetUsd } = options;
  const seen = new Map<string, Seen>();
  const seenOf = ({ root }: Place): Seen => {
    const known = seen.get(root) ?? { moments: [], stale: [], left: [] };
    seen.set(root, known);
    return known;
  };
  const accountOf = (place: Place): string => basename(place.root);
  const call = (place: Place, ...args: string[]): Command => ({
    file: process.execPath,
    args: [programOf(place), ...args, "--json"],
    env: {
      ...agent.envOf(server.urlOf(accountOf(place))),
      PATH: [join(ghOf(place), "bin"), place.env["PATH"]].join(delimiter),
    },
  });
  return {
    fixture: made.fixture,
    background: "git hook",
    // What the git hook has come to when the runner looks, and when the task is over.
    unsteady: / git hook: |\/inbox\b/u,
    clock: clockOf,
    prepare(place) {
      places.set(accountOf(place), place);
      agent.prepare(place, server.urlOf(accountOf(place)));
      prepareRemote(place, made.bare);
      writeFileSync(programOf(place), programText(place, atlas));
    },
    run(place) {
      const name = agent.nameIn(place);
      const what = [TASK, "--template", "bugfix", "--use-local"];
      const limits = ["--max-budget", String(budgetUsd), "--max-cycles", String(MAX_CYCLES)];
      const agents = ["--coder", name, "--reviewer", name, ...agent.flags];
      const commands = VALIDATION.flatMap((command) => ["--validate", command]);
      const clock = ["--checkpoint-interval", INTERVAL];
      return call(place, "start", ...what, ...limits, ...agents, ...commands, ...clock);
    },
    resume: (place) => call(place, "resume"),
    next(life, place) {
      const known = seenOf(place);
      const { moments, stale } = known;
      if (life.killed) {
        const requests = server.requestsOf(accountOf(place)).length;
        const everything = life.kill?.kind === "everything";
        moments.push({ everything, requests, finished: finishedTurns(place) });
        return looksFirst(life) ? call(place, "status") : "resume";
      }
      stale.push(...staleHookMd(place).map((relation) => `after ${wordOf(life)}: ${relation}`));
      const next = nextOf(life, place, (...args) => call(place, ...args));
      if (next === "end") known.left = leftovers(place);
      return next;
    },
    async observe(place) {
      const { moments, stale, left } = seenOf(place);
      const asked = server.requestsOf(accountOf(place));
      const facts = {
        ...factsOf(place),
        left,
        stale,
        ...spendingOf(asked, moments, await costOf(place)),
      };
      seen.delete(place.root);
      server.forget(accountOf(place));
      places.delete(accountOf(place));
      return facts;
    },
    judge(facts, whole, { lives }) {
      const lost = lives.filter(({ killed, kill }) => killed && kill?.kind === "everything").length;
      const lostUsd = rounded(lost * agent.boundUsd);
      return judge(facts as unknown as AtlasFacts, whole as unknown as AtlasFacts, lostUsd);
    },
  };
}

/** The program as the git hook calls it too. */
function programOf({ notes }: Place): string {
  return join(notes, "atlas.mjs");
}

function programText({ background }: Place, atlas: string): string {
  const load = (path: string): string => `await import(${JSON.stringify(pathToFileURL(path))});\n`;
  return `if (process.argv.includes("--auto")) ${load(background)}${load(atlas)}`;
}

/** Whether a person looks before continuing, which is left to chance. */
function looksFirst({ kill }: Life): boolean {
  return kill !== undefined && chanceOf(formatKill(kill)) < 0.5;
}

/** `start` */
function wordOf({ command }: Life): string {
  return command.args[1] ?? "";
}

/** What a person does who has seen how a command ended. */
function nextOf(life: Life, place: Place, call: (...args: string[]) => Command): Next {
  const word = wordOf(life);
  if (word === "status") return "resume";
  if (life.exitCode === EXIT_DECISION) return call("approve", "--yes");
  const isDone = tasksOf(place).some((task) => readHook(task)?.state === "completed");
  if (life.exitCode === EXIT_DONE && isDone) return "end";
  // Killed before there was a task, or when all was done.
  if (life.exitCode === EXIT_NOTHING_TO_RESUME) return isDone ? "end" : "run";
  return { failed: endOf(life) };
}

/** Called when no process of the trial is left. */
function factsOf(place: Place): Facts {
  const [taskDir, ...others] = tasksOf(place);
  const hook = taskDir === undefined ? undefined : readHook(taskDir);
  if (taskDir === undefined || hook === undefined) return { state: "there is no task" };
  const { state, branch, worktreePath } = hook;
  const bare = bareOf(place);
  const { ended, again, checkpoints, doubled } = historyOf(taskDir);
  return {
    state,
    steps: { ended, again, others: others.length },
    commits: {
      here: commitsOf(place, join(place.work, ".git"), branch),
      there: commitsOf(place, bare, branch),
      doubled,
    },
    published: {
      pushes: pushesTo(place, branch),
      pullRequests: pullRequestsOf(ghOf(place)).length,
    },
    tree: treesOf(place, worktreePath),
    receipts: receiptsOf(place, taskDir),
    record: recordOf(taskDir),
    history: { is: soundness(taskDir) },
    checkpoints,
  };
}

/** What differs, by the promise that it breaks. */
function judge(now: AtlasFacts, whole: AtlasFacts, lostUsd: number): readonly Deviation[] {
  const { billedUsd, ledgerUsd, unknownUsd } = now;
  const isBooked =
    rounded(ledgerUsd - unknownUsd) <= billedUsd && billedUsd <= ledgerUsd && unknownUsd <= lostUsd;
  const money = `billed ${billedUsd}, ledger ${ledgerUsd}, of it unknown ${unknownUsd}`;
  const same = [
    "steps",
    "commits",
    "published",
    "tree",
    "receipts",
    "record",
    "history",
    "left",
  ] as const;
  const pick = (facts: AtlasFacts): Facts =>
    Object.fromEntries(same.map((name) => [name, facts[name]]));
  return [
    ...compareFacts(pick(now), pick(whole)),
    ...now.paidTwice.map((key) => ({ law: "repeated", message: key })),
    ...skippedOf(now, whole).map((key) => ({ law: "skipped", message: key })),
    ...now.stale.map((message) => ({ law: "stale", message })),
    ...(isBooked ? [] : [{ law: "ledger", message: money }]),
  ];
}
