import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chanceOf } from "@quasar/torture";
import { brokenOf, factsOf, type TrialFacts } from "./fleet/facts.ts";
import { ALL_QUIET, RANDOM_FAULTS } from "./fleet/random-faults.ts";
import { type Row, ROWS, UNDISTURBED } from "./fleet/rows.ts";
import { hasNamespaces } from "./fleet/namespace.ts";
import { restateProgram } from "./fleet/server.ts";
import { type Ended, tableOf } from "./fleet/table.ts";
import { RESPONSE_USD, Trial } from "./fleet/trial.ts";
import { Late } from "./fleet/until.ts";
import { scriptedWire } from "./torture/model/scripted.ts";
import { type ModelServer, startModelServer } from "./torture/model/server.ts";

const HELP = `Usage: pnpm --filter @quasar/proofs fleet [options]

have a fleet of three machines work on five phases, while machines, server or depot fail

  --row <name>      only this one; may be repeated: ${ROWS.map(({ name }) => name).join(", ")}
  --times <count>   how often each (default: 1)
  --random <time>   instead: faults by chance over nebulae of twenty phases, for so many minutes
  --seed <number>   decides what happens, and when (default: 1)
  --report <file>   write all of it as JSON
  --keep            keep the folders of trials that came out wrong
`;

const { values } = parseArgs({
  options: {
    row: { type: "string", multiple: true },
    times: { type: "string", default: "1" },
    random: { type: "string" },
    seed: { type: "string", default: "1" },
    report: { type: "string" },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else if (!hasNamespaces()) console.warn("fleet SKIPPED: not root here");
else process.exitCode = await main();

async function main(): Promise<number> {
  const unknown = values.row?.find((name) => !ROWS.some((row) => row.name === name));
  const times = Number(values.times);
  const minutes = Number(values.random ?? 0);
  if (unknown !== undefined || !Number.isInteger(times) || times < 1 || !(minutes >= 0)) {
    process.stderr.write(HELP);
    return 2;
  }
  const plan = planOf(values);
  const program = restateProgram();
  const scratch = mkdtempSync(join(realpathSync(tmpdir()), "quasar-fleet-"));
  const trials = new Map<string, Trial>();
  const model = await startModelServer([scriptedWire(RESPONSE_USD)], async (name, step, request) =>
    step === "asked" ? trials.get(name)?.hear(request) : undefined,
  );
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      const all = [...trials.values()].map((trial) => trial.close());
      void Promise.all(all).then(() => {
        rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
        process.exit(1);
      });
    });
  }
  const ended: Ended[] = [];
  try {
    const given = { scratch, trials, model, program };
    const first = await tried(plan.first, 1, { ...given, whole: undefined });
    ended.push(first);
    const { facts: whole } = first;
    const end = performance.now() + minutes * 60_000;
    for (const row of whole === undefined ? [] : plan.others) {
      const isLeft = (time: number): boolean =>
        values.random === undefined ? time <= times : performance.now() < end;
      for (let time = 1; isLeft(time); time += 1) {
        ended.push(await tried(row, time, { ...given, whole }));
      }
    }
  } finally {
    await model.close();
    const isKept = values.keep && ended.some(({ broken }) => broken.length > 0);
    if (isKept) process.stderr.write(`kept: ${scratch}\n`);
    else rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
  if (values.report !== undefined) {
    writeFileSync(values.report, `${JSON.stringify(ended, undefined, 2)}\n`);
  }
  process.stdout.write(`${tableOf(ended).join("\n")}\n`);
  return ended.some(({ broken }) => broken.length > 0) ? 1 : 0;
}

/** What is tried: first what all others are compared with. */
function planOf({ row: names, random }: { row?: string[]; random?: string }): {
  readonly first: Row;
  readonly others: readonly Row[];
} {
  if (random !== undefined) return { first: ALL_QUIET, others: [RANDOM_FAULTS] };
  const others = ROWS.filter(({ name }) => names?.includes(name) ?? true);
  return { first: UNDISTURBED, others };
}

interface Given {
  readonly scratch: string;
  readonly trials: Map<string, Trial>;
  readonly model: ModelServer;
  readonly program: string;
  /** Of the undisturbed one; `undefined`: this is it. */
  readonly whole: TrialFacts | undefined;
}

async function tried(
  row: Row,
  time: number,
  { scratch, trials, model, program, whole }: Given,
): Promise<Ended> {
  const name = `${row.name}-${time}`;
  const root = join(scratch, name);
  mkdirSync(root);
  const begun = performance.now();
  const of = { row: row.name, expected: row.expected };
  const seconds = (): number => Math.round((performance.now() - begun) / 1000);
  let trial: Trial | undefined;
  let ended: Ended;
  try {
    trial = await Trial.begin({ root, name, model, program, ...row.setting }, (one) =>
      trials.set(name, one),
    );
    let chances = 0;
    const random = (): number => chanceOf(`${values.seed} ${name} ${(chances += 1)}`);
    const { seen, broken, maxRepeated = row.maxRepeated } = await row.play(trial, random);
    await trial.done();
    const facts = await factsOf(trial);
    const left = await trial.stop();
    const isOrdered = row.setting.nebula === undefined;
    const laws = brokenOf(facts, { whole: whole ?? facts, maxRepeated, isOrdered });
    ended = {
      ...{ ...of, seen, facts, seconds: seconds() },
      broken: [...broken, ...laws, ...left.map((each) => `left: ${each}`)],
    };
  } catch (error) {
    const message = error instanceof Late ? error.message : String((error as Error).stack);
    ended = { ...of, seen: [], broken: [message], seconds: seconds() };
  } finally {
    await trial?.close();
    trials.delete(name);
  }
  process.stderr.write(
    `${name}: ${ended.seconds} s ${ended.seen.join(", ")} ${ended.broken.join("; ") || "nothing broken"}\n`,
  );
  if (!values.keep || ended.broken.length === 0) {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
  return ended;
}
