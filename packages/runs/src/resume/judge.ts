import { turnEndedAt } from "@quasar/agents/turns";
import type { LoadedCheckpoint } from "@quasar/checkpoint";
import { inspectRepository, type RepositoryFacts } from "@quasar/git";
import { changedAfter } from "@quasar/git/internal";

import { storedBranch } from "@quasar/loop/internal";
import {
  assessResume,
  type Override as TreeOverride,
  type Refusal,
  type ResumeAssessment,
} from "@quasar/loop/resume";
import { isAgentAlive, isTurnOpen } from "@quasar/loop/turn";
import { RunsError, type RunsErrorCode } from "../errors.ts";
import { IS_A_PROMPT, type NextStep } from "../next-step.ts";
import type { Notice } from "../events.ts";
import { cleanLine } from "../text/clean.ts";
import { firstLine } from "../text/first-line.ts";
import { dirtyTree, listed } from "../work-tree.ts";
import { turnsPath } from "../look/turn.ts";
import { repositoryOf, type Workspace } from "../workspace.ts";
import type { FoundCheckpoint } from "./find.ts";

/** What a user may accept, each by a flag of its own. */
export type Override = "trust" | "branch" | "head" | "dirty" | "settings";

/** Why a run is not resumed. */
export interface Obstacle {
  /** `undefined`: it has to be put right, nothing that is said can help. */
  readonly what: Override | undefined;
  readonly error: RunsError;
}

/** What was found of a run and its tree, judged. */
export interface RunAssessment {
  /** In the order in which they are reported. */
  readonly obstacles: readonly Obstacle[];
  readonly assessment: ResumeAssessment;
  /** The agent of its unfinished turn works on. */
  readonly isAlive: boolean;
}

/** What has become of the work tree since a run's last save. Changes nothing. */
export function inspect(workspace: Workspace, found: FoundCheckpoint): Promise<RepositoryFacts> {
  const { checkpoint } = found.loaded;
  return inspectRepository(workspace.root, {
    since: checkpoint.gitSha,
    branch: storedBranch(checkpoint),
    repository: repositoryOf(workspace),
  });
}

/** Judges whether a run can be resumed in the tree as it is found. */
export function judge(
  workspace: Workspace,
  found: FoundCheckpoint,
  facts: RepositoryFacts,
): RunAssessment {
  const { loaded } = found;
  const { checkpoint } = loaded;
  const isAlive = isAgentAlive(checkpoint);
  const changedSince = changedSinceEnd(workspace, loaded, facts);
  const assessment = assessResume(facts, { checkpoint, agentIsAlive: isAlive, changedSince });
  const foreign = loaded.seal === "valid" ? [] : [foreignCheckpoint(found)];
  const inTree = assessment.refusals.map((refusal) => obstacleOf(refusal, assessment));
  return { obstacles: [...foreign, ...inTree], assessment, isAlive };
}

/** What has changed after the agent of an unfinished turn had ended: nobody of the run was there. */
function changedSinceEnd(
  workspace: Workspace,
  { checkpoint, seal }: LoadedCheckpoint,
  { dirty }: RepositoryFacts,
): readonly string[] {
  const { runId, turn } = checkpoint;
  if (turn === undefined || seal !== "valid" || !isTurnOpen(checkpoint)) return [];
  const turnsDir = turnsPath(workspace, runId);
  const endedAt = turnEndedAt({ runId, turnId: turn.id, turnsDir });
  if (endedAt === undefined) return [];
  return changedAfter(
    workspace.root,
    dirty.map(({ path }) => path),
    endedAt,
  );
}

const CODES: Readonly<Record<Exclude<Refusal["check"], "dirty">, RunsErrorCode>> = {
  bare: "ERR_NOT_A_REPOSITORY",
  operation: "ERR_DIRTY",
  branch: "ERR_BRANCH_CHANGED",
  head: "ERR_HEAD_MOVED",
};

const OVERRIDES: Readonly<Record<TreeOverride, Override>> = {
  "accept-branch": "branch",
  "accept-head": "head",
  "accept-dirty": "dirty",
  "accept-settings": "settings",
};

const DIRTY_STEPS: readonly NextStep[] = [
  { shell: "git add -A && git commit -m …", ...accepting("head"), note: "or git stash -u" },
  { ...accepting("dirty"), note: "quasar never commits your changes" },
];

function accepting(what: Override): NextStep {
  return { do: "resume", options: { accepts: [what] } };
}

function obstacleOf(refusal: Refusal, { dirty }: ResumeAssessment): Obstacle {
  const { check, message, advice, alternative, override } = refusal;
  if (check === "dirty") return { what: "dirty", error: dirtyTree(dirty.paths, DIRTY_STEPS) };
  const what = override && OVERRIDES[override];
  const next: readonly NextStep[] = [
    ...(advice === undefined ? [] : [{ note: advice }]),
    ...(alternative === undefined ? [] : [{ shell: alternative, note: "instead" }]),
    ...(what === undefined ? [] : [accepting(what)]),
  ];
  return { what, error: new RunsError(CODES[check], message, { next }) };
}

function foreignCheckpoint({ loaded: { seal, checkpoint }, path }: FoundCheckpoint): Obstacle {
  const whose =
    seal === "foreign"
      ? "was sealed by another machine or user, or the folder was moved"
      : "carries no seal";
  const task = firstLine(checkpoint.taskTitle);
  const message = `${cleanLine(path)} ${whose}; its task: ${task}`;
  const next = [{ ...accepting("trust"), note: IS_A_PROMPT }];
  return { what: "trust", error: new RunsError("ERR_FOREIGN_CHECKPOINT", message, { next }) };
}

/** The user's own changes, which a run leaves alone; none where they are an agent's. */
export function usersPaths({ assessment: { dirty } }: RunAssessment): readonly string[] {
  return dirty.whose === "user" ? dirty.paths : [];
}

/** What is taken for an agent's own, in words; `undefined` where there is nothing. */
export function agentsWork({ assessment: { dirty }, isAlive }: RunAssessment): Notice | undefined {
  const { whose, paths } = dirty;
  if (whose === "nobody" || whose === "user") return undefined;
  const work = isAlive ? "the work of the agent that is still running" : WORK_OF[whose];
  return { type: "notice", message: `taken as ${work}: ${listed(paths).join(", ")}` };
}

const WORK_OF: Readonly<Record<"agent" | "checks" | "reviewer", string>> = {
  agent: "the work of the coder's unfinished turn",
  checks: "what the checks or a git hook changed",
  reviewer: "what the reviewer changed, and undone",
};

/** What the loop's assessment calls the same. */
export function loopOverrides(accepts: ReadonlySet<Override>): ReadonlySet<TreeOverride> {
  const names = Object.keys(OVERRIDES) as TreeOverride[];
  return new Set(names.filter((name) => accepts.has(OVERRIDES[name])));
}
