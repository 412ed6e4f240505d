import { join } from "node:path";
import type { SignalOptions } from "./head.ts";
import { isNewer } from "./newer.ts";
import type { Repository } from "./repository.ts";
import { git, gitFailed } from "./run.ts";

/** Settings of a repository by name, section and key in lower case; several values of one are joined by `, `. */
export type SteeringSettings = ReadonlyMap<string, string>;

const STEERING =
  "^(core\\.(hookspath|symlinks|filemode|attributesfile|excludesfile|sshcommand)|remote\\..*\\.(url|pushurl)|url\\..*|filter\\..*|include\\..*|includeif\\..*)$";

/**
 * The repository's own settings that change what git does for whoever commits or pushes in it: which git hooks and
 * filters run, what is committed, where it is pushed. Those of the user and the system are not among them.
 *
 * @throws {GitError} `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function steeringSettings(
  { root }: Pick<Repository, "root">,
  { signal }: SignalOptions = {},
): Promise<SteeringSettings> {
  const args = ["config", "--null", "--show-scope", "--get-regexp", STEERING];
  const result = await git("read", root, args, { signal });
  if (result.exitCode > 1) throw gitFailed(args, result);
  const fields = result.stdout.split("\0");
  const settings = new Map<string, string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope, entry = ""] = fields.slice(at, at + 2);
    if (scope !== "local" && scope !== "worktree") continue;
    const end = entry.indexOf("\n");
    const [name, value] = end < 0 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
    const before = settings.get(name);
    settings.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return settings;
}

/** Whether a file of the repository's own settings has changed since a moment. Starts no git process. */
export async function hasNewSettings(
  { gitDir, commonDir }: Pick<Repository, "gitDir" | "commonDir">,
  since: Date,
): Promise<boolean> {
  const files = [join(commonDir, "config"), join(gitDir, "config.worktree")];
  return (await Promise.all(files.map((path) => isNewer(path, since)))).includes(true);
}
