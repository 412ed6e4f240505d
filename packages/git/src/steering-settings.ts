import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isGone } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import type { Repository } from "./repository.ts";
import { userFiles } from "./user-files.ts";
import { git, gitFailed } from "./run.ts";

/** Settings of a repository by name, section and key in lower case; several values of one are joined by `, `. */
export type SteeringSettings = ReadonlyMap<string, string>;

const STEERING =
  "^(core\\.(hookspath|symlinks|filemode|attributesfile|excludesfile|sshcommand)|remote\\..*\\.(url|pushurl)|url\\..*|filter\\..*|include\\..*|includeif\\..*)$";

/**
 * The text of the settings of a user and of a repository, those of this work tree included; what they include from
 * elsewhere is not, nor are the machine's. Starts no git process.
 */
export async function settingsText(
  repository: Pick<Repository, "root" | "gitDir" | "commonDir">,
): Promise<string> {
  const { gitDir, commonDir } = repository;
  const { settings } = userFiles(repository, new Map());
  const paths = [...settings, join(commonDir, "config"), join(gitDir, "config.worktree")];
  return (await Promise.all(paths.map(textOf))).join("\n");
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isGone(error)) return "";
    throw error;
  }
}

/**
 * Of the text of settings those that change what git does for whoever commits or pushes in it: which
 * git hooks and filters run, what is committed, where it is pushed.
 *
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function steeringSettings(
  { root }: Pick<Repository, "root">,
  text: string,
  { signal }: SignalOptions = {},
): Promise<SteeringSettings> {
  const args = ["config", "--file", "-", "--null", "--get-regexp", STEERING];
  const result = await git("read", root, args, { signal, input: text });
  if (result.exitCode > 1) throw gitFailed(args, result);
  const settings = new Map<string, string>();
  for (const entry of result.stdout.split("\0").slice(0, -1)) {
    const end = entry.indexOf("\n");
    const [name, value] = end < 0 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
    const before = settings.get(name);
    settings.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return settings;
}
