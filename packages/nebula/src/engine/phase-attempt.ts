import type { AgentRole } from "@quasar/agents";
import { GitError } from "@quasar/git";
import type { Override, RunEnd, RunEvent, Runs } from "@quasar/runs";
import { blockingQuestions, COMMIT_ADVICE } from "@quasar/runs/internal";
import { count, span } from "@quasar/runs/text";
import { holdRef } from "../landing/hold-ref.ts";
import { leftOfMerge } from "../landing/left-of-merge.ts";
import { phasePeople } from "./phase-people.ts";
import { refsOf } from "../state/home.ts";
import { boundFindings } from "../state/bounds.ts";
import type { PhaseState } from "../state/state.ts";
import type { Came, LimitMet } from "../context/came.ts";
import type { Engine, PhaseRunOptions } from "../context/context.ts";
import { fullDiskError } from "./ended-by.ts";
import { type LandedWork, landedWork } from "./landed-work.ts";
import { prepareAfterCoder, prepareTree } from "./phase-tree.ts";
import type { Phase } from "../state/schedule.ts";
import { settingsObstacle } from "./settings.ts";
import { specOtherThan, taskText } from "./task-text.ts";

/** Begins the run of a phase's attempt, or continues it from wherever it was left, until its end. */
export class PhaseAttempt {
  readonly #engine: Engine;
  readonly #phase: Phase;
  readonly #options: PhaseRunOptions;
  readonly #commits: CommitHolder;
  readonly #timeoutMs: number;
  readonly #late: AbortSignal;
  #landed: ReadonlyMap<string, LandedWork> = new Map();
  /** Whether its next turn is only to begin later. */
  #waits = false;

  constructor(engine: Engine, phase: Phase, options: PhaseRunOptions) {
    const { spec, state } = phase;
    this.#engine = engine;
    this.#phase = phase;
    this.#options = options;
    this.#commits = new CommitHolder(engine, state);
    this.#timeoutMs = spec.timeoutMs ?? engine.spec.execution.timeoutMs;
    this.#late = AbortSignal.timeout(this.#timeoutMs);
  }

