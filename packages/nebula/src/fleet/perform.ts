import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentsError } from "@quasar/agents";
import { fetchFromDepot } from "@quasar/git/depot";
import { messageOf } from "@quasar/runs/internal";
import { carryOut, type CarryOutOptions, takeTree } from "../engine/carry-out.ts";
import type { Came } from "../context/came.ts";
import { type NebulaPort, PortError } from "../port/index.ts";
import { nebulaHome, runsFolder } from "../state/home.ts";
import type { NebulaState } from "../state/state.ts";
import { treesFolder } from "../trees/place.ts";
import { openClone } from "./clone.ts";
import { depotNames } from "./depot-names.ts";
import type { HeldLease } from "./held-lease.ts";
import type { WorkLease } from "./kept-leases.ts";
import { onceAborted } from "./once-aborted.ts";
import { type Outcome, outcomeJson } from "./outcome.ts";
import { QuestionPass } from "./pass-questions.ts";
import type { FleetPlace } from "./place.ts";
import { keepAsked } from "./questions.ts";
import { type Reach, whenReached } from "./reach.ts";
import { RunCopier } from "./run-copier.ts";
import { fetchRun, isOwnRun } from "./run-folder.ts";
import { stateOf } from "./state-of.ts";

type OfCarry =
  | ("optionsOf" | "commandEnv" | "env" | "stateFolder" | "keys")
  | ("withoutOwnHook" | "onEvent" | "signal");

