import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  ATLAS_LAWS,
  KILL_KINDS,
  type Kill,
  type KillKind,
  parseKill,
  quasarLaws,
  reportOf,
  tableOf,
  tortureAtlas,
  type Tortured,
  type TortureOptions as Torture,
  tortureQuasar,
  TORTURED_AGENTS,
  type TorturedAgentName,
  type TortureReport,
  type Trial,
} from "@quasar/torture";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { findProgram } from "../../shared/find-program.ts";
import { listenForInterrupts } from "../../shared/interrupts.ts";
import { cleanLine, jsonLine } from "../../shared/output/clean.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";

export interface TortureOptions {
  readonly of?: string | undefined;
  readonly agent?: string | undefined;
  readonly share?: string | undefined;
  readonly points?: string | undefined;
  readonly kinds?: string | undefined;
  readonly pairs?: string | undefined;
  readonly random?: string | undefined;
  readonly seed?: string | undefined;
  readonly replay?: readonly string[] | undefined;
  readonly report?: string | undefined;
  readonly all?: true | undefined;
  readonly keep?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar torture`: kills quasar itself at every durable step, or atlas, and says what that broke. */
export async function tortureCommand(options: TortureOptions): Promise<ExitCode> {
  const victim = victimOf(options);
  const points = patternOf(options.points);
  const seed = numberOf("--seed", options.seed, 0xffff_ffff) ?? 1;
  const pairs = numberOf("--pairs", options.pairs, 1) ?? 0;
  const share = numberOf("--share", options.share, 1) ?? 1;
  const interrupts = listenForInterrupts((name) => {
    process.stderr.write(`${name}: what is under way comes to its end; again leaves at once\n`);
  });
  try {
    const tortured = await victim.torture({
      kinds: kindsOf(options.kinds),
      points: (step) => points.test(step),
      share,
      pairs,
      seed,
      random: numberOf("--random", options.random, 1_000_000),
      replay: options.replay?.map(killOf),
      alike: options.all,
      keep: options.keep,
      onTrial: (trial) => tell(trial, options.json === true),
      signal: interrupts.signal,
    });
    const { subject, laws } = victim;
    const report = reportOf(tortured, { subject, laws, date: new Date(), seed, share, pairs });
    if (options.report !== undefined) {
      writeFileSync(options.report, `${JSON.stringify(report, undefined, 2)}\n`);
    }
    if (options.json === true) {
      process.stdout.write(jsonLine({ ...report, v: JSON_VERSION, type: "torture" }));
    } else {
      write(process.stdout, linesOf(report, victim.flags));
    }
    if (report.left > 0) return interrupts.exitCode() ?? EXIT.error;
    return report.failures.length === 0 ? EXIT.ok : EXIT.error;
  } catch (error) {
    const interrupted = interrupts.exitCode();
    if (interrupted === undefined) throw error;
    return interrupted;
  } finally {
    interrupts.stop();
  }
}

/** What is tortured. */
interface Victim {
  /** For a report. */
  readonly subject: string;
  readonly laws: readonly string[];
  /** What has to be said to torture it again. */
  readonly flags: readonly string[];
  torture(options: Torture): Promise<Tortured>;
}

function victimOf({ of = "quasar", agent: name }: TortureOptions): Victim {
  const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
  const agent = agentOf(name);
  if (of === "quasar") {
    const quasar = { file: process.execPath, args: [here("./main.js")] };
    return {
      subject: `quasar, two cycles, ${AGENTS[agent].name}`,
      laws: quasarLaws(agent),
      flags: agent === "scripted" ? [] : ["--agent", agent],
      torture: (options) => tortureQuasar({ ...options, quasar, agent }),
    };
  }
  if (of !== "atlas") throw usage(`--of: ${cleanLine(of)} is not quasar or atlas`);
  if (agent !== "scripted") throw usage("--agent: atlas is tortured with the scripted one");
  return {
    subject: `atlas, a bugfix, ${AGENTS[agent].name}`,
    laws: ATLAS_LAWS,
    flags: ["--of", "atlas"],
    torture: (options) => tortureAtlas({ ...options, atlas: here("./atlas.js") }),
  };
}

function usage(message: string): CliError {
  return new CliError("ERR_USAGE", message, { next: ["quasar torture --help"] });
}

/** How a report calls an agent, and the package that has it. */
const AGENTS: Readonly<Record<TorturedAgentName, { name: string; npm?: string | undefined }>> = {
  scripted: { name: "scripted agent" },
  claude: { name: "Claude Code", npm: "@anthropic-ai/claude-code" },
  codex: { name: "Codex", npm: "@openai/codex" },
};

function agentOf(text = "scripted"): TorturedAgentName {
  const agent = TORTURED_AGENTS.find((each) => each === text);
  if (agent === undefined) {
    throw usage(`--agent: ${cleanLine(text)} is not ${listOf(TORTURED_AGENTS)}`);
  }
  const { npm } = AGENTS[agent];
  if (npm === undefined || findProgram(agent, process.env["PATH"] ?? "") !== undefined)
    return agent;
  throw new CliError("ERR_NOT_INSTALLED", `there is no program ${agent} on the PATH`, {
    next: [`npm install -g ${npm}`, "quasar torture"],
  });
}

function patternOf(source = ""): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (cause) {
    throw new CliError("ERR_USAGE", `--points: ${cleanLine(source)} is no regular expression`, {
      cause,
    });
  }
}

function numberOf(flag: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && value >= 0 && value <= max) return value;
  throw usage(`${flag}: ${cleanLine(text)} is not a number from 0 to ${max}`);
}

function kindsOf(text = KILL_KINDS.join(",")): readonly KillKind[] {
  return text.split(",").map((name) => {
    const kind = KILL_KINDS.find((each) => each === name);
    if (kind === undefined) throw usage(`--kinds: ${cleanLine(name)} is not ${listOf(KILL_KINDS)}`);
    return kind;
  });
}

function listOf(names: readonly string[]): string {
  return names.join(" or ");
}

function killOf(text: string): Kill {
  const kill = parseKill(text);
  if (kill !== undefined) return kill;
  throw usage(`--replay: ${cleanLine(text)} is not like "runner at rename work/x #1"`);
}

/** A mark for each trial as it ends, where a person waits. */
function tell({ deviations }: Trial, isJson: boolean): void {
  if (!isJson && process.stderr.isTTY) process.stderr.write(deviations.length === 0 ? "." : "x");
}

function linesOf(report: TortureReport, flags: readonly string[]): readonly string[] {
  const points = Object.entries(report.points).filter(([, count]) => count > 0);
  const total = points.reduce((sum, [, count]) => sum + count, 0);
  const failures = report.failures.flatMap(({ kills, deviations, root }) => {
    const command = [
      "quasar torture --keep",
      ...flags,
      ...kills.map((kill) => `--replay '${kill}'`),
    ];
    return [
      "",
      ...kills.map(cleanLine),
      ...deviations.map(({ law, message }) => `  ${law}: ${cleanLine(message)}`),
      `  in ${root}`,
      ...nextLines([command.join(" ")], viewOf(process.stdout)),
    ];
  });
  return [
    `${total} steps: ${points.map(([kind, count]) => `${count} ${kind}`).join(", ")}`,
    "",
    ...tableOf(report),
    ...failures,
    "",
    ...(report.alike === 0
      ? []
      : [`${report.alike} kills cannot differ from these: --all makes them`]),
    ...(report.left === 0 ? [] : [`${report.left} kills were not made: it was interrupted`]),
    report.failures.length === 0
      ? `${report.trials} runs, nothing lost, in ${report.seconds} s`
      : `${report.failures.length} of ${report.trials} runs came out wrong, in ${report.seconds} s`,
  ];
}
