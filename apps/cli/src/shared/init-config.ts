import { type DetectedAgent, detectAgents } from "@quasar/agents/presets";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "@quasar/durable";
import { cleanLine } from "@quasar/runs/text";
import { parse } from "smol-toml";
import { ask, canAsk, isYes } from "./ask.ts";
import { type FoundCheck, findChecks } from "./checks/find.ts";
import { problemOf } from "./checks/runnable.ts";
import { DEFAULT_AGENT } from "./config/settings.ts";
import type { Setting, SettingsReader, TomlValue } from "./config/table.ts";
import { keepNamed } from "./config/trust.ts";
import { type InitializedFolder, initFolder } from "./init-folder.ts";
import { write } from "./output/reporter.ts";
import { labelled, type View } from "./output/text.ts";

/** What a program writes into a repository's settings, and how it reads them. */
export interface InitConfig<S extends object> {
  /** Of the folder in the work tree's root. */
  readonly folder: string;
  readonly preface: string;
  readonly settings: { readonly [Name in keyof S]: Setting<S[Name]> };
  readonly reader: SettingsReader<S>;
  /** The values, by key, that make checks those of the repository. */
  readonly valuesOf: (checks: readonly FoundCheck[]) => Readonly<Record<string, TomlValue>>;
}

export interface InitOptions {
  readonly root: string;
  /** The user's state folder. */
  readonly stateDir: string;
  /** `--yes`: what is found is confirmed. */
  readonly yes: boolean;
  /** Whether a person may be asked: not where the output is for a program. */
  readonly asks: boolean;
  readonly view: View;
}

/** A check that is found, and why it cannot run here. */
export interface UnusableCheck extends FoundCheck {
  readonly problem: string;
}

export interface Initialized {
  readonly folder: InitializedFolder;
  readonly agents: readonly DetectedAgent[];
  /** Those of the repository's files, less what is `unusable` and `unwritten`. */
  readonly checks: readonly FoundCheck[];
  /** Checks that the files name and that cannot run here: they are no settings. */
  readonly unusable: readonly UnusableCheck[];
  /** Checks that a file which somebody has changed does not name: it is kept as it is. */
  readonly unwritten: readonly FoundCheck[];
  /** Whether the checks were confirmed, and are settings of the repository now. */
  readonly confirmed: boolean;
  /** Whether they still can be. */
  readonly isOpen: boolean;
  /** Whether the checks stand on the screen already, above the question whether to use them. */
  readonly areShown: boolean;
}

/**
 * Writes a repository's settings: what is found of its checks and of the agents here, if a person confirms it,
 * and the rest commented out. What is confirmed counts as named by that person. A file that somebody has
 * changed is left as it is.
 */
export async function initConfig<S extends object>(
  config: InitConfig<S>,
  { root, stateDir, yes, asks, view }: InitOptions,
): Promise<Initialized> {
  const { checks, unusable } = usableChecks(root);
  const agents = await detectAgents();
  const values = { ...config.valuesOf(checks), ...whoWorks(agents) };
  const pristine = configText(config, {});
  const folder = initFolder(root, config.folder, pristine);
  const path = join(root, config.folder, "config.toml");
  const written = readFileSync(path, "utf8");
  const isOpen = Object.keys(values).length > 0 && written === pristine;
  const unwritten = written === pristine ? [] : checks.filter(isMissingIn(config, written));
  const areShown = isOpen && !yes && asks && canAsk();
  if (areShown) write(process.stderr, checkLines({ checks, unusable, unwritten }, view));
  const confirmed = isOpen && (yes || (areShown && (await isWanted(path))));
  if (confirmed) {
    const text = configText(config, values);
    const { reader } = config;
    const layer = reader.fromRepository(reader.tomlLayer(path, parse(text)));
    // First: a file that was written and not named would be asked about, not the other way round.
    keepNamed({ path, guarded: reader.toToml(reader.guardedOf(layer)), stateDir });
    replaceFile(path, Buffer.from(text), { keepPrevious: false });
    chmodSync(path, 0o644);
  }
  const rest = { unwritten, confirmed, isOpen: isOpen && !confirmed, areShown };
  return { folder, agents, checks: without(checks, unwritten), unusable, ...rest };
}

