import type { Redactor } from "@quasar/agents/environment";
import type { GitError, Repository } from "@quasar/git";
import {
  findHooks,
  type HooksFound,
  type HooksFoundOptions,
  type PushPlace,
  pushPlace,
  withoutSecrets,
} from "@quasar/git/internal";
import { pushTarget } from "@quasar/git/remotes";
import { shellWord } from "@quasar/runs/text";
import { boundText } from "../state/bounds.ts";
import type { NebulaState } from "../state/state.ts";

/** Where a push goes, and what runs with it. */
export interface PushWay {
  /** As git takes it: a name or a URL, with a login where it has one. */
  readonly remote: string;
  readonly place: PushPlace;
  /** Those that run from the work tree that pushes. */
  readonly hooks: HooksFound;
}

/** Where a push of the branch would go now, or why nowhere. @throws {GitError} */
export async function findPushWay(
  repository: Repository,
  branch: string,
  options: HooksFoundOptions,
): Promise<PushWay | { readonly problem: string }> {
  const { root } = repository;
  const { remote, remotes } = await pushTarget(root, branch, options);
  if (remote === undefined) return { problem: noRemote(remotes) };
  const place = await pushPlace(root, remote, options);
  return { remote, place, hooks: await findHooks(repository, options) };
}

/** Why nothing is pushed, as it is stored and shown. */
export function shownProblem(problem: string, redact: Redactor): string {
  return boundText(redact(problem));
}

/** Git can say a URL with the login that stands in it. */
export function problemOf({ message }: GitError): { readonly problem: string } {
  return { problem: withoutSecrets(message) };
}

function noRemote([first]: readonly string[]): string {
  if (first === undefined) return "the repository has no remote";
  const choose = `git config remote.pushDefault ${shellWord(withoutSecrets(first))}`;
  return `which of its remotes is meant is not known: ${choose}`;
}

/** Why it may not be pushed that way: it is not, or may not be, the one that a person has asked for. */
export function otherWay(state: NebulaState, { place, hooks }: PushWay): string | undefined {
  const { pushRemote, pushUrl, pushDigest } = state;
  if (place.digest === pushDigest) return otherHooks(state, hooks);
  const now = shown(place.remote, place.url);
  if (pushDigest === "") {
    return `where it goes was not known when it was asked for, and would be ${now} now. ${byHandOr(state, place)}`;
  }
  const was = shown(pushRemote, pushUrl);
  const asked = { remote: pushRemote, url: pushUrl };
  if (was === now) {
    return `the login or the rewriting of ${was} is not what it was when the push was asked for. ${byHandOr(state, asked)}`;
  }
  return `it was asked for when it went to ${was}, and would go to ${now} now. ${byHandOr(state, asked)}`;
}

function otherHooks(state: NebulaState, { folder, digest }: HooksFound): string | undefined {
  const { pushRemote: remote, pushUrl: url, pushHooks } = state;
  if (digest !== "" && digest === pushHooks) return undefined;
  const isKnown = digest !== "" && pushHooks !== "";
  const what = isKnown ? "are not" : "cannot all be read, and so may not be";
  const words = `the git hooks in ${folder} ${what} what they were when the push was asked for`;
  return `${words}. ${byHandOr(state, { remote, url })}`;
}

function shown(remote: string, url: string): string {
  return remote === url ? url : `${remote} (${url})`;
}

/** What a person types who wants the branch pushed as it is. */
export function byHand(
  { branch }: Pick<NebulaState, "branch">,
  { remote, url }: Pick<PushPlace, "remote" | "url">,
): string {
  // Of several URLs, and of one that was cut, only the name is one that git takes.
  const to = /, |…$/u.test(url) ? remote : url;
  return `By hand: git push ${shellWord(to)} ${shellWord(branch)}`;
}

function byHandOr(...push: Parameters<typeof byHand>): string {
  return `${byHand(...push)}; or accept what is there now: resume with --push --accept-settings`;
}
