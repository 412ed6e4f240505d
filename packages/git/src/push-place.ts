import { digestOf } from "./controls/digest.ts";
import { withDigests } from "./controls/settings.ts";
import type { SignalOptions } from "./head.ts";
import { withoutSecrets } from "./remote-access.ts";
import { checkRemote } from "./revision.ts";
import { git, gitFailed, gitOutput } from "./run.ts";
import { cut, oneLine } from "./text.ts";

/** Where pushes to a remote go, fit to store and to show. */
export interface PushPlace {
  /** Its name, or a URL. */
  readonly remote: string;
  /** The URLs that are pushed to, as the settings rewrite them. */
  readonly url: string;
  /** Another one for any other place, or login; no password can be found by it. */
  readonly digest: string;
}

const REWRITES = "^(url\\..*\\.(insteadof|pushinsteadof)|remote\\..*\\.(url|pushurl))$";

/**
 * Asks nobody: it is what the settings say.
 *
 * @param remote - A remote's name or a URL, as `pushTarget` tells.
 * @throws {GitError} `ERR_INVALID_ARGUMENT`, `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's
 *   reason when aborted.
 */
export async function pushPlace(
  workTree: string,
  remote: string,
  { signal }: SignalOptions = {},
): Promise<PushPlace> {
  const args = ["remote", "get-url", "--push", "--all", "--", checkRemote(remote)];
  const named = await git("read", workTree, args, { signal });
  const place = (urls: readonly string[], found: string): PushPlace => ({
    remote: shownPlace(remote),
    url: cut(urls.map(shownPlace).join(", "), LONGEST),
    digest: digestOf(withDigests("", JSON.stringify([remote, found]))),
  });
  if (named.exitCode === 0) {
    return place(named.stdout.trimEnd().split("\n"), named.stdout);
  }
  // Git says it of the remotes of the repository's own settings only.
  const all = ["config", "--null", "--get-regexp", REWRITES];
  const rewrites = await git("read", workTree, all, { signal });
  if (rewrites.exitCode > 1) throw gitFailed(all, rewrites);
  const url = await gitOutput("read", workTree, ["ls-remote", "--get-url", "--", remote], {
    signal,
  });
  return place([url], rewrites.stdout);
}

const LONGEST = 500;

/** The user of ssh belongs to the place, and is no secret. */
const SSH_USER = /^[a-z+]*ssh[a-z+]*:\/\/[^\s/:@]+@[^\s@]*$/iu;

/** A remote's name or URL as it may be stored and shown: without a login, in one line that has an end. */
function shownPlace(text: string): string {
  const line = oneLine(text);
  return cut(SSH_USER.test(line) ? line : withoutSecrets(line), LONGEST);
}