export interface PerformOptions extends Pick<CarryOutOptions, OfCarry> {
  readonly port: NebulaPort;
  readonly place: FleetPlace;
  readonly depot: string;
  readonly held: HeldLease;
  readonly reach: Reach;
  readonly lease: WorkLease;
  /** For people: where it runs. */
  readonly machine: string;
  /** Whether this machine had this very lease before: what it has of the run is the newest. */
  readonly isContinued: boolean;
  /** Does what changes the refs of the repository, one thing after the other. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

/** How often it is checked what people have ordered, in milliseconds. */
const LOOK_MS = 1000;

/** How long the last copy of a run may take that is given back, in milliseconds. */
const LAST_COPY_MS = 20_000;

/** Nothing begins as long as it is not certain that the work is this worker's. */
const UNSURE = { isPaused: true, isStopping: false };

/**
 * Carries out the run of a phase under its lease, and has what came of it be known to the conductor; what there is of the run
 * is copied to the depot meanwhile.
 * It ends, too, where it was stopped, with all of it copied, and where another worker has the run.
 */
export async function perform(options: PerformOptions): Promise<void> {
  const { held, lease, machine, port, reach, depot, signal: given } = options;
  const [now, refused] = [new AbortController(), new AbortController()];
  const ended = AbortSignal.any([given, held.lost]);
  const signal = AbortSignal.any([ended, now.signal, refused.signal]);
  const looking = setInterval(() => {
    if (held.orders.stop === "now") now.abort();
  }, LOOK_MS);
  try {
    const prepared = () => options.alone(() => prepare({ ...options, signal }, refused));
    const ready = await whenReached(prepared, { signal, reach, depot });
    const { cameAt, copier, questions } = ready;
    if (cameAt !== undefined) await takeTree({ ...options, ...ready, signal }, cameAt);
    for (;;) {
      const came = await carryOut({ ...options, ...ready, signal });
      if (given.aborted || (came.as === "interrupted" && isStopped(held))) {
        held.lost.throwIfAborted();
        await Promise.race([copier.flush(), sleep(LAST_COPY_MS, undefined, { ref: false })]);
        return;
      }
      ended.throwIfAborted();
      const refusal: unknown = refused.signal.reason ?? (await refusalOf(came, copier, ended));
      const outcome = outcomeOf(came, refusal);
      if (outcome === undefined) {
        await goesOn(held, ended);
        continue;
      }
      await Promise.race([questions.told(), onceAborted(ended)]);
      // Out of reach the server has it later, as long as the lease is not lost.
      const entry = {
        as: "result",
        key: "outcome",
        value: outcomeJson({ came: outcome, machine }),
      } as const;
      await whenReached(() => port.record(lease, entry), { signal: ended, reach });
      return;
    }
  } catch (error) {
    if (!held.lost.aborted && !now.signal.aborted) throw error;
  } finally {
    clearInterval(looking);
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

/** Why the depot does not take the run that has come to its end. */
async function refusalOf(came: Came, copier: RunCopier, signal: AbortSignal): Promise<unknown> {
  if (came.as === "waits" || came.as === "interrupted") return undefined;
  const copied = copier.flush().then(
    () => undefined,
    (error: unknown) => error,
  );
  const refusal = await Promise.race([copied, onceAborted(signal)]);
  signal.throwIfAborted();
  return refusal;
}

/** What is to be known of it; `undefined`: it continues. */
function outcomeOf(came: Came, refusal: unknown): Outcome | undefined {
  if (refusal !== undefined) return { as: "failed", reason: messageOf(refusal) };
  return came.as === "waits" || came.as === "interrupted" ? undefined : came;
}

interface Ready extends Pick<CarryOutOptions, "repository" | "state" | "ref" | "isForeign"> {
  /** What the run's tree was at on the machine that it comes from; `undefined`: it is of this one. */
  readonly cameAt: string | undefined;
  readonly maxBudgetUsd: number;
  readonly orders: CarryOutOptions["orders"];
  readonly onEvent: CarryOutOptions["onEvent"];
  readonly beforeTurn: CarryOutOptions["beforeTurn"];
  readonly copier: RunCopier;
  readonly questions: QuestionPass;
}

/** @param refused - Aborted where the depot does not take the run: nobody could continue it. */
async function prepare(options: PerformOptions, refused: AbortController): Promise<Ready> {
  const { port, place, depot, held, reach, lease, isContinued, onEvent, signal } = options;
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
  const isNewest = isContinued && isOwnRun(home, ref, runId);
  const run = { depot, nebula, work: ref, runId, epochs: from, signal };
  const cameAt = isNewest ? undefined : await fetchRun(repository, run);
  keepAsked(home, task.asked);
  const places = { env: options.env, state: options.stateFolder };
  const trees = treesFolder(repository, { id: nebula }, places);
  const warn = (message: string): void => onEvent({ type: "warning", message });
  const copier = new RunCopier({
    ...{ repository, home, depot, reach, lease, runId, runDir, warn },
    // The last copy is made after an interrupt.
    signal: held.lost,
    tree: join(trees, ref),
    staging: join(place.staging, `${ref}-${runId}`),
  });
  const questions = new QuestionPass({ port, reach, lease, home, runId, signal });
  questions.look();
  return {
    ...{ repository, state, ref, cameAt, copier, questions, maxBudgetUsd: task.maxBudgetUsd },
    isForeign: cameAt !== undefined,
    orders: () => {
      const { isPaused } = held.orders;
      return held.isSure ? { isPaused, isStopping: isStopped(held) } : UNSURE;
    },
    async beforeTurn() {
      const copied = copier.flush().catch((error: unknown) => refused.abort(error));
      await Promise.race([copied, onceAborted(signal)]);
      await Promise.race([held.sure(), onceAborted(signal)]);
      if (signal.aborted || refused.signal.aborted) {
        throw new AgentsError("ERR_TURN_UNREADABLE", "the work ends before the turn begins");
      }
    },
    onEvent(event) {
      const isOfAgent = event.type === "run_event" && event.event.type === "agent_event";
      copier.changed(isOfAgent ? "turn" : "run");
      if (event.type === "question_asked") questions.look();
      onEvent(event);
    },
  };
}

function requireRun({ phases }: NebulaState, ref: string, runId: string): void {
  if (phases.some((phase) => phase.ref === ref && phase.runId === runId)) return;
  throw new PortError("ERR_CONFLICT", `the run ${runId} is not wanted any more`);
}
