import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createOnce } from "@quasar/durable";
import { cleanLine, fit } from "@quasar/runs/text";
import { ask, canAsk, isYes } from "../ask.ts";
import { type CheckIdentity, identityOf } from "../checks/identity.ts";
import { CliError } from "../errors.ts";
import { write } from "../output/reporter.ts";
import type { TomlValue } from "./table.ts";

/** What a repository would run or spend, and who has said yes to it. */
export interface TrustOptions {
  /** The file that says so. */
  readonly path: string;
  /** What of it needs a yes, by key. */
  readonly guarded: Readonly<Record<string, TomlValue>>;
  /** The keys of it that name files which are copied, and run nothing. @default none */
  readonly copies?: readonly string[] | undefined;
  /** Where its commands are run. */
  readonly workTree: string;
  /** The user's state folder. */
  readonly stateDir: string;
  /** `--trust-config`: the user says yes now. */
  readonly trust: boolean;
}

/**
 * Refuses what a repository would run or spend unless the user has said yes to it. A yes is for one file with
 * one set of such values, and for what they run of the repository: scripts of package.json, and files. It is asked
 * for again when one of them changes. What the user named by themself is asked for no more.
 *
 * @throws {CliError} `ERR_UNTRUSTED_CONFIG`; names what would be run or spent.
 */
export function requireTrust({ trust, ...what }: TrustOptions): void {
  const untrusted = untrustedOf(what);
  if (untrusted === undefined) return;
  if (!trust) throw untrusted;
  untrusted.accept();
}

/** Whether it is refused without `--trust-config`, for who only shows it. */
export function isTrusted(what: Omit<TrustOptions, "trust">): boolean {
  return untrustedOf(what) === undefined;
}

function untrustedOf({
  path,
  guarded,
  copies = [],
  workTree,
  stateDir,
}: Omit<TrustOptions, "trust">): Untrusted | undefined {
  if (Object.keys(guarded).length === 0) return undefined;
  const runs = textsOf(guarded)
    .map((text) => identityOf(text.replace(/^(?:command|acp):/u, ""), workTree))
    .filter(({ scripts, files }) => Object.keys({ ...scripts, ...files }).length > 0);
  const trusted = runs.length === 0 ? [path, guarded] : [path, guarded, runs];
  const record = recordOf(stateDir, "trusted", trusted);
  if (existsSync(record) || existsSync(recordOf(stateDir, "named", [path, guarded])))
    return undefined;
  const accept = (): void => keep(record, { path, ...guarded });
  const settings = Object.entries(guarded).map(
    ([key, value]) => `  ${key} = ${fit(cleanLine(JSON.stringify(value)), 200)}`,
  );
  const copied = new Set(copies.flatMap((key) => textsOf(guarded[key] ?? [])));
  const missing = [...copied].filter((file) => !existsSync(join(workTree, file)));
  const lines = [
    ...settings,
    ...runs.flatMap((run) => linesOf(run, copied)),
    ...missing.map(
      (file) => `  ${fit(cleanLine(file), 100)} would be copied, and is not there now`,
    ),
  ];
  const does =
    copied.size > 0 ? "run programs, copy files or spend money" : "run programs or spend money";
  const message = `${cleanLine(path)} would ${does}:\n${lines.join("\n")}`;
  return new Untrusted(message, accept);
}

/** What its message shows needs a yes. */
class Untrusted extends CliError {
  /** Keeps the yes: for what was shown, whatever is in the files by then. */
  readonly accept: () => void;

  constructor(message: string, accept: () => void) {
    super("ERR_UNTRUSTED_CONFIG", message, {
      next: ["the same command with --trust-config, once, if you trust this repository"],
    });
    this.accept = accept;
  }
}

/**
 * What the first of several loads, where none of them needs a yes. Else all that they need is refused, and asked for, at
 * once.
 *
 * @throws {CliError} `ERR_UNTRUSTED_CONFIG`; what one of them throws for another reason.
 */
export function allTrusted<T>(load: () => T, ...others: readonly (() => void)[]): T {
  const untrusted: Untrusted[] = [];
  const attempt = <R>(each: () => R): R | undefined => {
    try {
      return each();
    } catch (error) {
      if (!(error instanceof Untrusted)) throw error;
      untrusted.push(error);
      return undefined;
    }
  };
  const loaded = attempt(load);
  for (const other of others) attempt(other);
  if (untrusted.length === 0) return loaded as T;
  const message = untrusted.map((each) => each.message).join("\n");
  throw new Untrusted(message, () => {
    for (const each of untrusted) each.accept();
  });
}

/** Keeps that a user has named these values themself, in this file. */
export function keepNamed({
  path,
  guarded,
  stateDir,
}: Pick<TrustOptions, "path" | "guarded" | "stateDir">): void {
  if (Object.keys(guarded).length === 0) return;
  keep(recordOf(stateDir, "named", [path, guarded]), { path, ...guarded });
}

/** Who is asked. */
export interface Person {
  readonly canAsk: () => boolean;
  readonly ask: (question: string) => Promise<string>;
}

/** Nobody is there to ask. */
export const NOBODY: Person = { canAsk: () => false, ask: async () => "" };

/**
 * Loads what may need a yes, and asks for it where there is somebody to ask; again, where it has changed while the
 * question stood.
 *
 * @throws what `load` throws; for a no too.
 */
export async function loadTrusted<T>(
  trust: boolean,
  load: (trust: boolean) => T,
  person: Person = { canAsk, ask },
): Promise<T> {
  for (;;) {
    try {
      return load(trust);
    } catch (error) {
      if (!(error instanceof Untrusted) || !person.canAsk()) throw error;
      write(process.stderr, error.message.split("\n"));
      if (!isYes(await person.ask("Do you trust this repository with it? [y/N] "))) throw error;
      error.accept();
    }
  }
}

function linesOf(
  { command, scripts, files }: CheckIdentity,
  copied: ReadonlySet<string>,
): readonly string[] {
  const parts = [
    ...Object.entries(scripts).map(([name, script]) => `script ${name}: ${script}`),
    ...Object.entries(files).map(([path, id]) => `file ${path} as it is now (${id.slice(0, 12)})`),
  ];
  return [
    `  ${fit(cleanLine(command), 100)} ${copied.has(command) ? "is copied" : "runs"}`,
    ...parts.map((part) => `    ${fit(cleanLine(part), 200)}`),
  ];
}

function textsOf(value: TomlValue): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" ? Object.values(value).flatMap(textsOf) : [];
}

function recordOf(stateDir: string, kind: "trusted" | "named", what: unknown): string {
  const digest = createHash("sha256").update(JSON.stringify(what)).digest("hex");
  return join(stateDir, kind, digest);
}

function keep(record: string, what: object): void {
  createOnce(record, Buffer.from(`${JSON.stringify(what)}\n`));
}
