import { allSettings, isUnchanged } from "../all-settings.ts";
import type { SignalOptions } from "../head.ts";
import type { Repository } from "../repository.ts";
import { digestOf } from "./digest.ts";

type Texts = Readonly<Record<string, string>>;

/** The settings of git that hold in a work tree, and the files that they come from. */
export interface FoundSettings {
  /** By name, section and key in lower case; several values of one are joined by NUL, the one that holds last. */
  readonly values: Texts;
  /** What each file holds, as a digest; `""` where it is missing and would be read. */
  readonly sources: Texts;
}

/** Starts a git process only as `allSettings` does, and none while the files are what they were at the `last` time. */
export async function readSettings(
  repository: Repository,
  last: FoundSettings | undefined,
  options: SignalOptions,
): Promise<FoundSettings> {
  if (last !== undefined && isUnchanged(Object.entries(last.sources))) return last;
  const { settings, sources } = await allSettings(repository.root, options);
  const values = new Map<string, string>();
  for (const { scope, name, value = "" } of settings) {
    // What every read sets itself.
    if (scope === "command") continue;
    const before = values.get(name);
    const shown = withDigests(name, value);
    values.set(name, before === undefined ? shown : `${before}\0${shown}`);
  }
  return { values: Object.fromEntries(values), sources: Object.fromEntries(sources) };
}

/** The values that hold, of settings that have one. */
export function valuesInForce(settings: Texts): ReadonlyMap<string, string> {
  const last = (values: string): string => values.slice(values.lastIndexOf("\0") + 1);
  return new Map(Object.entries(settings).map(([name, values]) => [name, last(values)]));
}

const SECRET = /extraheader|password|token|secret/u;

/** A login and what is secret by its name are known by a digest: these texts are stored and shown. */
export function withDigests(name: string, value: string): string {
  if (SECRET.test(name)) return `(${digestOf(value).slice(0, DIGITS)})`;
  return value.replace(LOGIN, (_, login: string) => `://(${digestOf(login).slice(0, DIGITS)})@`);
}

const LOGIN = /:\/\/([^/@\s"]*)@/gu;
/** Enough to see a change, too few to find a password by. */
const DIGITS = 6;
