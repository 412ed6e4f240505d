import { existsSync } from "node:fs";
import { join } from "node:path";
import { quarantineWorkTree } from "@quasar/git/landing";
import { openRuns, RunsError } from "@quasar/runs";
import { newRunId } from "@quasar/runs/internal";
import { NebulaError } from "../errors.ts";
import { unlessRefused } from "../landing/refused-by-git.ts";
import { waitForAnswers } from "./phase-people.ts";
import type { PhaseSpec } from "../spec/types.ts";
import { boundText } from "../state/bounds.ts";
import { runsFolder } from "../state/home.ts";
import { report } from "../state/report.ts";
import { isSetUpError } from "../trees/repeat-set-up.ts";
import { treePath } from "../trees/tree.ts";
import { branchTip, type Engine } from "../context/context.ts";
import { isCoderDone } from "./coder-done.ts";
import { freeze } from "./freeze.ts";
import { fundAgain, fundsOf, neededForRetry, waitForLargerLimit } from "./fund.ts";
import { optionsIn } from "./phase-agents.ts";
import type { Came, LimitMet, NeededByRun } from "../context/came.ts";
import { PhaseAttempt } from "./phase-attempt.ts";
import { phaseTree } from "./phase-tree.ts";
import { resumeCommand } from "../state/resume-command.ts";
import type { Phase } from "../state/schedule.ts";

/** How the work on a phase has come to its end. */
export type Worked =
  /** Its state says how. */
  | "settled"
  /** It continues with the next engine. */
  | "interrupted"
  /** It continues with this engine, once a pause has ended or a usage limit is lifted. */
  | "waits";

/**
 * Records that a phase begins, and at which commit, before anything of it is there. For one that has begun and continues it
 * sets apart what that may spend by now.
 *
 * @returns `false` where too little of the budget is left for it.
 */
export async function beginPhase(engine: Engine, phase: Phase): Promise<boolean> {
  const { id, attempt, runs, base: given, status, lostTreeRunId } = phase.state;
  if (status === "running") {
    if (lostTreeRunId === phase.state.runId) engine.store.keep(id, { reason: "" });
    await fundAgain(engine, phase);
    return true;
  }
  const reservedUsd = await fundsOf(engine, phase);
  if (reservedUsd === undefined) return false;
  const base = given === "" ? await branchTip(engine) : given;
  const runId = newRunId(engine.now());
  const begun = {
    status: "running",
    base,
    runId,
    runs: [...runs, runId],
    reservedUsd,
    neededUsd: 0,
  } as const;
  report(engine, id, begun, { type: "phase_begun", phase: id, attempt, runId });
  return true;
}

/**
 * Has a phase that has begun worked on until it is approved or fails, from wherever it was left: its work tree is made,
 * then its run begins, and each is found again after a crash.
 */
export async function workOnPhase(engine: Engine, { spec }: Phase): Promise<Worked> {
  return (await unlessRefused(engine, spec.id, () => workUntilEnd(engine, spec))) ?? "settled";
}

async function workUntilEnd(engine: Engine, spec: PhaseSpec): Promise<Worked> {
  const state = engine.store.phase(spec.id);
  const { id } = state;
  const came = await (engine.fleet ?? HERE).attempt(engine, { spec, state });
  switch (came.as) {
    case "approved":
      await freeze(engine, state, came);
      return "settled";
    case "asks":
      waitForAnswers(engine, id, came.questions);
      return "settled";
    case "limited":
      limited(engine, id, came);
      return "waits";
    case "failed":
      if (came.needed && (await waitForLargerLimit(engine, state, came.needed))) return "settled";
      return fail(engine, { spec, state }, came.reason);
    case "interrupted":
    case "waits":
      return came.as;
  }
}

const HERE = { attempt: attemptOf };

/**
 * Works on the run of a phase's attempt in its work tree on this machine, until it has come to something.
 *
 * @throws What concerns more than this phase.
 */
