import { allSettings } from "./all-settings.ts";
import type { Algorithm } from "./blob.ts";
import type { ConfigPair, Environment } from "./environment.ts";
import type { SignalOptions } from "./head.ts";
import { openRepository } from "./repository.ts";
import { oneLine } from "./text.ts";

/** The values in force, by name; section and key are in lower case, as git gives them. */
export type Config = ReadonlyMap<string, string>;

const ASKED =
  /^(?:filter\..*|core\.(?:worktree|sparsecheckout|autocrlf|eol|excludesfile|attributesfile)|extensions\.objectformat|(?:user|author|committer)\.(?:name|email))$/su;

/**
 * Reads what must be known before git may look at files: filters, identity, a moved work tree. Starts a git process only
 * as `allSettings` does.
 *
 * @throws {GitError} `ERR_FOREIGN_WORK_TREE`, and as `currentGitSha` does.
 */
export async function readConfig(workTree: string, options: SignalOptions): Promise<Config> {
  const { settings } = await allSettings(workTree, options);
  const asked = settings.filter(({ name }) => ASKED.test(name));
  const config: Config = new Map(asked.map(({ name, value = "" }) => [name, value]));
  if (config.has("core.worktree")) await openRepository(workTree, options);
  return config;
}

/** Parses `name LF value NUL`; a name that stands alone has no value. The last one wins. */
export function parseConfig(output: string): Config {
  return new Map(output.split("\0").slice(0, -1).map(pairOf));
}

/** Of `name LF value`. */
function pairOf(entry: string): ConfigPair {
  const end = entry.indexOf("\n");
  return end < 0 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
}

/** How the repository names its objects. */
export function algorithmOf(config: Config): Algorithm {
  return config.get("extensions.objectformat") === "sha256" ? "sha256" : "sha1";
}

/** The name of a setting of a filter; in a group the filter's. */
export const FILTER = /^filter\.(.*)\.[^.]*$/s;
/** What a filter has that does nothing. */
export const DISARMED: readonly ConfigPair[] = [
  ["clean", ""],
  ["smudge", ""],
  ["process", ""],
  ["required", "false"],
];

/** Configuration under which no filter of the repository or the user is started. */
export function disarmFilters(config: Config): readonly ConfigPair[] {
  const drivers = new Set([...config.keys()].flatMap((name) => FILTER.exec(name)?.[1] ?? []));
  return [...drivers].flatMap((driver) =>
    DISARMED.map(([key, value]): ConfigPair => [`filter.${driver}.${key}`, value]),
  );
}

/** Name and e-mail address, as they stand in a commit. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** Who a commit is by where the user has told git no name of their own. */
export const NEUTRAL: Identity = { name: "Quasar", email: "quasar@localhost" };

/** The committer that git would name, made of what is set; else the neutral one. */
export function committer(config: Config, environment: Environment): Identity {
  const known = (field: "name" | "email"): string | undefined =>
    environment[`GIT_COMMITTER_${field}`.toUpperCase()] ||
    config.get(`committer.${field}`) ||
    config.get(`user.${field}`) ||
    (field === "email" ? environment["EMAIL"] : undefined);
  const clean = (text: string): string => oneLine(text.replace(/[<>]/g, " "));
  return {
    name: clean(known("name") ?? "") || NEUTRAL.name,
    email: clean(known("email") ?? "") || NEUTRAL.email,
  };
}

/** Variables for what is not set of author and committer: git would guess or refuse. */
export function missingIdentity(config: Config, environment: Environment): Record<string, string> {
  const missing: Record<string, string> = {};
  for (const role of ["author", "committer"] as const) {
    for (const field of ["name", "email"] as const) {
      const variable = `GIT_${role}_${field}`.toUpperCase();
      const known =
        environment[variable] ||
        config.get(`${role}.${field}`) ||
        config.get(`user.${field}`) ||
        (field === "email" && environment["EMAIL"]);
      if (!known) missing[variable] = NEUTRAL[field];
    }
  }
  return missing;
}
