import type { Checkpoint, CheckpointStore } from "@quasar/checkpoint";
import type { Commit } from "@quasar/git";
import type { AgentInvoker, AgentRequest, AgentResult, FoundTurn } from "../src/agent.ts";
import type { CheckResult } from "../src/check.ts";
import { continueRun } from "../src/continue.ts";
import type { Hook, LoopEvent } from "../src/event.ts";
import type { Check, LoopOptions, TaskResult } from "../src/options.ts";
import type { CycleCommit, LoopRepository } from "../src/repository.ts";
import { settingsOf } from "../src/settings.ts";
import type { CycleState } from "../src/state.ts";
import { startRun } from "../src/start.ts";
import { lintFixes } from "../src/transitions.ts";

/** What a simulated work tree and its history can do; a real repository serves as well. */
export interface Ground {
  readonly store: CheckpointStore;
  readonly workDir: string;
  readonly repository: LoopRepository;
  read(): string;
  /** The file as it is in HEAD: what a careful agent starts from. */
  committed(): string;
  write(text: string): void;
  subjects(): readonly string[];
  /** All that is in the tree, committed or not. */
  files(): Readonly<Record<string, string>>;
}

export interface Scenario {
  readonly name: string;
  readonly options?: Partial<LoopOptions>;
  /** What the coder makes of the committed file, told what it was asked. */
  code(text: string, prompt: string): string;
  review(text: string): string;
  readonly checks?: Readonly<Record<string, (text: string) => boolean>>;
  /** The agents outlive a killed runner, and a later one finds their results. */
  readonly supervised?: boolean;
  /** @default "turn" */
  readonly granularity?: "cycle" | "turn";
}

/** What is left of a run after all its crashes, to be compared with one that had none. */
export interface Traces {
  /** `undefined` when the runner was killed with nothing left to do. */
  readonly result: TaskResult | undefined;
  readonly subjects: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** Whether HEAD holds all of the work. */
  readonly clean: boolean;
  readonly children: readonly string[];
  readonly billed: number;
  /** Reserved for turns that were under way when the runner was killed. */
  readonly lostReservations: number;
  /** Starts of agents. */
  readonly invocations: number;
  /** Starts of turns that an earlier runner had already settled. */
  readonly repeated: readonly string[];
  readonly kills: number;
  /** Types of the events of each runner. */
  readonly events: readonly (readonly string[])[];
  readonly points: number;
  readonly stored: boolean;
}

const COST = 0.04;

const NO_RESULT: AgentResult = { text: "", costSource: "unknown", durationMs: 0 };

/** Which piece of work a pending turn is. */
function keyOf(state: CycleState): string {
  return `${state.cycle} ${state.phase} ${lintFixes(state)}`;
}

/**
 * Lets a scenario run, kills its runner at the given points (counted per runner), resumes it.
 *
 * Points are before and after each save, commit, check and removal, within and around each agent's
 * work, and, with `atEvents`, whenever a listener is told something.
 */
