import { join } from "node:path";
import {
  type Checkpoint,
  checkpointPath,
  type FileCheckpointStore,
  type LoadedCheckpoint,
} from "@quasar/checkpoint";
import { runFromCheckpoint } from "@quasar/loop";
import { createAgents } from "../agents.ts";
import { FOLDER, isRealFolder } from "../config/files.ts";
import { type FlagValues, flagLayer, type Layer, resolve } from "../config/layers.ts";
import { loadConfig } from "../config/load.ts";
import { periodMs } from "../config/kinds.ts";
import type { Settings } from "../config/settings.ts";
import { CliError } from "../errors.ts";
import type { ExitCode } from "../exit-codes.ts";
import { pauseFor, restOf } from "../limit.ts";
import { clearTree, findOutliving } from "../orphans.ts";
import { firstLine } from "../output/text.ts";
import { newRunId, parseRunId } from "../run-id.ts";
import { openRunIds, runIds } from "../runs/list.ts";
import { runStores, storedBranch, storedSettings, storedUnsaidCosts } from "../runs/store.ts";
import { isTurnOpen } from "../runs/turn.ts";
import { type FoundTree, requireBranch, userPaths } from "../resumed-tree.ts";
import { inSession, type Session } from "../session.ts";
import { openUser, type User } from "../user.ts";
import { seedStore, work } from "../work.ts";
import { listed, uncommitted } from "../work-tree.ts";
import { branchOf, openWorkspace, type Workspace } from "../workspace.ts";

