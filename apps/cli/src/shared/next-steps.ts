import type { NextStep } from "@quasar/runs";
import { quotedWord, shellWord } from "@quasar/runs/text";
import { withRemark } from "./remark.ts";

type Call = NonNullable<NextStep["do"]>;
type Options = NonNullable<NextStep["options"]>;
/** What the options are where they are given. */
type Values = { readonly [O in keyof Options]-?: NonNullable<Options[O]> };

/** What a program can do of what a step may ask for. */
export interface Vocabulary {
  /** The command line of a call, without its flags; `undefined`: there is no such command. */
  command(call: Call, runId: string | undefined): string | undefined;
  /** The options that its commands have flags for. */
  readonly options: ReadonlySet<keyof Options>;
}

const HOUR_MS = 3_600_000;

type Flags = { readonly [O in keyof Values]: (value: Values[O]) => string };

/** The flag of each option, the same for all programs that have it, in the order of a command line. */
const FLAGS: Flags = {
  inWorktree: () => "--worktree",
  acceptDirty: () => "--accept-dirty",
  isNew: () => "--new",
  maxBudgetUsd: (usd) => `--max-budget ${usd}`,
  maxTurnBudgetUsd: (usd) => `--max-turn-budget ${usd}`,
  maxCycles: (count) => `--max-cycles ${count}`,
  cheaper: (role) => `--${role}-model <model>`,
  allowedTools: allowFlags,
  maxRequests: (count) => `--max-requests ${count}`,
  waitLimitMs: (ms) => `--wait-limit ${ms / HOUR_MS}h`,
  now: () => "--now",
  accepts: (all) =>
    all.map((what) => (what === "trust" ? "--trust" : `--accept-${what}`)).join(" "),
  at: (cycle) => `--at ${cycle}`,
  trust: () => "--trust",
  mayEnd: () => "--yes",
  stopped: () => "--stopped",
  follow: () => "--follow",
  fix: () => "--fix",
};

const NAMES = Object.keys(FLAGS) as readonly (keyof Options)[];

/** All options that a step may have. */
export const OPTIONS: ReadonlySet<keyof Options> = new Set(NAMES);

/** The flags that allow an agent what these rules name. */
export function allowFlags(rules: readonly string[]): string {
  return rules.map((rule) => `--allow-tool ${quotedWord(rule)}`).join(" ");
}

/** Steps as a person of the program types them, or does them, but for those that the program has no command for. */
export function inWords(steps: readonly NextStep[], vocabulary: Vocabulary): readonly string[] {
  return steps.map((step) => stepInWords(step, vocabulary)).filter((words) => words !== undefined);
}

function stepInWords(step: NextStep, vocabulary: Vocabulary): string | undefined {
  const { shell, note, workTree } = step;
  const called = step.do === undefined ? [] : [calledAs(step, vocabulary)];
  if (called.includes(undefined)) return undefined;
  const commands = [shell, ...called].filter((command) => command !== undefined);
  if (commands.length === 0) return note;
  const there = workTree === undefined ? [] : [`cd ${shellWord(workTree)}`];
  const line = [...there, ...commands].join(" && ");
  return note === undefined ? line : withRemark(line, note);
}

function calledAs(
  { do: call = "list", runId, options = {} }: NextStep,
  { command, options: known }: Vocabulary,
): string | undefined {
  const values = options as Values;
  const given = NAMES.filter((name) => options[name] !== undefined);
  const line = command(call, runId);
  if (line === undefined || given.some((name) => !known.has(name))) return undefined;
  const flags = given.map((name) => ` ${flagOf(name, values[name])}`).join("");
  return call === "start" ? `${line}${flags} "…"` : line + flags;
}

function flagOf<O extends keyof Values>(name: O, value: Values[O]): string {
  return FLAGS[name](value);
}