export async function simulate(
  scenario: Scenario,
  ground: Ground,
  kills: readonly number[] = [],
  atEvents = true,
): Promise<Traces> {
  const store = ground.store;
  const children = new Set<string>();
  const settled = new Set<string>();
  const repeated: string[] = [];
  const finished = new Map<string, AgentResult>();
  const events: string[][] = [];
  let removed = false;
  let billed = 0;
  let invocations = 0;
  let lostReservations = 0;
  let points = 0;

  for (let life = 0; life < 20; life += 1) {
    const target = kills[life];
    let dead = false;
    let count = 0;
    let die: () => void = () => undefined;
    const death = new Promise<undefined>((resolve) => {
      die = () => resolve(undefined);
    });
    /** A place where the runner may be killed: then nothing of it ever goes on. */
    const point = async (): Promise<void> => {
      if (!dead && count === target) {
        dead = true;
        die();
      }
      count += 1;
      if (dead) await new Promise<never>(() => undefined);
    };
    const around = async <T>(act: () => T | Promise<T>): Promise<T> => {
      await point();
      const value = await act();
      await point();
      return value;
    };
    const guarded: CheckpointStore = {
      ...store,
      save: (checkpoint) =>
        around(async () => {
          await store.save(checkpoint);
          const { turn, phase } = checkpoint;
          if (turn?.status === "settled" && /^(?:coding|linting|reviewing)$/u.test(phase)) {
            settled.add(keyOf(checkpoint));
          }
        }),
      remove: (phaseId) =>
        around(async () => {
          await store.remove(phaseId);
          removed = true;
        }),
    };
    const work = (request: AgentRequest, half: boolean): string => {
      if (request.role === "reviewer") return scenario.review(ground.read());
      const text = scenario.code(ground.committed(), request.prompt);
      ground.write(half ? `${ground.read()}(half)` : text);
      return `made ${text}`;
    };
    const agent: AgentInvoker = {
      name: "simulated",
      capabilities: {
        structuredOutput: false,
        choosesSessionId: false,
        reportsCost: true,
        streamsUsage: true,
        resumesSession: false,
      },
      async invoke(request, options) {
        const stored = (await store.load())?.checkpoint;
        const key = stored === undefined ? "" : keyOf(stored);
        await point();
        if (settled.has(key)) repeated.push(key);
        invocations += 1;
        // Read before the half-done work is in the way of it.
        const before = ground.read();
        options?.onEvent?.({ type: "session", sessionId: `s-${request.turnId}` });
        billed += COST / 2;
        if (scenario.supervised !== true) {
          work(request, true);
          await point();
          if (request.role === "coder") ground.write(before);
        }
        billed += COST / 2;
        const text = work(request, false);
        const result: AgentResult = {
          text,
          costUsd: COST,
          costSource: "reported",
          durationMs: 1,
        };
        finished.set(request.turnId, result);
        await point();
        return result;
      },
      ...(scenario.supervised === true
        ? {
            find: async ({ request }): Promise<FoundTurn> => ({
              state: finished.has(request.turnId) ? "ended" : "unknown",
            }),
            adopt: async ({ request }) => around(() => finished.get(request.turnId) ?? NO_RESULT),
          }
        : {}),
    };
    const log: string[] = [];
    events.push(log);
    const hook: Hook = {
      async onEvent(event: LoopEvent) {
        log.push(event.type);
        // Whoever was told that a turn is done may rely on it.
        if (event.type === "agent_done") settled.add(keyOf(event.state()));
        if (atEvents) await point();
      },
      createFindings: (_task, findings) =>
        around(() =>
          findings.map(({ id, cycle }) => {
            children.add(`${cycle} ${id}`);
            return `child-${cycle}-${id}`;
          }),
        ),
    };
    const settings = settingsOf({
      workDir: ground.workDir,
      coder: agent,
      reviewer: agent,
      runId: "run",
      checkpoint: { store: guarded, granularity: scenario.granularity ?? "turn" },
      hooks: [hook],
      ...scenario.options,
    });
    const ports = {
      repository: {
        head: () => ground.repository.head(),
        commit: (commit: CycleCommit) => around(() => ground.repository.commit(commit)),
        commitsSince: (from: string) => ground.repository.commitsSince(from),
        changedPaths: (from: string, to: string) => ground.repository.changedPaths(from, to),
        reflogActions: () => ground.repository.reflogActions(),
      },
      runCheck: (check: Check): Promise<CheckResult> =>
        around(() => {
          const passed = scenario.checks?.[check.name]?.(ground.read()) ?? true;
          return {
            status: passed ? "passed" : "failed",
            output: passed ? "" : "not good",
          } as const;
        }),
    };
    const loaded = await store.load();
    const { turn, phase, failure } = loaded?.checkpoint ?? {};
    const inTurn = phase === "coding" || phase === "linting" || phase === "reviewing";
    if (life > 0 && inTurn && turn?.status === "started" && failure === "") {
      lostReservations += turn.reservedUsd;
    }
    const running =
      loaded === undefined
        ? startRun({ id: "t", title: "Task" }, settings, ports)
        : continueRun(loaded.checkpoint, settings, ports);
    const result = await Promise.race([running, death]);
    points = Math.max(points, count);
    if (result === undefined && !removed) continue;
    return {
      result,
      subjects: ground.subjects(),
      files: ground.files(),
      clean: ground.read() === ground.committed(),
      children: [...children],
      billed,
      lostReservations,
      invocations,
      repeated,
      kills: result === undefined ? life + 1 : life,
      events,
      points,
      stored: (await store.load()) !== undefined,
    };
  }
  throw new Error("the run never ended");
}

/** A work tree and a history in memory. */
export function createMemoryGround(store: CheckpointStore = createPlainStore()): Ground {
  let tree = "";
  const commits: (Commit & { readonly tree: string })[] = [];
  const sha = (n: number): string => n.toString(16).padStart(40, "a");
  commits.push({ sha: sha(0), parents: [], subject: "first", trailers: new Map(), tree });
  return {
    store,
    workDir: "/nowhere",
    read: () => tree,
    committed: () => commits.at(-1)?.tree ?? "",
    write: (text) => {
      tree = text;
    },
    subjects: () => commits.slice(1).map(({ subject }) => subject),
    files: () => ({ file: tree }),
    repository: {
      head: async () => commits.at(-1)?.sha ?? "",
      commit: async ({ subject, taskId, cycle, turnId }) => {
        const parent = commits.at(-1);
        if (parent === undefined || parent.tree === tree) return undefined;
        const trailers = new Map([
          ["Quasar-Task", [taskId]],
          ["Quasar-Cycle", [String(cycle)]],
          ["Quasar-Turn", [turnId]],
        ]);
        const commit = { sha: sha(commits.length), parents: [parent.sha], subject, trailers, tree };
        commits.push(commit);
        return commit.sha;
      },
      commitsSince: async (from) => {
        const at = commits.findIndex((commit) => commit.sha === from);
        return at === -1 ? undefined : commits.slice(at + 1);
      },
      changedPaths: async () => [],
      reflogActions: async () => new Map(),
    },
  };
}

/** Keeps the checkpoint as it is given: for many runs. */
function createPlainStore(): CheckpointStore {
  let stored: Checkpoint | undefined;
  return {
    save: async (checkpoint) => {
      stored = checkpoint;
    },
    load: async () =>
      stored && { checkpoint: stored, source: "current", seal: "none", problems: [] },
    loadAll: async () => ({ checkpoints: new Map(), problems: [] }),
    remove: async () => {
      stored = undefined;
    },
  };
}
