import { GitError } from "@quasar/git";
import { note } from "../state/report.ts";
import type { Engine } from "../context/context.ts";
import type { ApplyOptions } from "./apply.ts";
import { findPushWay } from "./push-way.ts";

type Asked = Pick<ApplyOptions, "repository" | "push" | "acceptSettings">;

/**
 * Records that a person asks for a push, where they do, and where it goes as they ask: agents may set another place later.
 * What was recorded before stays until it is accepted that it is another one.
 */
export async function askPush(
  { repository: { root }, push = false, acceptSettings = false }: Asked,
  { store, tell, signal }: Pick<Engine, "store" | "tell" | "signal">,
): Promise<void> {
  const { isPushAsked, pushDigest, branch } = store.current;
  if (!push && !isPushAsked) return;
  const isKnown = pushDigest !== "";
  if (!acceptSettings && (isKnown || !push)) return;
  const way = await findPushWay(root, branch, { signal }).catch(problemOf);
  if ("problem" in way) {
    store.askPush({ ...NOWHERE, pushProblem: way.problem });
    const message = `nothing can be pushed as it is: ${way.problem}`;
    note({ store, tell }, { type: "warning", message });
    return;
  }
  const { remote, url, digest } = way.place;
  store.askPush({ pushRemote: remote, pushUrl: url, pushDigest: digest, pushProblem: "" });
}

const NOWHERE = { pushRemote: "", pushUrl: "", pushDigest: "" };

function problemOf(error: unknown): { readonly problem: string } {
  if (error instanceof GitError) return { problem: error.message };
  throw error;
}
