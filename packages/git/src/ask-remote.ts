import type { SignalOptions } from "./head.ts";
import { remoteAccess, remoteFailed } from "./remote-access.ts";
import { checkRemote } from "./revision.ts";
import { gitOutside } from "./run.ts";

/**
 * Resolves where a remote answers, by its URL or absolute path, whatever it has. Only the user's own configuration
 * counts: the settings of a repository that one is in name nothing that runs.
 *
 * @throws {GitError} `ERR_REMOTE_AUTH`, `ERR_REMOTE_UNREACHABLE`, `ERR_INVALID_ARGUMENT`, `ERR_GIT_MISSING`,
 *   `ERR_GIT_FAILED`; the signal's reason when aborted.
 * @see SPEC.md, "Remotes"
 */
export async function askRemote(url: string, { signal }: SignalOptions = {}): Promise<void> {
  const args = ["ls-remote", "--upload-pack=git-upload-pack", "--", checkRemote(url), "HEAD"];
  const result = await gitOutside(args, { ...remoteAccess(process.env), signal });
  if (result.exitCode !== 0) throw remoteFailed(args, result);
}