export async function attemptOf(engine: Engine, phase: Phase): Promise<Came> {
  const { ref } = phase.state;
  const isMade = !existsSync(treePath(engine, ref));
  try {
    const repository = await phaseTree(engine, phase);
    const { root } = repository;
    const runs = await openRuns(root, { home: runsFolder(engine.home, ref), repository });
    const options = await optionsIn(engine, phase.spec, root);
    return await new PhaseAttempt(engine, phase, options).work(runs, { isMade });
  } catch (error) {
    if (error instanceof RunsError && error.code === "ERR_FOREIGN_CHECKPOINT") {
      throw foreignRun(engine, phase.state.id, error);
    }
    if (!isOfPhase(error)) throw error;
    const what = isSetUpError(error)
      ? "its work tree is not set up; a retry sets it up again: "
      : "";
    return { as: "failed", reason: `${what}${error.message}`, needed: neededOf(error) };
  }
}

/** The limits that a run was refused for. */
function neededOf({ next }: NebulaError | RunsError): NeededByRun {
  const { maxBudgetUsd = 0, maxTurnBudgetUsd = 0 } = next[0]?.options ?? {};
  return { maxBudgetUsd, maxTurnBudgetUsd };
}

/** It stops the engine and fails no phase: once a person has accepted it, the run continues where it was. */
function foreignRun({ store }: Engine, phase: string, cause: RunsError): NebulaError {
  const message = `the run of ${JSON.stringify(phase)} was not begun here by you: the repository was moved, or is from another machine or user`;
  const shell = `${resumeCommand(store.current)} --trust`;
  const note = "only if you know where it comes from";
  return new NebulaError("ERR_FOREIGN_RUN", message, { cause, next: [{ shell, note }] });
}

/** Whether an error is for a person to look at, and concerns this phase alone. Another process at work is not. */
function isOfPhase(error: unknown): error is NebulaError | RunsError {
  if (isSetUpError(error)) return true;
  return error instanceof RunsError && error.code !== "ERR_LOCKED";
}

async function fail(engine: Engine, { spec, state }: Phase, why: string): Promise<Worked> {
  const { id, ref } = state;
  // Of trees on other machines nothing is known here.
  const isHere = engine.fleet === undefined;
  const isLost = isHere && !existsSync(join(treePath(engine, ref), ".git"));
  const lost = isLost ? await quarantineLost(engine, state) : "";
  if (isLost && state.lostTreeRunId !== state.runId) {
    const message = boundText(`${lost}: a resume makes it again`);
    const change = { reason: message, lostTreeRunId: state.runId } as const;
    report(engine, id, change, { type: "warning", phase: id, message });
    return "interrupted";
  }
  const reason = boundText(isLost ? `${lost}, for the second time in this run: ${why}` : why);
  const failed = { status: "failed", reason, reservedUsd: 0 } as const;
  const again = {
    isCoderDone: isHere && (await isCoderDone(engine, state)),
    neededUsd: await neededForRetry(engine, { spec, state }),
  };
  report(engine, id, { ...failed, ...again }, { type: "phase_failed", phase: id, reason });
  return "settled";
}

/** Keeps the files of a work tree that git knows no more. @returns What has become of it, in words. */
async function quarantineLost(engine: Engine, { ref }: Phase["state"]): Promise<string> {
  const { repository, signal } = engine;
  const tree = treePath(engine, ref);
  const kept = await quarantineWorkTree(repository, tree, { signal });
  if (kept === undefined) return `its work tree ${tree} is gone`;
  return `its work tree has lost its .git, and its files are kept in ${kept}`;
}

/** An agent has met its usage limit: no phase has it work until that is lifted. */
function limited(
  engine: Engine,
  phase: string,
  { agent, limit: { message, retryAt } }: { readonly agent: string; readonly limit: LimitMet },
): void {
  const metAt = engine.now().getTime();
  const until = new Date(engine.agentLimits.met(agent, retryAt, metAt)).toISOString();
  const limitedBy = { limitedBy: agent } as const;
  report(engine, phase, limitedBy, { type: "agent_limited", phase, agent, until, message });
}
