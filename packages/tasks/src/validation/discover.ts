import { packageManagerOf, packageScripts } from "@quasar/loop/internal";
import type { ValidationCommand, ValidationConfig } from "../task-record.ts";

export interface DiscoverOptions {
  /** What a person has configured; what is missing is searched for, or is the default. */
  readonly config?: Partial<Omit<ValidationConfig, "source">> | undefined;
}

/** Milliseconds for each command. */
export const DEFAULT_VALIDATION_TIMEOUT = 10 * 60_000;
export const DEFAULT_MAX_FIXES = 2;

/**
 * The commands that a task is validated by: those that are configured, else the scripts of the work
 * tree's `package.json`, else none. Nothing is made up, and nothing is run.
 *
 * A `package.json` that is no regular file, has more than 1 MiB or is no JSON counts as none.
 *
 * @param worktree - Absolute path of the work tree's root.
 * @see SPEC.md, "Validation commands"
 */
export function discoverCommands(
  worktree: string,
  { config = {} }: DiscoverOptions = {},
): ValidationConfig {
  const { timeoutMs = DEFAULT_VALIDATION_TIMEOUT, maxFixes = DEFAULT_MAX_FIXES } = config;
  const limits = { timeoutMs, maxFixes };
  if (config.commands !== undefined) {
    return { commands: config.commands, source: "config", ...limits };
  }
  const commands = commandsOfScripts(worktree);
  const source = commands.length === 0 ? "none" : "package.json";
  return { commands, source, ...limits };
}

/** In the order in which they run: what is quick and fails often comes first. Of each the first that exists. */
const SCRIPTS = [
  ["format-check", "format:check"],
  ["lint"],
  ["typecheck", "type-check"],
  ["test"],
] as const;

/** What `npm init` writes: it says that there is no test. */
const PLACEHOLDER = /no test specified/;

function commandsOfScripts(worktree: string): readonly ValidationCommand[] {
  const scripts = packageScripts(worktree);
  const runner = packageManagerOf(worktree);
  return SCRIPTS.flatMap((names) => {
    const found = names.find((name) => {
      const script = scripts.get(name);
      return script !== undefined && script.trim() !== "" && !PLACEHOLDER.test(script);
    });
    return found === undefined ? [] : [{ name: found, command: `${runner} run ${found}` }];
  });
}
