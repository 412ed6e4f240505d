import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fetchFromDepot } from "@quasar/git/depot";
import { messageOf } from "@quasar/runs/internal";
import { carryOut, type CarryOutOptions, takeTree } from "../engine/carry-out.ts";
import type { Came } from "../context/came.ts";
import { type NebulaPort, PortError, type QuestionReply, readReply } from "../port/index.ts";
import { keepAnswer, readQuestion } from "../people/question-files.ts";
import { type NebulaHome, nebulaHome, runsFolder } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";
import { treesFolder } from "../trees/place.ts";
import { openClone } from "./clone.ts";
import { depotNames } from "./depot-names.ts";
import type { HeldLease } from "./held-lease.ts";
import type { WorkLease } from "./kept-leases.ts";
import { outcomeJson } from "./outcome.ts";
import { keepAsked } from "./questions.ts";
import type { FleetPlace } from "./place.ts";
import { AGAIN_MS, isUnreachable } from "./reach.ts";
import { RunCopier } from "./run-copier.ts";
import { fetchRun } from "./run-folder.ts";
import { stateOf } from "./state-of.ts";

type OfCarry =
  | ("optionsOf" | "commandEnv" | "env" | "stateFolder" | "keys")
  | ("withoutOwnHook" | "onEvent" | "signal");

export interface PerformOptions extends Pick<CarryOutOptions, OfCarry> {
  readonly port: NebulaPort;
  /** For people: where it runs. */
  readonly machine: string;
  readonly place: FleetPlace;
  readonly depot: string;
  readonly held: HeldLease;
  readonly lease: WorkLease;
  /** Whether this machine had this very lease before: what it has of the run is the newest. */
  readonly isContinued: boolean;
  /** Does what changes the refs of the repository, one thing after the other. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

/** How often a pause is checked, in milliseconds. */
const LOOK_MS = 1000;

/** How long the last copy of a run may take that is given back, in milliseconds. */
const LAST_COPY_MS = 20_000;

/** How long a turn waits for the depot to have all before it, in milliseconds: without the depot the work continues. */
const COPY_MS = 5000;

/** Nothing begins as long as it is not certain that the work is this worker's. */
const UNSURE = { isPaused: true, isStopping: false };

/**
 * Carries out the run of a phase under its lease, and has what came of it be known to the conductor; what there is of the run
 * is copied to the depot meanwhile.
 * It ends, too, where it was stopped, with all of it copied, and where another worker has the run.
 */
export async function perform(options: PerformOptions): Promise<void> {
  const { held, signal: given } = options;
  const signal = AbortSignal.any([given, held.lost]);
  try {
    const ready = await whenReached(() => options.alone(() => prepare(options)), signal, options);
    const { cameAt } = ready;
    if (cameAt !== undefined) await takeTree({ ...options, ...ready, signal }, cameAt);
    for (;;) {
      const came = await carryOut({ ...options, ...ready, signal });
      if (given.aborted || (came.as === "interrupted" && isStopped(held))) {
        held.lost.throwIfAborted();
        await Promise.race([ready.copier.flush(), sleep(LAST_COPY_MS, undefined, { ref: false })]);
        return;
      }
      signal.throwIfAborted();
      if (came.as === "waits" || came.as === "interrupted") {
        await goesOn(held, signal);
        continue;
      }
      await ready.copier.flush();
      await recordOutcome(options, came, signal);
      return;
    }
  } catch (error) {
    if (!held.lost.aborted) throw error;
  }
}

function isStopped({ orders }: HeldLease): boolean {
  return orders.stop !== "";
}

async function goesOn(held: HeldLease, signal: AbortSignal): Promise<void> {
  await held.sure();
  do await sleep(LOOK_MS, undefined, { signal });
  while (held.orders.isPaused && !isStopped(held));
}

/** What of the depot or the server is out of reach is tried again: the lease stays, and so does an agent that works. */
async function whenReached<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  { onEvent }: Pick<PerformOptions, "onEvent">,
): Promise<T> {
  for (let told = ""; ; ) {
    signal.throwIfAborted();
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      const message = messageOf(error);
      if (message !== told) onEvent({ type: "warning", message });
      told = message;
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }
}