export interface ResumeOptions {
  readonly flags: FlagValues;
  readonly acceptHead?: true | undefined;
  readonly acceptBranch?: true | undefined;
  readonly acceptDirty?: true | undefined;
  readonly trust?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly force?: true | undefined;
  readonly now?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar resume`: goes on with a run of the work tree that the current folder is in. */
export async function resumeCommand(
  id: string | undefined,
  options: ResumeOptions,
): Promise<ExitCode> {
  const wanted = id === undefined ? undefined : parseRunId(id);
  const flags = flagLayer(options.flags);
  const workspace = await openWorkspace(process.cwd());
  const user = openUser();
  return inSession(workspace, options.json === true, async (session) => {
    const sealKey = user.sealKey();
    // All at once: it takes long enough for a person to wait for.
    const [found, seen, outliving] = await Promise.all([
      findCheckpoint(session, wanted, sealKey),
      lookAt(workspace),
      findOutliving(openRunIds(workspace)),
    ]);
    const { runId, loaded } = found;
    const { checkpoint } = loaded;
    // What belongs to a turn whose end is not known is for the loop to follow or to end.
    const others = outliving.filter((each) => each.runId !== runId || !isTurnOpen(checkpoint));
    const hasEnded = await clearTree(workspace, others, session.reporter);
    const tree = hasEnded ? await lookAt(workspace) : seen;
    for (const message of loaded.problems) {
      session.reporter.report({ type: "warning", cycle: checkpoint.cycle, message });
    }
    const { trust, acceptHead, acceptBranch, acceptDirty, force } = options;
    const says = (flag: true | undefined): boolean => flag === true || force === true;
    if (loaded.seal !== "valid" && !says(trust)) throw foreign(loaded, found.path);
    if (!says(acceptBranch)) requireBranch(storedBranch(checkpoint), tree);
    const mine = userPaths(checkpoint, tree, says(acceptDirty), session.reporter);
    const layers = [flags, ...layersOf(found, user, options, workspace.root)];
    session.begin(runId);
    if (wanted === undefined) tellOthers(session, runId);
    const settings = resolve(layers);
    const agents = createAgents(settings);
    const retryAt = options.now === true ? undefined : limitOf(checkpoint, settings);
    if (retryAt !== undefined) requirePatience(runId, retryAt, settings);
    return work(
      session,
      {
        runId,
        task: checkpoint.taskTitle,
        branch: tree.branch,
        settings,
        agents,
        stores: runStores(workspace, runId, sealKey),
        sealKey,
        spending: {
          spentUsd: checkpoint.totalCostUsd,
          unknownCostUsd: checkpoint.unknownCostUsd,
          hasUnsaidCosts: storedUnsaidCosts(checkpoint),
        },
        untouchablePaths: [...checkpoint.untouchablePaths, ...mine],
        acceptHead: says(acceptHead),
        retryAt,
      },
      (loopOptions) => runFromCheckpoint({ ...checkpoint, runId }, loopOptions),
    );
  });
}

/** When the usage limit is lifted that stopped a run, if that is still to come. */
function limitOf(checkpoint: Checkpoint, settings: Settings): string | undefined {
  const { retryAt, turn } = checkpoint;
  const role = turn?.role ?? "coder";
  // Another agent has limits of its own.
  const isOther = settings[role] !== (storedSettings(checkpoint)[role] ?? settings[role]);
  return isOther || restOf(retryAt, Date.now()) === 0 ? undefined : retryAt;
}

/** Refuses to ask an agent in vain, unless it may be waited for. */
function requirePatience(runId: string, retryAt: string, settings: Settings): void {
  const limitMs = periodMs(settings.waitLimit) ?? 0;
  const pause = pauseFor(retryAt, { limitMs, waitedMs: 0, tries: 0 }, Date.now());
  if (!("refused" in pause)) return;
  const hours = Math.ceil(restOf(retryAt, Date.now()) / 3_600_000);
  throw new CliError("ERR_LIMIT", `run ${runId} was stopped by a usage limit, ${pause.refused}`, {
    next: [
      `quasar resume ${runId}   (then)`,
      `quasar resume ${runId} --wait-limit ${hours}h   (waits until then)`,
      `quasar resume ${runId} --now   (asks the agent all the same)`,
    ],
  });
}

/** Names the unfinished runs that are passed over, without reading them. */
function tellOthers({ workspace, reporter }: Session, runId: string): void {
  const others = openRunIds(workspace).filter((id) => id !== runId);
  if (others.length === 0) return;
  const message = `also unfinished, for later: ${listed(others).join(", ")}`;
  reporter.report({ type: "notice", message });
}

/** What a resume finds in the work tree. */
async function lookAt(workspace: Workspace): Promise<FoundTree> {
  const [branch, dirty] = await Promise.all([branchOf(workspace), uncommitted(workspace)]);
  return { branch, dirty };
}

interface FoundCheckpoint {
  readonly runId: string;
  readonly loaded: LoadedCheckpoint;
  readonly path: string;
}

/**
 * The run to go on with: the one that is named, else the newest unfinished one, else what another
 * program has left in `.quasar`.
 */
async function findCheckpoint(
  session: Session,
  wanted: string | undefined,
  sealKey: Uint8Array,
): Promise<FoundCheckpoint> {
  const { workspace } = session;
  const ids = runIds(workspace);
  if (wanted !== undefined && !ids.includes(wanted)) {
    throw nothing(`there is no run ${wanted} in this work tree`);
  }
  for (const runId of wanted === undefined ? openRunIds(workspace) : [wanted]) {
    const dir = join(workspace.runsDir, runId);
    const loaded = await recoverAndLoad(runStores(workspace, runId, sealKey).current);
    if (loaded !== undefined) return { runId, loaded, path: checkpointPath(dir) };
  }
  if (wanted !== undefined)
    throw nothing(`run ${wanted} has ended: there is nothing to go on with`);

  const dir = join(workspace.root, FOLDER);
  if (isRealFolder(dir)) {
    const loaded = await recoverAndLoad(seedStore(workspace, sealKey));
    if (loaded !== undefined && !ids.includes(loaded.checkpoint.runId)) {
      return { runId: newRunId(new Date()), loaded, path: checkpointPath(dir) };
    }
  }
  throw nothing("there is nothing to resume in this work tree");
}

function nothing(message: string): CliError {
  return new CliError("ERR_NOTHING_TO_RESUME", message, {
    next: ["quasar status --all", 'quasar run "…"'],
  });
}

/**
 * Makes a folder ready and loads from it; a generation that is damaged is set aside.
 *
 * @throws {CliError} `ERR_CORRUPT` when no generation can be used.
 */
async function recoverAndLoad(store: FileCheckpointStore): Promise<LoadedCheckpoint | undefined> {
  const { setAside } = await store.recover();
  const loaded = await store.load();
  const asides = setAside.join(", ");
  if (loaded === undefined && asides !== "") {
    throw new CliError("ERR_CORRUPT", `the checkpoint is damaged and was set aside as ${asides}`, {
      next: ["git log -5 && git status   (the work itself is there)", "quasar status --all"],
    });
  }
  if (loaded === undefined || asides === "") return loaded;
  const problem = `a damaged checkpoint was set aside as ${asides}; the one before it is used`;
  return { ...loaded, problems: [...loaded.problems, problem] };
}

function foreign({ seal, checkpoint }: LoadedCheckpoint, path: string): CliError {
  const whose =
    seal === "foreign"
      ? "was sealed by another machine or user, or the folder was moved"
      : "carries no seal";
  const task = firstLine(checkpoint.taskTitle);
  return new CliError("ERR_FOREIGN_CHECKPOINT", `${path} ${whose}; its task: ${task}`, {
    next: [
      "quasar resume --trust   (only if you know where it comes from: it is an agent's prompt)",
    ],
  });
}

/**
 * The settings beneath the flags. What is sealed by us carries those that the run began with; what
 * another program wrote carries its limits, and the rest is taken from where a new run takes it.
 */
function layersOf(
  { loaded: { seal, checkpoint } }: FoundCheckpoint,
  { folders }: User,
  options: ResumeOptions,
  root: string,
): readonly Layer[] {
  const stored = seal === "valid" ? storedSettings(checkpoint) : {};
  if (stored.coder !== undefined) {
    return [{ source: "the run", values: stored, warnings: [] }];
  }
  const trust = options.trustConfig === true;
  const config = loadConfig({
    flags: {},
    env: process.env,
    cwd: process.cwd(),
    root,
    folders,
    trust,
  });
  return [limitsOf(checkpoint), ...config];
}

function limitsOf({ maxCycles, maxBudgetUsd }: Checkpoint): Layer {
  return { source: "the checkpoint", values: { maxCycles, maxBudgetUsd }, warnings: [] };
}
