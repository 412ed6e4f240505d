import { dirname, join, resolve } from "node:path";
import { pairOf } from "../config.ts";
import type { SignalOptions } from "../head.ts";
import type { Repository } from "../repository.ts";
import { gitOutput } from "../run.ts";
import { namedPath, userFiles } from "../user-files.ts";
import { digestOf, fileDigest } from "./digest.ts";

type Texts = Readonly<Record<string, string>>;

/** The settings of git that hold in a work tree, and the files that they come from. */
export interface FoundSettings {
  /** By name, section and key in lower case; several values of one are joined by NUL, the one that holds last. */
  readonly values: Texts;
  /** What each file holds, as a digest; `""` where it is missing and would be read. */
  readonly sources: Texts;
}

/** Starts one git process, and none while the files are what they were at the `last` time. */
export async function readSettings(
  repository: Repository,
  last: FoundSettings | undefined,
  options: SignalOptions,
): Promise<FoundSettings> {
  if (last !== undefined && isAsBefore(last.sources)) return last;
  const { root } = repository;
  const args = ["config", "--list", "--null", "--show-scope", "--show-origin"];
  const fields = (await gitOutput("read", root, args, options)).split("\0");
  const values = new Map<string, string>();
  const files = new Set(usualFiles(repository));
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin = "", entry = ""] = fields.slice(at, at + 3);
    // What every read sets itself.
    if (scope === "command") continue;
    const file = origin.startsWith("file:") ? resolve(root, origin.slice("file:".length)) : "";
    const [name, value] = pairOf(entry);
    const before = values.get(name);
    const shown = withDigests(name, value);
    values.set(name, before === undefined ? shown : `${before}\0${shown}`);
    if (file === "") continue;
    files.add(file);
    if (/^include(?:if\..*)?\.path$/su.test(name)) files.add(namedPath(value, dirname(file)));
  }
  const sources = [...files].map((file) => [file, fileDigest(file) ?? ""] as const);
  return { values: Object.fromEntries(values), sources: Object.fromEntries(sources) };
}

/** The values that hold, of settings that have one. */
export function valuesInForce(settings: Texts): ReadonlyMap<string, string> {
  const last = (values: string): string => values.slice(values.lastIndexOf("\0") + 1);
  return new Map(Object.entries(settings).map(([name, values]) => [name, last(values)]));
}

function isAsBefore(sources: Texts): boolean {
  return Object.entries(sources).every(([file, digest]) => (fileDigest(file) ?? "") === digest);
}

/** Where git looks for settings, whether there are any or not. */
function usualFiles(repository: Repository): readonly string[] {
  const { gitDir, commonDir } = repository;
  const { GIT_CONFIG_GLOBAL = "", GIT_CONFIG_SYSTEM = "" } = process.env;
  const ofUser =
    GIT_CONFIG_GLOBAL === "" ? userFiles(repository, new Map()).settings : [GIT_CONFIG_GLOBAL];
  const ofSystem = GIT_CONFIG_SYSTEM === "" ? "/etc/gitconfig" : GIT_CONFIG_SYSTEM;
  return [ofSystem, ...ofUser, join(commonDir, "config"), join(gitDir, "config.worktree")];
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
