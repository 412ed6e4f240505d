import { runFromCheckpoint } from "@quasar/loop";
import { agentsOf } from "../agents.ts";
import { type FlagValues, flagLayer, resolve } from "../config/layers.ts";
import type { ExitCode } from "../exit-codes.ts";
import { clearTree, findOutliving, refuseStrangers } from "../orphans.ts";
import { findCheckpoint, recoverAndLoad } from "../resume/find.ts";
import { acceptedBy, agentsWork, inspect, judge, usersPaths } from "../resume/judge.ts";
import { limitOf, requirePatience } from "../resume/limit.ts";
import { layersOf } from "../resume/settings.ts";
import { parseRunId } from "../run-id.ts";
import { openRunIds, runIds } from "../runs/list.ts";
import { runStores, storedUnsaidCosts } from "../runs/store.ts";
import { isTurnOpen } from "../runs/turn.ts";
import { inSession, type Session } from "../session.ts";
import { openUser } from "../user.ts";
import { work } from "../work.ts";
import { freeGit } from "../git-locks.ts";
import { listed } from "../work-tree.ts";
import { repositoryOf, type Workspace } from "../workspace.ts";

export interface ResumeOptions {
  readonly flags: FlagValues;
  readonly acceptHead?: true | undefined;
  readonly acceptBranch?: true | undefined;
  readonly acceptDirty?: true | undefined;
  readonly trust?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly force?: true | undefined;
  readonly now?: true | undefined;
  readonly plan?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar resume`: goes on with a run of a work tree. */
export async function resumeCommand(
  id: string | undefined,
  options: ResumeOptions,
  opening: Promise<Workspace>,
): Promise<ExitCode> {
  const wanted = id === undefined ? undefined : parseRunId(id);
  const flags = flagLayer(options.flags);
  const workspace = await opening;
  const user = openUser();
  return inSession(workspace, options.json === true, async (session) => {
    await freeGit(session);
    const sealKey = user.sealKey();
    const outlivingAll = findOutliving(openRunIds(workspace));
    const found = await findCheckpoint(workspace, wanted, sealKey, recoverAndLoad);
    const { runId, loaded } = found;
    const { checkpoint } = loaded;
    // Both at once: it takes long enough for a person to wait for.
    const [looked, outliving] = await Promise.all([inspect(workspace, found), outlivingAll]);
    // What belongs to a turn whose end is not known is for the loop to follow or to end.
    const others = outliving.filter((each) => each.runId !== runId || !isTurnOpen(checkpoint));
    const hasEnded = await clearTree(workspace, others, session.reporter);
    await refuseStrangers(workspace, runIds(workspace));
    const facts = hasEnded ? await inspect(workspace, found) : looked;
    for (const message of loaded.problems) {
      session.reporter.report({ type: "warning", cycle: checkpoint.cycle, message });
    }
    const judgement = judge(found, facts);
    const accepts = acceptedBy(options);
    for (const { what, error } of judgement.obstacles) {
      if (what === undefined || !accepts.has(what)) throw error;
      session.note({ type: "accepted", what, why: error.message });
    }
    const taken = agentsWork(judgement);
    if (taken !== undefined) session.reporter.report({ type: "notice", message: taken });
    const layers = [flags, ...layersOf(found, user, options, workspace.root)];
    session.begin(runId);
    if (wanted === undefined) tellOthers(session, runId);
    const settings = resolve(layers);
    const agents = agentsOf(settings, checkpoint);
    const retryAt = options.now === true ? undefined : limitOf(checkpoint, settings);
    if (retryAt !== undefined) requirePatience(runId, retryAt, settings);
    // While a limit is waited for the tree may become another one.
    const seen =
      retryAt === undefined ? { repository: repositoryOf(workspace), head: facts.head } : undefined;
    return work(
      session,
      {
        runId,
        task: checkpoint.taskTitle,
        branch: facts.branch,
        settings,
        agents,
        stores: runStores(workspace, runId, sealKey),
        sealKey,
        spending: {
          spentUsd: checkpoint.totalCostUsd,
          unknownCostUsd: checkpoint.unknownCostUsd,
          hasUnsaidCosts: storedUnsaidCosts(checkpoint),
        },
        untouchablePaths: [...checkpoint.untouchablePaths, ...usersPaths(judgement)],
        acceptHead: accepts.has("head"),
        retryAt,
      },
      (loopOptions) => runFromCheckpoint({ ...checkpoint, runId }, { ...loopOptions, seen }),
    );
  });
}

/** Names the unfinished runs that are passed over, without reading them. */
function tellOthers({ workspace, reporter }: Session, runId: string): void {
  const others = openRunIds(workspace).filter((id) => id !== runId);
  if (others.length === 0) return;
  const message = `also unfinished, for later: ${listed(others).join(", ")}`;
  reporter.report({ type: "notice", message });
}
