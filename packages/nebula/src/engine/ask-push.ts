import { GitError } from "@quasar/git";
import { note } from "../state/report.ts";
import { NOWHERE } from "../state/state.ts";
import type { Engine } from "../context/context.ts";
import type { ApplyOptions } from "./apply.ts";
import { findPushWay, problemOf, shownProblem } from "./push-way.ts";

type Asked = Pick<ApplyOptions, "repository" | "push" | "acceptSettings" | "withoutOwnHook">;

/**
 * Records that a person asks for a push, where they do, and where it goes as they ask: agents may set another place later.
 * What was recorded before stays until it is accepted that it is another one.
 */
export async function askPush(
  { repository, push = false, acceptSettings = false, withoutOwnHook }: Asked,
  { store, tell, redact, signal }: Pick<Engine, "store" | "tell" | "redact" | "signal">,
): Promise<void> {
  const { isPushAsked, pushDigest, branch } = store.current;
  if (!push && !isPushAsked) return;
  const isKnown = pushDigest !== "";
  if (!acceptSettings && (isKnown || !push)) return;
  const options = { signal, withoutOwn: withoutOwnHook };
  const way = await findPushWay(repository, branch, options).catch(refused);
  if ("problem" in way) {
    const pushProblem = shownProblem(way.problem, redact);
    store.askPush({ ...NOWHERE, pushProblem });
    const message = `nothing can be pushed as it is: ${pushProblem}`;
    note({ store, tell }, { type: "warning", message });
    return;
  }
  const { remote, url, digest } = way.place;
  const { digest: pushHooks } = way.hooks;
  const found = { pushRemote: remote, pushUrl: url, pushDigest: digest, pushHooks };
  store.askPush({ ...found, pushProblem: "" });
}

function refused(error: unknown): ReturnType<typeof problemOf> {
  if (error instanceof GitError) return problemOf(error);
  throw error;
}
