import { fileURLToPath } from "node:url";
import { endRunProcesses } from "@quasar/agents/turns";
import { lane } from "@quasar/vitest/lane";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missing } from "../../src/blackbox/needs.ts";
import {
  agents,
  type Finished,
  git,
  makePlace,
  oneCycle,
  type Place,
  quasar,
  removePlace,
  runIds,
  type StartOptions,
} from "../../src/blackbox/place.ts";

const isLong = lane === "long";
const CLOCK = fileURLToPath(new URL("../../src/blackbox/shifted-clock.ts", import.meta.url));
const DAY_MS = 86_400_000;

/** What a run has decided, from its beginning to its end; nothing in it is a time or an id. */
interface Decisions {
  readonly codes: readonly (number | null)[];
  readonly tree: string;
  readonly commits: string;
  readonly events: readonly string[];
}

/** Which clock each command has. */
interface Clocks {
  readonly run?: StartOptions | undefined;
  readonly resume?: StartOptions | undefined;
}

const withClock = (after: number, by: number | "frozen"): StartOptions => ({
  env: { NODE_OPTIONS: `--import=${CLOCK}`, PROOF_CLOCK: `${after} ${by}` },
});

const places: Place[] = [];

function aPlace(): Place {
  const at = makePlace("clock");
  places.push(at);
  return at;
}

afterAll(() => {
  for (const at of places) removePlace(at);
});

/** A coder, and a reviewer that has not ended when everything is killed. */
const TURNS = oneCycle().map((turn) =>
  turn["role"] === "reviewer" ? { ...turn, delayMs: 3_600_000 } : turn,
);

/** A run, killed in its review with all that it has started, and its resume. */
async function decide({ run = {}, resume = {} }: Clocks): Promise<Decisions> {
  const at = aPlace();
  const args = ["run", "Write work.txt", "--json", ...agents(at, TURNS)];
  let isKilled = false;
  const killed = await quasar(at, args, {
    ...run,
    onOutput: (stdout, pid) => {
      if (isKilled || !/"agent_start".*"reviewer"/u.test(stdout)) return;
      isKilled = true;
      process.kill(pid, "SIGKILL");
    },
  });
  for (const runId of runIds(at)) await endRunProcesses(runId, { graceMs: 0 });
  agents(at, oneCycle());
  const resumed = await quasar(at, ["resume", "--json"], resume);
  return {
    codes: [killed.code, resumed.code],
    tree: git(at, "rev-parse", "HEAD^{tree}"),
    commits: commitsOf(at),
    events: [killed, resumed].flatMap(eventsOf),
  };
}

function commitsOf(at: Place): string {
  const format = "--format=%s %(trailers:key=Quasar-Cycle,valueonly,separator=)";
  return git(at, "log", format).replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/gu, "<run>");
}

function eventsOf({ stdout }: Finished): readonly string[] {
  return stdout
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .map(({ type, cycle, role, how, code }) => [type, cycle, role, how, code].join(" ").trim());
}

const jumps = [
  ["a day back", -DAY_MS],
  ["a year ahead", 365 * DAY_MS],
  ["to a stop", "frozen"],
] as const;

const moments: readonly (readonly [string, (by: number | "frozen") => Clocks])[] = [
  ["between run and resume", (by) => ({ resume: withClock(0, by) })],
  ["while it runs", (by) => ({ run: withClock(12, by) })],
  ["while it resumes", (by) => ({ resume: withClock(8, by) })],
  ["before it runs, and back again", (by) => ({ run: withClock(0, by) })],
];

const cases = jumps.flatMap(([jump, by]) =>
  moments.map(([moment, clocks]) => [jump, moment, clocks(by)] as const),
);

/** With the right clock all the time. */
let expected: Decisions;

beforeAll(async () => {
  expected = await decide({});
});

test("with a right clock the killed run is resumed to its end", () => {
  expect(expected.codes).toEqual([null, 0]);
});

test("the clock of the proof is the one that the command reads", async () => {
  const at = aPlace();
  const args = ["run", "Write work.txt", "--json", ...agents(at, oneCycle())];
  const { stdout } = await quasar(at, args, withClock(0, 365 * DAY_MS));
  const { time } = JSON.parse(stdout.split("\n")[0] ?? "") as { time: string };
  expect(Date.parse(time)).toBeGreaterThan(Date.now() + 364 * DAY_MS);
});

test.for(isLong ? cases : cases.filter((_, at) => at % 3 === 0))(
  "a clock that jumps %s %s changes no decision",
  async ([, , clocks]) => {
    expect(await decide(clocks)).toEqual(expected);
  },
);

const skipped = missing("faketime");
if (skipped !== undefined) console.warn(skipped);

describe.skipIf(skipped !== undefined)("with the clock of every process, git's too,", () => {
  const under = (...words: readonly string[]): StartOptions => ({
    under: ["faketime", "-f", ...words],
  });
  test.for([
    ["a day back", under("-1d")],
    ["a year ahead", under("+365d")],
  ] as const)("a jump %s between run and resume changes no decision", async ([, resume]) => {
    expect(await decide({ resume })).toEqual(expected);
  });
});