  /**
   * @param isMade - Whether its work tree was made just now.
   * @throws {NebulaError} `ERR_SETUP`
   * @throws {RunsError} What a run refuses for its user's sake.
   */
  async work(runs: Runs, { isMade }: { readonly isMade: boolean }): Promise<Came> {
    const { controls, trustsRuns } = this.#engine;
    const { runId, isCoderDone } = this.#phase.state;
    this.#landed = await landedWork(this.#engine, this.#phase.spec);
    const found = (await runs.list()).find((run) => run.id === runId);
    if (found === undefined) return this.#came(await this.#start(runs, isMade));
    if (found.status === "approved") {
      return { as: "approved", commit: (await runs.show(runId)).headSha, task: found.task };
    }
    // A tree that was made again is another one to git; what all trees share is compared all the same.
    const isAccepted = isMade || controls.accepted.length > 0;
    const accepts = new Set<Override>(isAccepted ? ["settings"] : []);
    if (isCoderDone) {
      await prepareAfterCoder(this.#engine, this.#phase);
      // Where a person has it continue, it does so with what they have committed in its tree.
      accepts.add("head");
    }
    if (trustsRuns) accepts.add("trust").add("settings");
    const maxBudgetUsd = await this.#engine.budgetOfRun(this.#phase.state);
    const resumed = { ...this.#given(), runId, maxBudgetUsd, accepts };
    // A limit stands as long as its file says so, whatever the run was told: a person may have removed it.
    return this.#came(await runs.resume({ ...resumed, now: true }));
  }

  /** @returns `undefined` where it may not begin. */
  async #start(runs: Runs, isMade: boolean): Promise<RunEnd | undefined> {
    const engine = this.#engine;
    const { state } = this.#phase;
    await prepareTree(engine, this.#phase, isMade);
    // While its tree was made ready, an agent of another phase may have worked.
    if ((await settingsObstacle(engine)) !== undefined) return undefined;
    const task = this.#task(this.#phase);
    const maxBudgetUsd = await engine.budgetOfRun(state);
    return runs.start({ ...this.#given(), runId: state.runId, task, maxBudgetUsd, isNew: true });
  }

  #given() {
    const engine = this.#engine;
    const { id, conflicts } = this.#phase.state;
    const judgeCommit = (sha: string) => this.#unresolved(sha);
    return {
      ...this.#options,
      ownsTree: true,
      ...(conflicts.length > 0 && { judgeCommit }),
      largerControls: engine.controls.ofRuns,
      mayBeginTurn: (role: AgentRole | undefined) => this.#mayBeginTurn(role),
      takeRefactor: (task: string) => {
        const spec = specOtherThan(engine, id, task);
        return spec && this.#task({ spec, state: engine.store.phase(id) });
      },
      people: phasePeople(engine, id),
      signal: AbortSignal.any([engine.signal, this.#late]),
      onEvent: (event: RunEvent) => this.#onEvent(event),
    };
  }

  /** Before a reviewer is paid. What git cannot say here it is asked again for, once the work is approved. */
  async #unresolved(sha: string): Promise<string> {
    try {
      const left = await leftOfMerge(this.#engine, this.#phase.state, sha);
      return boundFindings(left.map(({ finding }) => finding)).join("\n");
    } catch (error) {
      if (error instanceof GitError) return "";
      throw error;
    }
  }

  #task(phase: Phase): string {
    const { spec, store } = this.#engine;
    return taskText(spec, phase, { ...store.current, landed: this.#landed });
  }

  #mayBeginTurn(role: AgentRole | undefined): boolean {
    const { steering, agentLimits, now } = this.#engine;
    if (steering.isStopping) return false;
    const isLimited =
      role !== undefined && agentLimits.stands(this.#options[role].name, now().getTime());
    this.#waits = steering.isPaused || isLimited;
    return !this.#waits;
  }

  #onEvent(event: RunEvent): void {
    const { agentLimits, now, tell } = this.#engine;
    if (event.type === "agent_done") {
      agentLimits.succeeded(this.#options[event.role].name, now().getTime());
    }
    if (event.type === "committed" && event.sha !== undefined) this.#commits.hold(event.sha);
    tell({ type: "run_event", phase: this.#phase.state.id, event });
  }

  async #came(end: RunEnd | undefined): Promise<Came> {
    await this.#commits.held();
    if (end === undefined) return { as: "interrupted" };
    const { outcome, finalCommitSha, checkpoint, agentFailure, fullDisk: disk } = end.result;
    if (outcome === "approved") {
      return { as: "approved", commit: finalCommitSha, task: checkpoint.taskTitle };
    }
    const questions = blockingQuestions(checkpoint);
    if (outcome === "interrupted" && questions.length > 0) return { as: "asks", questions };
    if (this.#engine.signal.aborted) return { as: "interrupted" };
    if (disk !== undefined) {
      throw fullDiskError(end.result.message, { id: this.#engine.store.current.id, disk });
    }
    if (outcome === "interrupted" && !this.#late.aborted) {
      return { as: this.#waits ? "waits" : "interrupted" };
    }
    if (agentFailure?.kind === "rate-limit") {
      return this.#limited(checkpoint.turn?.role ?? "coder", agentFailure);
    }
    if (outcome === "budget") {
      const { neededBudgetUsd: maxBudgetUsd, neededTurnBudgetUsd: maxTurnBudgetUsd } = checkpoint;
      const needed = { maxBudgetUsd, maxTurnBudgetUsd };
      return { as: "failed", reason: reasonOf(end.result), needed };
    }
    const isLate = this.#late.aborted;
    const reason = isLate ? `it took longer than ${span(this.#timeoutMs)}` : reasonOf(end.result);
    return { as: "failed", reason };
  }

  #limited(role: AgentRole, limit: LimitMet): Came {
    return { as: "limited", agent: this.#options[role].name, limit };
  }
}

/** Has a ref hold what a run commits, one commit after the other: its work tree may be removed, and `git gc` be run. */
class CommitHolder {
  readonly #engine: Engine;
  readonly #name: string;
  #last = Promise.resolve();

  constructor(engine: Engine, { ref }: Pick<PhaseState, "ref">) {
    this.#engine = engine;
    this.#name = refsOf(engine.store.current.id).work(ref);
  }

  hold(sha: string): void {
    this.#last = this.#last.then(() => holdRef(this.#engine, this.#name, sha));
    // It is awaited when the run has ended, unless that fails first.
    this.#last.catch(() => {});
  }

  held(): Promise<void> {
    return this.#last;
  }
}

/** Why a run was not approved, in words of a phase: nobody resumes its run. */
function reasonOf({ outcome, cycle, findings, message }: RunEnd["result"]): string {
  if (outcome !== "max_cycles") return message.replace(`\n${COMMIT_ADVICE}`, "");
  const [first] = findings;
  const last = first === undefined ? "" : `: ${first.description}`;
  return `not approved in ${count(cycle, "cycle")}${last}`;
}
