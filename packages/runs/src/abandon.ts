import { findRunProcesses } from "@quasar/agents/turns";
import { giveUpTurn } from "@quasar/loop/turn";
import { forgetSeed } from "./compatibility.ts";
import { lockWorkspace } from "./driving/lock.ts";
import { endLeftover } from "./driving/orphans.ts";
import { RunsError } from "./errors.ts";
import { noteFact } from "./journal/journal.ts";
import { findRun } from "./look/find.ts";
import { packEndedRuns } from "./snapshots/pack.ts";
import { archiveGivenUp, runStores } from "./store.ts";
import { processes } from "./text/format.ts";
import type { User } from "./user/user.ts";
import { uncommitted } from "./work-tree.ts";
import type { Workspace } from "./workspace.ts";

export interface AbandonOptions {
  /** Asked where its agent still works, or nobody can know (no process is named): whether it may be ended. @default no */
  readonly mayEnd?: ((pids: readonly number[]) => boolean | Promise<boolean>) | undefined;
  /** Told what could not be kept on record. @default nobody */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** What giving a run up has done. */
export interface Abandoned {
  readonly runId: string;
  /** The run's task. */
  readonly task: string;
  /** The processes of its agent that were ended. */
  readonly ended: readonly number[];
  /** Paths that are not committed and stay as they are. */
  readonly uncommitted: readonly string[];
}

/**
 * Gives a run up. Its agents are ended where they may be; its files, commits and snapshots stay, the
 * snapshots in its files.
 *
 * @throws {RunsError} `ERR_NOTHING_TO_RESUME` where it has ended; `ERR_AGENT_ALIVE` where its agent works and may
 *   not be ended; `ERR_LOCKED`; `ERR_STATE`.
 */
export async function abandonRun(
  workspace: Workspace,
  user: Pick<User, "sealKey">,
  runId: string,
  { mayEnd = () => false, onProblem = () => {} }: AbandonOptions = {},
): Promise<Abandoned> {
  const lock = await lockWorkspace(workspace);
  try {
    const { dir, ended, loaded } = await findRun(workspace, runId);
    if (ended) {
      throw new RunsError("ERR_NOTHING_TO_RESUME", `run ${runId} has ended already`, {
        next: [{ do: "show", runId }],
      });
    }
    const found = findRunProcesses(runId);
    const pids = found ?? [];
    const isGone = found?.length === 0;
    if (!isGone && !(await mayEnd(pids))) throw agentWorks(runId, found);
    await endLeftover({ runId, pids });
    noteFact(dir, { type: "abandoned" }, onProblem);
    await forgetSeed(workspace, runId);
    await giveUp(workspace, runId, user.sealKey());
    await packEndedRuns(workspace, { onProblem });
    const task = loaded.checkpoint.taskTitle;
    return { runId, task, ended: pids, uncommitted: await uncommitted(workspace) };
  } finally {
    lock.release();
  }
}

function agentWorks(runId: string, pids: readonly number[] | undefined): RunsError {
  const why =
    pids === undefined
      ? "whether its agent still works cannot be seen"
      : `its agent still works: ${processes(pids)}`;
  const message = `run ${runId} is not abandoned: ${why}`;
  return new RunsError("ERR_AGENT_ALIVE", message, {
    next: [
      { do: "abandon", runId, options: { mayEnd: true }, note: "ends it" },
      { do: "resume", runId, note: "follows it" },
    ],
  });
}

const GIVEN_UP = "its user gave it up";

/** The turn that is under way counts with all that it was allowed to spend. */
async function giveUp(workspace: Workspace, runId: string, sealKey: Uint8Array): Promise<void> {
  const loaded = await runStores(workspace, runId, sealKey).current.load();
  if (loaded === undefined) return;
  // What this machine did not write does not become its own by being given up.
  const stores = runStores(workspace, runId, loaded.seal === "valid" ? sealKey : undefined);
  await archiveGivenUp(stores, giveUpTurn(loaded.checkpoint, GIVEN_UP), GIVEN_UP);
}
