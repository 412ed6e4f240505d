// Real agents under kills: each kill of the table, one after the other, compared with an undisturbed run.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { presetOf } from "@quasar/agents/presets";
import { driveKilled, driveWhole } from "./kills/drive.ts";
import { judge } from "./kills/judge.ts";
import type { Observed } from "./kills/observe.ts";
import { type Outcome, tableOf } from "./kills/report.ts";
import {
  AGENT_NAMES,
  type Kill,
  KILLS,
  nameOf,
  POINT_NAMES,
  POINTS,
  VICTIMS,
} from "./kills/table.ts";

const HELP = `Usage: pnpm --filter @quasar/cli kills [options]

kill a real agent's turn, its supervisor, its runner or all three, resume, and compare with an undisturbed run

  --only <pattern>  only kills whose name matches this regular expression
  --report <file>   write all of it as JSON
  --list            show the names of the kills, and make none
  -h, --help        show this

A kill's name is "<agent>, <turn>, <point>: <victim>". Agents: ${AGENT_NAMES.join(", ")}, as
\`pnpm --filter @quasar/agents test:more <agent>\` installs them. Victims: ${VICTIMS.join(", ")}. Points:

${POINT_NAMES.map((point) => `  ${point.padEnd(10)} ${POINTS[point]}`).join("\n")}

Examples:
  pnpm --filter @quasar/cli kills                                  the whole table: most of an hour
  pnpm --filter @quasar/cli kills --only '^gemini, coder'          of one agent's coder
  pnpm --filter @quasar/cli kills --only 'asked: (runner|agent)'   of all of them, two kinds
`;

const OPTIONS = {
  only: { type: "string", default: "" },
  report: { type: "string" },
  list: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const values = valuesOf();
  if (values === undefined) return 2;
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const kills = KILLS.filter((kill) => values.only.test(nameOf(kill)));
  if (values.list) {
    process.stdout.write(kills.map((kill) => `${nameOf(kill)}\n`).join(""));
    return 0;
  }
  if (kills.length === 0) {
    process.stderr.write(`--only: no kill is named like ${values.only.source}\n`);
    return 2;
  }
  const outcomes = await makeAll(kills);
  if (values.report !== undefined) {
    writeFileSync(values.report, `${JSON.stringify(outcomes, undefined, 2)}\n`);
  }
  const bad = outcomes.filter(({ differences }) => differences.length > 0);
  process.stdout.write(`\n${tableOf(outcomes).join("\n")}\n\n`);
  process.stdout.write(`${outcomes.length} kills, ${bad.length} bad\n`);
  return bad.length > 0 ? 1 : 0;
}

/** What was typed; `undefined`: it cannot be understood, which has been printed. */
function valuesOf() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    return { ...values, only: new RegExp(values.only, "u") };
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return undefined;
  }
}

async function makeAll(kills: readonly Kill[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [agent, all] of Map.groupBy(kills, (kill) => kill.agent)) {
    const whole = await driveWhole(agent);
    if (whole.code !== 0) {
      process.stdout.write(`${agent}, undisturbed: BAD\n${whole.output}\n`);
      outcomes.push(...all.map(notMade));
      continue;
    }
    const streamsUsage = presetOf(agent)?.capabilities.streamsUsage ?? false;
    for (const kill of all) {
      const outcome = await make(kill, whole, streamsUsage);
      process.stdout.write(`${lineOf(outcome)}\n`);
      outcomes.push(outcome);
    }
  }
  return outcomes;
}

/** Where the agent fails undisturbed there is nothing to compare with. */
const notMade = (kill: Kill): Outcome => ({
  ...{ kill, observed: undefined, seconds: 0 },
  differences: [{ law: "end", message: "its agent fails undisturbed" }],
});

async function make(kill: Kill, whole: Observed, streamsUsage: boolean): Promise<Outcome> {
  const begun = performance.now();
  const took = (): number => Math.round((performance.now() - begun) / 1000);
  try {
    const observed = await driveKilled(kill);
    const differences = judge(observed, whole, { ...kill, streamsUsage });
    return { kill, differences, observed, seconds: took() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kill, differences: [{ law: "end", message }], observed: undefined, seconds: took() };
  }
}

function lineOf({ kill, differences, observed, seconds }: Outcome): string {
  const head = `${nameOf(kill)} (${seconds} s)`;
  if (differences.length === 0) return `${head}: the same`;
  const broken = differences.map(({ law, message }) => `\n  ${law}: ${message}`).join("");
  return `${head}: BAD${broken}\n${observed?.output ?? ""}`;
}
