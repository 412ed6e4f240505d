import type { RepositoryFacts } from "@quasar/git";
import { getReady } from "@quasar/agents";
import { isTurnOpen, nextTurnId, runFromCheckpoint, type SeenTree } from "@quasar/loop";
import type { Checkpoint } from "@quasar/checkpoint";
import { agentsOf } from "../../shared/agents.ts";
import { programOf, requireRunnable } from "../../shared/checks/runnable.ts";
import { type FlagValues, flagLayer } from "../../shared/config/layers.ts";
import type { Settings } from "../../shared/config/settings.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { clearTree, lookAround, type Outliving } from "../orphans.ts";
import { type FoundCheckpoint, findCheckpoint, recoverAndLoad } from "../resume/find.ts";
import { acceptedBy, agentsWork, inspect, judge, usersPaths } from "../resume/judge.ts";
import { limitOf, requirePatience, withoutPause } from "../resume/limit.ts";
import { layersOf, resolveResumed } from "../resume/settings.ts";
import { parseRunId } from "../run-id.ts";
import { openRunIds } from "../runs/list.ts";
import { storedUnsaidCosts } from "../../shared/runs/store.ts";
import { turnsPath } from "../runs/turn.ts";
import { inSession, type Session } from "../session.ts";
import type { Typed } from "../../shared/typed.ts";
import { openUser, type User } from "../../shared/user.ts";
import { work } from "../work.ts";
import { freeGit } from "../git-locks.ts";
import { listed } from "../work-tree.ts";
import type { Workspace } from "../../shared/workspace.ts";

export interface ResumeOptions {
  readonly flags: FlagValues;
  readonly typed: Typed;
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
  const workspace = await opening;
  const user = openUser();
  return inSession(workspace, options.json === true, async (session) => {
    await freeGit(session);
    const sealKey = user.sealKey();
    const { outliving, isDeserted } = await lookAround(workspace);
    const found = await findCheckpoint(workspace, wanted, sealKey, recoverAndLoad);
    const dispose = getTurnReady(workspace, found, outliving);
    try {
      return await goOn(session, { found, outliving, isDeserted, user, sealKey, wanted, options });
    } finally {
      dispose();
    }
  });
}

const KEEPS_STYLE =
  "--commit-style auto changes nothing here: a resume keeps the style of the run's commits; name another: conventional, plain or seed";

/** What a run is gone on with. */
interface Course {
  readonly found: FoundCheckpoint;
  /** Of the runs of this tree, as it was before anything else was looked at. */
  readonly outliving: readonly Outliving[];
  /** Nobody is left in the work tree. */
  readonly isDeserted: boolean;
  readonly user: User;
  readonly sealKey: Uint8Array;
  /** The run that was asked for; `undefined`: any. */
  readonly wanted: string | undefined;
  readonly options: ResumeOptions;
}

async function goOn(session: Session, course: Course): Promise<ExitCode> {
  const { found, outliving, isDeserted, user, sealKey, wanted, options } = course;
  const { workspace } = session;
  const { runId, loaded, stores } = found;
  const { checkpoint } = loaded;
  if (!isDeserted) {
    // What belongs to a turn whose end is not known is for the loop to follow or to end.
    const others = outliving.filter((each) => each.runId !== runId || !isTurnOpen(checkpoint));
    await clearTree(workspace, others, session.reporter);
  }
  // Last: who has gone by now has written nothing after what is seen here.
  const facts = await inspect(workspace, found);
  for (const message of loaded.problems) {
    session.reporter.report({ type: "warning", cycle: checkpoint.cycle, message });
  }
  const judgement = judge(workspace, found, facts);
  const accepts = acceptedBy(options);
  for (const { what, error } of judgement.obstacles) {
    if (what === undefined || !accepts.has(what)) throw error;
    session.note({ type: "accepted", what, why: error.message });
  }
  const taken = agentsWork(judgement);
  if (taken !== undefined) session.reporter.report({ type: "notice", message: taken });
  const flags = flagLayer(options.flags);
  const beneath = layersOf(found, user, options, workspace.root);
  session.begin(runId);
  if (wanted === undefined) tellOthers(session, runId);
  const settings = resolveResumed(flags, beneath);
  if (flags.values.maxBudgetUsd === undefined) {
    for (const message of beneath.flatMap(({ warnings }) => warnings)) {
      session.reporter.report({ type: "warning", cycle: checkpoint.cycle, message });
    }
  }
  if (flags.values.commitStyle === "auto") {
    session.reporter.report({ type: "warning", cycle: checkpoint.cycle, message: KEEPS_STYLE });
  }
  const agents = agentsOf(settings, checkpoint);
  requirePrograms(settings, checkpoint, workspace.root);
  const retryAt = options.now === true ? undefined : limitOf(checkpoint, settings);
  if (retryAt !== undefined) requirePatience(runId, retryAt, settings);
  // While a limit is waited for the tree may become another one.
  const asked = options.now === true ? withoutPause(checkpoint) : checkpoint;
  const seen = retryAt === undefined ? treeOf(facts, outliving) : undefined;
  return work(
    session,
    {
      runId,
      task: checkpoint.taskTitle,
      branch: facts.branch,
      settings,
      agents,
      stores,
      left: checkpoint,
      sealKey,
      baseCommit: checkpoint.baseCommitSha,
      spending: {
        spentUsd: checkpoint.totalCostUsd,
        unknownCostUsd: checkpoint.unknownCostUsd,
        hasUnsaidCosts: storedUnsaidCosts(checkpoint),
      },
      untouchablePaths: [...checkpoint.untouchablePaths, ...usersPaths(judgement)],
      typed: options.typed,
      acceptHead: accepts.has("head"),
      acceptBranch: accepts.has("branch"),
      retryAt,
    },
    (loopOptions) => runFromCheckpoint({ ...asked, runId }, { ...loopOptions, seen }),
  );
}

/**
 * Refuses a run whose checks have no program on the PATH, unless a turn may be under way. A file of the work tree
 * is for the coder to bring back.
 *
 * @throws {CliError} `ERR_CHECK`
 */
function requirePrograms({ lint, filter }: Settings, checkpoint: Checkpoint, root: string): void {
  if (isTurnOpen(checkpoint) || checkpoint.phase === "approved") return;
  const named = [...lint, ...filter].filter((check) => programOf(check)?.includes("/") !== true);
  requireRunnable(named, { workTree: root, searchPath: process.env["PATH"] ?? "" });
}

/**
 * A turn that was killed is mostly taken again, after some looking around. Where an agent may live on
 * its turn is followed.
 */
function getTurnReady(
  workspace: Workspace,
  { runId, loaded }: FoundCheckpoint,
  outliving: readonly Outliving[],
) {
  const { checkpoint } = loaded;
  if (outliving.length > 0 || !isTurnOpen(checkpoint)) return () => {};
  const turnId = nextTurnId({ ...checkpoint, runId });
  return getReady({ runId, turnId, turnsDir: turnsPath(workspace, runId) });
}

/** What the loop need not ask git again: a tree is clean for certain where nobody was left to work in it. */
function treeOf(
  { head, branch = "HEAD", dirty }: RepositoryFacts,
  outliving: readonly Outliving[],
): SeenTree {
  return { head, branch, clean: dirty.length === 0 && outliving.length === 0 };
}

/** Names the unfinished runs that are passed over, without reading them. */
function tellOthers({ workspace, reporter }: Session, runId: string): void {
  const others = openRunIds(workspace).filter((id) => id !== runId);
  if (others.length === 0) return;
  const message = `also unfinished, for later: ${listed(others).join(", ")}`;
  reporter.report({ type: "notice", message });
}
