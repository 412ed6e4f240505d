import type { AgentFailure } from "@quasar/agents";
import { presetOf } from "@quasar/agents/presets";
import type { FileChange } from "@quasar/git/history";
import type { TaskResult, WayBack } from "@quasar/loop";
import { failureOptions } from "@quasar/loop/internal";
import type { RunEnd } from "@quasar/runs";
import {
  continuedBy,
  knownUsd,
  limitSteps,
  logCommand,
  ownBranch,
  resumeStep,
} from "@quasar/runs/internal";
import { shellWord } from "@quasar/runs/text";
import { momentAfter } from "@quasar/runs/words";
import { loginStep } from "../shared/agent-programs.ts";
import type { Settings } from "../shared/config/settings.ts";
import { EXIT, type ExitCode } from "../shared/exit-codes.ts";
import type { ResultRecord } from "../shared/output/record.ts";
import { errnoIn, refusalNext } from "../shared/system-errors.ts";
import { type Typed, withTyped } from "../shared/typed.ts";
import { stepInWords, stepsInWords } from "./next-steps.ts";

/** What a person has to do about an agent's failure, where it takes a person. */
const PERSON: Readonly<Partial<Record<AgentFailure["kind"], string>>> = {
  billing: "look at the account's credit, then resume",
  "refused-permissions": "look at what the agent was not allowed to do",
};

/** The exit code of an agent's failure. */
export function exitOfFailure(failure: AgentFailure | undefined): ExitCode {
  switch (failure?.kind) {
    case "rate-limit":
      return EXIT.limit;
    case "budget":
    case "timeout-idle":
    case "timeout-total":
    case "turn-limit":
      return EXIT.budget;
    case "auth":
    case "billing":
    case "refused-permissions":
      return EXIT.person;
    default:
      return EXIT.error;
  }
}

/** @param interrupted - Exit code of the signal that stopped the run, if one did. */
export function exitOf(result: TaskResult, interrupted: ExitCode | undefined): ExitCode {
  switch (result.outcome) {
    case "approved":
      return EXIT.ok;
    case "struggling":
    case "max_cycles":
      return EXIT.notApproved;
    case "budget":
      return EXIT.budget;
    case "interrupted":
      return interrupted ?? EXIT.error;
    case "agent":
      return interrupted ?? exitOfFailure(result.agentFailure);
    case "work-tree":
    case "approved-differs":
      return EXIT.person;
    case "superseded":
      return EXIT.refused;
    case "checkpoint":
    case "storage":
    case "git":
    case "check":
      return EXIT.error;
  }
}

export interface EndOptions {
  /** Where the user has to go first to type what comes next; `undefined`: is there. */
  readonly folder: string | undefined;
  /** What the user has to type again; `undefined`: it is stored. */
  readonly typed?: Typed | undefined;
  /** Who works, in the words of the settings. */
  readonly agents: Pick<Settings, "coder" | "reviewer">;
  /** Whether the run has a check at all. */
  readonly checked: boolean;
  /** What its commits change. */
  readonly files: readonly FileChange[];
}

/** The record that ends a run. */
export function resultRecord(
  { result, limit }: RunEnd,
  exit: ExitCode,
  { folder, typed, agents, checked, files }: EndOptions,
): ResultRecord {
  const { outcome, runId, cycle, message, report } = result;
  const { totalCostUsd: spentUsd, unknownCostUsd: unknownUsd } = result;
  const { allFindings: findings, cycleCommits: commits } = result;
  const { baseCommitSha: baseSha, finalCommitSha: finalSha } = result;
  const { changed, caches } = result;
  const retryAt = result.agentFailure?.retryAt;
  return {
    type: "result",
    exit,
    outcome,
    runId,
    cycle,
    spentUsd,
    knownUsd: knownUsd({ spentUsd, unknownUsd }),
    unknownUsd,
    message,
    report,
    findings,
    baseSha,
    finalSha,
    commits,
    files,
    changed,
    checked,
    caches,
    retryAt,
    limit,
    next: [
      ...nextOf(result, agents)
        .map((step) => (typed === undefined ? step : withTyped(step, typed)))
        .map((step) => (folder === undefined ? step : inFolder(step, folder))),
      ...(folder === undefined ? [] : takingOver(result, folder)),
    ],
  };
}