interface Ready extends Pick<CarryOutOptions, "repository" | "state" | "ref" | "isForeign"> {
  /** What the run's tree was at on the machine that it comes from; `undefined`: it is of this one. */
  readonly cameAt: string | undefined;
  readonly maxBudgetUsd: number;
  readonly orders: CarryOutOptions["orders"];
  readonly onEvent: CarryOutOptions["onEvent"];
  readonly beforeTurn: CarryOutOptions["beforeTurn"];
  readonly copier: RunCopier;
}

async function prepare(options: PerformOptions): Promise<Ready> {
  const { port, place, depot, held, lease, isContinued, onEvent } = options;
  const signal = AbortSignal.any([options.signal, held.lost]);
  const { nebula, work: ref, offer, from } = lease;
  const { runId, task } = offer;
  const state = stateOf(await port.status(nebula));
  requireRun(state, ref, runId);
  const repository = await openClone({ root: place.work, depot, state, signal });
  const names = depotNames(nebula);
  const wants = [names.base(ref), names.conflict(ref)].map((name) => ({ ref: name, into: name }));
  await fetchFromDepot(repository, { url: depot, wants, signal });
  const home = nebulaHome(repository.commonDir, nebula);
  const runDir = join(runsFolder(home, ref), runId);
  // What this machine has of the run may be older than what another one has copied since.
  const isNewest = isContinued && existsSync(runDir);
  const run = { depot, nebula, work: ref, runId, epochs: from, signal };
  const cameAt = isNewest ? undefined : await fetchRun(repository, run);
  keepAsked(home, task.asked);
  const places = { env: options.env, state: options.stateFolder };
  const trees = treesFolder(repository, { id: nebula }, places);
  const warn = (message: string): void => onEvent({ type: "warning", message });
  const copier = new RunCopier({
    ...{ repository, home, depot, lease, runId, runDir, warn },
    // The last copy is made after an interrupt.
    signal: held.lost,
    tree: join(trees, ref),
    staging: join(place.staging, `${ref}-${runId}`),
  });
  return {
    ...{ repository, state, ref, cameAt, copier, maxBudgetUsd: task.maxBudgetUsd },
    isForeign: cameAt !== undefined,
    orders: () => {
      const { isPaused } = held.orders;
      return held.isSure ? { isPaused, isStopping: isStopped(held) } : UNSURE;
    },
    // Where this machine goes, the turn that it is in is all that is done again, and counts as spent.
    beforeTurn: () => copier.flushFor(COPY_MS),
    onEvent(event) {
      copier.changed();
      if (event.type === "question_asked") passQuestion(options, home, event.id);
      onEvent(event);
    },
  };
}

/**
 * A question is the conductor's, by whom people see it, and its answer comes from there. What cannot be told or heard now is
 * with the next offer of the run.
 */
function passQuestion({ port, lease, held }: PerformOptions, home: NebulaHome, id: string): void {
  const question = readQuestion(home, id);
  if (question === undefined) return;
  const pass = async (): Promise<void> => {
    await port.record(lease, { as: "note", key: id, value: { ...question } });
    const reply = await port.wait(lease.nebula, `question/${id}`, held.lost);
    const { text, agent } = readReply(`question/${id}`, reply as never).reply as QuestionReply;
    const by = agent === "" ? ({ by: "person" } as const) : ({ by: "agent", agent } as const);
    keepAnswer(home, { question: id, ...by, text, at: new Date().toISOString() });
  };
  pass().catch(() => {});
}

function requireRun({ phases }: NebulaState, ref: string, runId: string): void {
  if (phases.some((phase) => phase.ref === ref && phase.runId === runId)) return;
  throw new PortError("ERR_CONFLICT", `the run ${runId} is not wanted any more`);
}

/** Out of reach the server has it later, as long as the lease is not lost. */
async function recordOutcome(
  { port, lease, machine, onEvent }: PerformOptions,
  came: Exclude<Came, { readonly as: "interrupted" | "waits" }>,
  signal: AbortSignal,
): Promise<unknown> {
  const value = outcomeJson({ came, machine });
  return whenReached(() => port.record(lease, { as: "result", key: "outcome", value }), signal, {
    onEvent,
  });
}
