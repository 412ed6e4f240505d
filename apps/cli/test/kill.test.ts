import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFacts } from "../src/runs/journal.ts";
import {
  type Finished,
  git,
  lastRecord,
  type Place,
  place,
  quasar,
  records,
  start,
} from "./harness.ts";
import { seededRandom } from "./random.ts";
import { agents, twoCycles } from "./scripts.ts";

const TRIALS = 25;
/** A whole run takes about as long, so that the kills fall anywhere within it. */
const RUN_MS = 1200;

interface Life {
  readonly outputs: string[];
  readonly codes: (number | null)[];
}

/** What the journal of the place's approved run holds of the facts that happen once, in their order. */
function factsOf(at: Place): readonly string[] {
  const runs = join(at.repo, ".git", "quasar", "runs");
  const [facts = []] = readdirSync(runs)
    .map((id) => readFacts(join(runs, id)))
    .filter((all) => all.some(({ type }) => type === "task_success"));
  return facts.filter(({ type }) => ONCE.has(type)).map(({ type }) => type);
}

const CYCLE = ["agent_done", "committed", "agent_done", "review_complete"];
const WHOLE = [...CYCLE, ...CYCLE, "task_success"];
const ONCE: ReadonlySet<string> = new Set(WHOLE);

/** Starts a command and kills it after a while, unless it ends before. */
async function liveFor(at: Place, args: readonly string[], ms: number): Promise<Finished> {
  const running = start(at, [...args, "--json"]);
  const timer = setTimeout(() => running.child.kill("SIGKILL"), ms);
  const done = await running.finished;
  clearTimeout(timer);
  return done;
}

/** A run, killed at a random moment, and resumed (and killed again) until it is approved. */
async function liveUntilApproved(at: Place, random: () => number): Promise<Life> {
  const outputs: string[] = [];
  const codes: (number | null)[] = [];
  const run = ["run", "Write work.txt", ...agents(at, twoCycles(60))];
  let command: readonly string[] = run;
  for (let lives = 0; lives < 12; lives += 1) {
    const isLast = lives > 0 && random() < 0.5;
    const done = await liveFor(at, command, isLast ? 30_000 : random() * RUN_MS);
    outputs.push(done.stdout);
    codes.push(done.code);
    if (done.code === 0) break;
    command = ["resume"];
    if (done.code !== 8) continue;
    // Killed before there was anything to resume, or when all was done.
    const { runs } = lastRecord(await quasar(at, ["status", "--json"])) as { runs: unknown[] };
    if (runs.length > 0) break;
    command = run;
  }
  return { outputs, codes };
}

test(`a run killed at ${TRIALS} random moments ends like one that never was`, async () => {
  const { seed, next } = seededRandom();
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const label = `trial ${trial} of seed ${seed}`;
    const at = place();
    const { outputs, codes } = await liveUntilApproved(at, next);
    const story = `${label}: ${codes.join(" ")}\n${outputs.at(-1)}`;
    expect([0, 8], story).toContain(codes.at(-1));
    expect([0, 8, null], story).toEqual(expect.arrayContaining(codes));

    expect(git(at, "show", "HEAD:work.txt"), label).toBe("right");
    expect(git(at, "show", "HEAD:more.txt"), label).toBe("more");
    expect(git(at, "status", "--porcelain"), label).toBe("");
    const cycles = git(at, "log", "--format=%(trailers:key=Quasar-Cycle,valueonly,separator=)");
    expect(cycles.split("\n"), label).toEqual(["2", "1"]);

    // Each fact is on record once, whenever the runner was killed.
    expect(factsOf(at), story).toEqual(WHOLE);

    const turns = outputs
      .flatMap((output) => records(output.slice(0, output.lastIndexOf("\n") + 1)))
      .filter(({ type }) => type === "agent_done")
      .map(({ cycle, role }) => `${String(cycle)} ${String(role)}`);
    expect(turns.toSorted(), label).toEqual([...new Set(turns)].toSorted());
  }
}, 120_000);