/** What takes the work of a tree of its own into the one where the user is. */
function takingOver(
  { outcome, changed, runId, checkpoint: { branch } }: TaskResult,
  folder: string,
): readonly string[] {
  if (outcome !== "approved" || !changed || branch !== ownBranch(runId)) return [];
  return [
    `git merge ${branch}   # here: takes its commits`,
    `git worktree remove ${shellWord(folder)}   # then; the branch stays`,
  ];
}

function inFolder(step: string, folder: string): string {
  return /^(git|quasar) /u.test(step) ? `cd ${shellWord(folder)} && ${step}` : step;
}

/** What there is to see of a turn that made too many requests. */
function lookOf({ runId, agentFailure }: TaskResult): readonly string[] {
  if (agentFailure?.kind !== "turn-limit") return [];
  return [`quasar log ${runId}   # what the agent did; a hook of yours may keep its turn going`];
}

/** How a person logs in to the agent that failed for that; `undefined`: it failed for something else. */
function loginOf(
  { kind }: AgentFailure,
  { phase }: TaskResult["checkpoint"],
  { coder, reviewer }: EndOptions["agents"],
): string | undefined {
  if (kind !== "auth") return undefined;
  const spec = phase === "reviewing" ? reviewer : coder;
  const preset = presetOf(spec);
  if (preset === undefined)
    return "log in to the agent's program, or name the variable of its API key: --pass-env <name>";
  return loginStep(preset, "set its API key");
}

function wayBackSteps(resume: string, { steps, accepts, asItIs }: WayBack): string[] {
  const accepting = (overrides: typeof accepts): string =>
    [resume, ...overrides.map((each) => `--${each}`)].join(" ");
  const why = asItIs?.includes("accept-settings")
    ? "if all of it is right"
    : "to stay where HEAD is";
  const instead = asItIs === undefined ? [] : [`${accepting(asItIs)}   # instead, ${why}`];
  return [...steps, accepting(accepts), ...instead];
}

/** What a person does first about a disk, or the system, that has refused something. */
function refusalSteps(message: string): readonly string[] {
  const errno = errnoIn(message);
  return (errno === undefined ? undefined : refusalNext(errno, ".")) ?? [];
}

function nextOf(result: TaskResult, agents: EndOptions["agents"]): string[] {
  const { outcome, runId, baseCommitSha, agentFailure, checkpoint, changed, fullDisk, wayBack } =
    result;
  const { message } = result;
  const resume = stepInWords(resumeStep(runId, checkpoint));
  switch (outcome) {
    case "approved":
      return changed ? [logCommand(baseCommitSha)] : [];
    case "agent": {
      const more = agentFailure === undefined ? {} : failureOptions(agentFailure);
      if (Object.keys(more).length > 0)
        return [...lookOf(result), stepInWords(resumeStep(runId, checkpoint, more))];
      if (agentFailure?.kind === "rate-limit") {
        const steps = limitSteps(agentFailure.retryAt, resumeStep(runId, checkpoint));
        return [...stepsInWords(steps)];
      }
      const person =
        agentFailure && (PERSON[agentFailure.kind] ?? loginOf(agentFailure, checkpoint, agents));
      const when = agentFailure?.retryAt;
      if (wayBack !== undefined) return wayBackSteps(resume, wayBack);
      const command = when === undefined ? resume : `${resume}   # after ${momentAfter(when)}`;
      return person === undefined ? [command] : [person, command];
    }
    case "struggling":
      return [`${resume}   # tries again; a smaller or clearer task may do better`];
    case "max_cycles":
    case "budget":
    case "interrupted":
    case "check":
      return [resume];
    case "checkpoint":
      return [...refusalSteps(message), resume];
    case "storage":
      return fullDisk === undefined
        ? [...refusalSteps(message), resume]
        : [`df -h ${shellWord(fullDisk)}   # make room there`, resume];
    case "work-tree":
      if (wayBack !== undefined) return wayBackSteps(resume, wayBack);
      return [
        "git status   # commit what is to stay as it is",
        resume,
        `${resume} --accept-head   # after a commit of yours`,
      ];
    case "superseded":
      return [...stepsInWords(continuedBy(runId))];
    case "approved-differs":
      return ["git status", `${resume}   # checks and reviews what is there`];
    case "git": {
      const { commitFixes } = checkpoint;
      const more = `${resume} --max-lint-retries ${commitFixes + 2}   # the coder tries again`;
      const steps = [...refusalSteps(message), resume];
      const changed = `${resume} --accept-settings   # after a change of yours to the hook`;
      return commitFixes === 0 ? steps : [...steps, changed, more];
    }
  }
}
