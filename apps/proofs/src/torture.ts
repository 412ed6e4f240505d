import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { type Kill, KILL_KINDS, type KillKind, parseKill, TortureError } from "@quasar/torture";
import { reportOf } from "@quasar/torture/report";
import { linesOf } from "./torture/lines.ts";
import { UsageError } from "./torture/usage-error.ts";
import { victimOf } from "./torture/victims.ts";

const HELP = `Usage: pnpm torture [options]

kill the built quasar or atlas at each of its durable steps, resume it, and compare

  --of <program>      quasar, nebula, nebula-ready, nebula-gated, nebula-many or atlas:
                      what is killed (default: quasar)
  --agent <name>      scripted, claude or codex, from the PATH: who works (default: scripted)
  --points <pattern>  only at steps that match this regular expression
  --kinds <kinds>     runner, group, everything: who is killed (default: runner,everything)
  --share <share>     of the lesser steps only this share, 0 to 1 (default: 1)
  --part <k/n>        of these, the k-th of n parts, which the seed decides (default: 1/1)
  --pairs <share>     also kill the resume, at this share of its steps, 0 to 1 (default: 0)
  --random <count>    instead: so many runs, killed at moments by chance
  --every <ms>        of these: kill each life after a time like 500-5000, until one ends
  --jobs <count>      runs at a time (default: one more than there are processors)
  --seed <number>     decides the random choices (default: 1)
  --replay <kill>     instead: one run with this kill, as a report names it; may be repeated
  --report <file>     write all of it as JSON
  --all               also kills that cannot differ from another one
  --keep              keep the folders of runs that came out wrong

Examples:
  pnpm torture                             every step, each kill: minutes
  pnpm torture --points 'rename|commit'    where files come to be
  pnpm torture --pairs 0.01 --seed 7       and kills of the resume
  pnpm torture --random 1000               kills at any moment
  pnpm torture --of nebula --part 3/8      a long one in pieces: all parts make it whole
  pnpm torture --of nebula-many --random 1 --every 500-5000
                                           fifty phases, killed until they are done
  pnpm torture --agent codex --share 0.05  with Codex: the key steps
  pnpm torture --of atlas --share 0.05     a whole task: the key steps
`;

const text = { type: "string" } as const;
const many = { type: "string", multiple: true } as const;
const flag = { type: "boolean", default: false } as const;
const OPTIONS = {
  ...{ of: { ...text, default: "quasar" }, agent: { ...text, default: "scripted" } },
  ...{ points: { ...text, default: "" }, kinds: { ...text, default: "runner,everything" } },
  ...{ share: { ...text, default: "1" }, pairs: { ...text, default: "0" }, random: text },
  ...{ seed: { ...text, default: "1" }, part: { ...text, default: "1/1" } },
  ...{ every: text, replay: many, report: text, jobs: text },
  ...{ all: flag, keep: flag, help: { ...flag, short: "h" } },
} as const;

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof TortureError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } else if (error instanceof UsageError || isParseError(error)) {
    process.stderr.write(`${error.message}\npnpm torture --help says what there is\n`);
    process.exitCode = 2;
  } else throw error;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const victim = victimOf(values.of, values.agent);
  const points = patternOf(values.points);
  const [seed, pairs, share] = [
    numberOf("--seed", values.seed, 0xffff_ffff),
    numberOf("--pairs", values.pairs, 1),
    numberOf("--share", values.share, 1),
  ];
  const { random, every, replay } = values;
  const part = partOf(values.part);
  if (random !== undefined && part.of > 1) {
    throw new UsageError("--part: moments have none: give --random another --seed");
  }
  if (every !== undefined && random === undefined) {
    throw new UsageError("--every: say by --random how many runs are killed so");
  }
  const tortured = await victim.torture({
    kinds: kindsOf(values.kinds),
    points: (step) => points.test(step),
    ...{ share, part, pairs, seed },
    random: random === undefined ? undefined : numberOf("--random", random, 1_000_000),
    everyMs: every === undefined ? undefined : rangeOf(every),
    concurrency: jobsOf(values.jobs),
    replay: replay?.map(killOf),
    alike: values.all,
    keep: values.keep,
    onTrial: ({ deviations }) => tell(deviations.length === 0),
    signal: onceInterrupted(),
  });
  const { subject, laws, flags } = victim;
  const given = { seed, share, part, pairs };
  const report = reportOf(tortured, { subject, laws, date: new Date(), ...given });
  if (values.report !== undefined) {
    writeFileSync(values.report, `${JSON.stringify(report, undefined, 2)}\n`);
  }
  process.stdout.write(`${linesOf(report, flags).join("\n")}\n`);
  return report.left > 0 || report.failures.length > 0 ? 1 : 0;
}

/** What is under way ends first; a second signal exits at once. */
function onceInterrupted(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => {
    process.stderr.write("SIGINT: finishing what runs; press Ctrl-C again to exit now\n");
    controller.abort();
  });
  return controller.signal;
}

/** A mark for each trial as it ends, where a person waits. */
function tell(isRight: boolean): void {
  if (process.stderr.isTTY) process.stderr.write(isRight ? "." : "x");
}

function isParseError(error: unknown): error is Error {
  return (
    error instanceof TypeError && "code" in error && /^ERR_PARSE_ARGS/u.test(String(error.code))
  );
}

function patternOf(source: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (cause) {
    throw new UsageError(`--points: ${source} is no regular expression`, { cause });
  }
}

function numberOf(name: string, value: string, max: number): number {
  const number = Number(value);
  if (value.trim() !== "" && number >= 0 && number <= max) return number;
  throw new UsageError(`${name}: ${value} is not a number from 0 to ${max}`);
}

/** A run waits for its disk and its agents now and then: one more keeps the processors at work. */
function jobsOf(value = String(availableParallelism() + 1)): number {
  if (/^[1-9]\d?$/u.test(value)) return Number(value);
  throw new UsageError(`--jobs: ${value} is not a number from 1 to 99`);
}

function partOf(value: string): { readonly number: number; readonly of: number } {
  const [number, of] = (/^([1-9]\d*)\/([1-9]\d*)$/u.exec(value) ?? []).slice(1).map(Number);
  if (number !== undefined && of !== undefined && number <= of) return { number, of };
  throw new UsageError(`--part: ${value} is not like 3/8`);
}

function rangeOf(value: string): readonly [number, number] {
  const [least, most] = (/^(\d{1,7})-(\d{1,7})$/u.exec(value) ?? []).slice(1).map(Number);
  if (least !== undefined && most !== undefined && least <= most) return [least, most];
  throw new UsageError(`--every: ${value} is not like 500-5000`);
}

function kindsOf(value: string): readonly KillKind[] {
  return value.split(",").map((name) => {
    const kind = KILL_KINDS.find((each) => each === name);
    if (kind !== undefined) return kind;
    throw new UsageError(`--kinds: ${name} is not ${KILL_KINDS.join(" or ")}`);
  });
}

function killOf(value: string): Kill {
  const kill = parseKill(value);
  if (kill !== undefined) return kill;
  throw new UsageError(`--replay: ${value} is not like "runner at rename work/x #1"`);
}