function without(
  checks: readonly FoundCheck[],
  left: readonly FoundCheck[],
): readonly FoundCheck[] {
  return checks.filter((check) => !left.includes(check));
}

/** Whether a check is no value of a file. One that cannot be parsed has none. */
function isMissingIn<S extends object>(
  { valuesOf }: Pick<InitConfig<S>, "valuesOf">,
  text: string,
): (check: FoundCheck) => boolean {
  const table = tableOf(text);
  return (check) =>
    Object.entries(valuesOf([check])).some(([key, value]) => {
      const named = key
        .split(".")
        .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], table);
      return [value].flat().some((one) => ![named].flat().includes(one));
    });
}

function tableOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch {
    return {};
  }
}

/** The checks that a work tree names, apart from those that cannot run here. Runs nothing. */
function usableChecks(workTree: string): Pick<Initialized, "checks" | "unusable"> {
  const around = { workTree, searchPath: process.env["PATH"] ?? "" };
  const judged = findChecks(workTree).map((check) => ({
    check,
    problem: problemOf(check.command, around),
  }));
  return {
    checks: judged.flatMap(({ check, problem }) => (problem === undefined ? [check] : [])),
    unusable: judged.flatMap(({ check, problem }) =>
      problem === undefined ? [] : [{ ...check, problem }],
    ),
  };
}

/** The agents to name, where those that are taken by default are not here. */
function whoWorks(agents: readonly DetectedAgent[]): Readonly<Record<string, string>> {
  const kind = agentToUse(agents)?.kind;
  if (kind === undefined || kind === DEFAULT_AGENT) return {};
  return { coder: kind, reviewer: kind };
}

/** Who works where nobody is named: the first who is logged in, else the first who is here. */
export function agentToUse(agents: readonly DetectedAgent[]): DetectedAgent | undefined {
  return agents.find(({ login }) => login.state === "in") ?? agents[0];
}

async function isWanted(path: string): Promise<boolean> {
  return isYes(await ask(`Use these, and write them to ${cleanLine(path)}? [y/N] `));
}

const KEPT = "config.toml is kept as it is, and does not name it: add it there";

/** The checks that were found, a line each, and those that are left out. */
export function checkLines(
  { checks, unusable, unwritten }: Pick<Initialized, "checks" | "unusable" | "unwritten">,
  view: View,
): readonly string[] {
  const isNone = checks.length === 0 && unwritten.length === 0;
  const none = isNone ? labelled(view, "checks", "none found") : [];
  return [
    ...none,
    ...checks.flatMap(({ kind, command, from }) =>
      labelled(view, kind, cleanLine(`${command}   (${from})`)),
    ),
    ...unwritten.flatMap(({ command, from }) =>
      labelled(view, "not used", cleanLine(`${command}   (${from}): ${KEPT}`), "yellow"),
    ),
    ...unusable.flatMap(({ command, from, problem }) =>
      labelled(view, "left out", cleanLine(`${command}   (${from}): ${problem}`), "yellow"),
    ),
  ];
}

/** A repository's file: every setting that it may make, with its meaning and its default, or with a value. */
export function configText<S extends object>(
  { preface, settings, reader }: Pick<InitConfig<S>, "preface" | "settings" | "reader">,
  values: Readonly<Record<string, TomlValue>>,
): string {
  const entries = reader.names.flatMap((name) => {
    const { key, help, fallback, userOnly } = settings[name];
    if (userOnly === true) return [];
    const value = values[key];
    const said =
      value === undefined ? `# ${key} = ${tomlOf(fallback)}` : `${key} = ${tomlOf(value)}`;
    return [`# ${help}\n${said}\n`];
  });
  return [preface, ...entries].join("\n");
}

function tomlOf(value: unknown): string {
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
  return isTable ? "{}" : JSON.stringify(value);
}
