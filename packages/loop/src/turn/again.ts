import { failureReason } from "./failure-reason.ts";
import { giveTree } from "./give-tree.ts";
import { snapshotWork } from "./snapshot-work.ts";
import { inheritedRetries, pauseBeforeRetry } from "./retry.ts";
import type { Run } from "../run.ts";
import { sessionToResume } from "./session.ts";
import type { TurnFailure } from "./settle.ts";
import { isTurnPhase, ROLES } from "../transitions.ts";
import { takeTurn } from "./turn.ts";

/** Takes a turn again that failed: in its own session where that can be, else anew. */
export async function takeTurnAgain(run: Run): Promise<TurnFailure> {
  const { phase, turn, cycle, failure } = run.state;
  if (!isTurnPhase(phase)) return undefined;
  const role = ROLES[phase];
  const retries = inheritedRetries(run.state);
  const interrupted = await pauseBeforeRetry(run);
  if (interrupted !== undefined) return interrupted;
  if (phase === "reviewing") {
    const stale = await giveTree(run, true);
    if (stale === "unchecked") return undefined;
    if (stale !== undefined) return stale;
  }
  const writes = role === "coder" && !run.runKind.readsOnly;
  const tree = writes ? await snapshotWork(run) : "unknown";
  if (typeof tree === "object") return tree;
  const sessionId = sessionToResume(run, phase);
  const how = sessionId === "" ? "restarted" : "resumed";
  const reason = failureReason(failure, role);
  await run.emit({ type: "turn_recovered", cycle, role, turnId: turn?.id ?? "", how, reason });
  return takeTurn(run, phase, { attempt: (turn?.attempt ?? 0) + 1, sessionId, tree, retries });
}
