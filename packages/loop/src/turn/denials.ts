import type { AgentDenial, AgentFailure, AgentInvoker } from "@quasar/agents";
import { openedWords } from "../failure-options.ts";
import type { Run } from "../run.ts";
import { uncommitted } from "../repository/work-tree.ts";

/**
 * Whether there is work of the coder's to be checked: in the tree, or in a commit that is not the loop's
 * own. Git says so, because an agent may write by any tool, and an earlier attempt may have written it all.
 * Where there is no repository nobody can say, and the checks decide.
 */
export async function hasWork(run: Run): Promise<boolean> {
  const { state, runKind } = run;
  const { repository } = run.ports;
  if (repository === undefined || runKind.readsOnly) return true;
  try {
    const seen = await repository.look();
    const isKnown = [state.baseCommitSha, ...state.cycleCommits].includes(seen.head);
    return !isKnown || uncommitted(run, seen).length > 0;
  } catch {
    return true; // which is met again, and told, where the work is kept
  }
}

/** A coder that did nothing because it was not allowed to. */
export function refusal(
  { name, title = name }: AgentInvoker,
  denials: readonly AgentDenial[],
): AgentFailure {
  const list = denials.map(({ what }) => `\`${what}\``).join(", ");
  const were = denials.length === 1 ? "was" : "were";
  const opened = openedWords(denials.flatMap(({ allow }) => allow));
  const allowing = opened === "" ? "" : `. Allowing it opens ${opened}`;
  const message = `${title} made no changes: ${list} ${were} denied${allowing}`;
  return { kind: "refused-permissions", message, retryable: false, denials };
}
