import { GitError } from "@quasar/git";
import { note } from "../state/report.ts";
import type { Engine } from "../context/context.ts";
import type { ApplyOptions } from "./apply.ts";
import { findPushWay } from "./push-way.ts";

type Asked = Pick<ApplyOptions, "repository" | "push" | "acceptSettings" | "withoutOwnHook">;

/**
 * Records that a person asks for a push, where they do, and where it goes as they ask: agents may set another place later.
 * What was recorded before stays until it is accepted that it is another one.
 */
export async function askPush(
  { repository, push = false, acceptSettings = false, withoutOwnHook }: Asked,
  { store, tell, signal }: Pick<Engine, "store" | "tell" | "signal">,
): Promise<void> {
  const { isPushAsked, pushDigest, branch } = store.current;
  if (!push && !isPushAsked) return;
  const isKnown = pushDigest !== "";
  if (!acceptSettings && (isKnown || !push)) return;
  const options = { signal, withoutOwn: withoutOwnHook };
  const way = await findPushWay(repository, branch, options).catch(problemOf);
  if ("problem" in way) {
    store.askPush({ ...NOWHERE, pushProblem: way.problem });
    const message = `nothing can be pushed as it is: ${way.problem}`;
    note({ store, tell }, { type: "warning", message });
    return;
  }
  const { remote, url, digest } = way.place;
  const { digest: pushHooks } = way.hooks;
  const found = { pushRemote: remote, pushUrl: url, pushDigest: digest, pushHooks };
  store.askPush({ ...found, pushProblem: "" });
}

const NOWHERE = { pushRemote: "", pushUrl: "", pushDigest: "", pushHooks: "" };

function problemOf(error: unknown): { readonly problem: string } {
  if (error instanceof GitError) return { problem: error.message };
  throw error;
}
