import { setTimeout as sleep } from "node:timers/promises";
import { makeFolders } from "@quasar/process/files";
import { depotRefs, fetchFromDepot } from "@quasar/git/depot";
import type { Repository } from "@quasar/git";
import { openMergeFolder } from "@quasar/git/landing";
import type { EngineLimits } from "../context/context.ts";
import { type ApplyOptions, applyNebula } from "../engine/apply.ts";
import { decidePlan } from "../people/plan-gate.ts";
import type { Epoch, NebulaPort, NebulaStatus } from "../port/index.ts";
import { nebulaHome } from "../state/home.ts";
import { keptSpec } from "../state/list.ts";
import type { NebulaSpec } from "../spec/types.ts";
import type { NebulaState } from "../state/state.ts";
import { requireState } from "../state/store.ts";
import { readItem } from "./inbox-items.ts";
import { openClone } from "./clone.ts";
import { Conductor, type Seen } from "./conductor.ts";
import type { HeldLease } from "./held-lease.ts";
import { LaneRef } from "./lane-ref.ts";
import { onceAborted } from "./once-aborted.ts";
import type { FleetPlace } from "./place.ts";
import type { Reach } from "./reach.ts";
import { Recorder } from "./recorder.ts";
import { isRunning, stateOf } from "./state-of.ts";
import { takeLane } from "./take-lane.ts";
import { takeOver } from "./take-over.ts";
import { takeRun } from "./take-run.ts";

type OfApply =
  | ("optionsOf" | "commandEnv" | "env" | "stateFolder" | "keys")
  | ("withoutOwnHook" | "onEvent" | "signal");

export interface ConductOptions extends Pick<ApplyOptions, OfApply> {
  readonly port: NebulaPort;
  readonly place: FleetPlace;
  readonly depot: string;
  readonly reach: Reach;
  /** Of the lane. */
  readonly held: HeldLease;
  /** What may be spent, and at how many phases at once there is work. */
  readonly limitsOf: (spec: NebulaSpec, state: NebulaState) => FleetLimits;
}

export interface FleetLimits extends Omit<EngineLimits, "maxWorkers"> {
  /** How many phases all machines work on at once; `undefined`: as many as their workers take. */
  readonly maxWorkers: number | undefined;
}

/** How long it may take to record how an engine has ended that was cut off, in milliseconds. */
const LAST_MS = 5000;

/** How long a usage limit is waited for. */
const WAIT_MS = Number.MAX_SAFE_INTEGER;

/**
 * Is the conductor of a nebula for as long as it holds the lane and there is something to do: has an engine schedule, merge
 * and verify here, and workers, on any machine, carry out the runs.
 *
 * @returns What it has heard of people: there may be more by now.
 * @throws {PortError}, {@link NebulaError}; the reason of the lease's loss.
 */
export async function conduct(options: ConductOptions): Promise<Seen> {
  const { port, place, depot, reach, held, signal: given } = options;
  const { nebula, epoch } = held.lease;
  const stale = new AbortController();
  const signal = AbortSignal.any([given, held.lost, stale.signal]);
  const over = AbortSignal.any([abortedAfter(given, LAST_MS), held.lost, stale.signal]);
  const status = await port.status(nebula);
  const state = stateOf(status);
  const clone = await openClone({ root: place.lane, depot, state, signal });
  const home = nebulaHome(clone.commonDir, nebula);
  const forServer = takeOver(home, status.state);
  await fetchAll(clone, { depot, state, signal, onEvent: options.onEvent });
  const laneRef = new LaneRef({
    ...{ repository: clone, depot, reach, nebula, epoch, signal },
    mergeFolder: await openMergeFolder(clone),
  });
  await takeLane(clone, laneRef, { depot, state, signal });
  const recorder = new Recorder({
    ...{ port, held: held.lease, state: status.state, over },
    offers: status.offers.filter((offer) => isRunning(state, offer)),
    onStale: (why) => stale.abort(new Error(why)),
  });
  const conductor = new Conductor(
    { port, depot, reach, held, recorder, laneRef, forServer },
    status,
  );
  takePlan(clone, conductor, recorder, status, home, options.onEvent);
  // Its path may be that of a folder of another machine, of which nothing is to be here.
  if (state.trees !== undefined && state.treesOf === clone.commonDir) makeFolders(state.trees);
  const { maxWorkers, ...limits } = options.limitsOf(keptSpec(clone.commonDir, state), state);
  const ended = applyNebula({
    ...options,
    ...{ repository: clone, loaded: undefined, base: state.base, signal },
    limits: {
      ...limits,
      // Nobody is at a terminal who would type the same command later.
      waitMs: WAIT_MS,
      get maxWorkers() {
        return maxWorkers ?? conductor.maxWorkers;
      },
    },
    resumed: requireState(home),
    fleet: conductor,
  });
  // Others are to know how it has ended, also where that was by an error.
  const [end] = await Promise.allSettled([ended]);
  const [last] = await Promise.allSettled([recorder.recorded()]);
  for (const each of [end, last]) if (each.status === "rejected") throw each.reason;
  return conductor.seen;
}

/** A signal that is aborted some time after another one. */
function abortedAfter(signal: AbortSignal, ms: number): AbortSignal {
  const after = new AbortController();
  const late = async (): Promise<void> => {
    await onceAborted(signal);
    await sleep(ms, undefined, { ref: false });
    after.abort(signal.reason);
  };
  void late();
  return after.signal;
}

/** What a person has said of the plan is taken while no engine works. */
function takePlan(
  { commonDir }: Repository,
  conductor: Conductor,
  recorder: Recorder,
  { inbox }: NebulaStatus,
  home: ReturnType<typeof nebulaHome>,
  onEvent: ConductOptions["onEvent"],
): void {
  for (const item of inbox) {
    if (!item.id.startsWith("plan/")) continue;
    const read = readItem(item);
    if ("refused" in read) onEvent({ type: "warning", message: read.refused });
    else if (read.said.kind === "plan") {
      decidePlan(commonDir, requireState(home), read.said.reply);
      conductor.savedByHand(home);
    }
    recorder.took([item.key]);
  }
}

/** The work that waits to land, and the runs that money is counted by, which other machines have copied. */
async function fetchAll(
  repository: Repository,
  {
    depot,
    state,
    signal,
    onEvent,
  }: Pick<ConductOptions, "depot" | "signal" | "onEvent"> & { readonly state: NebulaState },
): Promise<void> {
  const { id: nebula, phases } = state;
  const root = `refs/quasar/${nebula}/`;
  const refs = await depotRefs(repository, { url: depot, patterns: [`${root}*`], signal });
  const commits = [...refs.keys()].filter((name) => /\/(?:tip|base|conflict)$/u.test(name));
  const wants = commits.map((ref) => ({ ref, into: ref }));
  await fetchFromDepot(repository, { url: depot, wants, signal });
  for (const { ref: work, runs } of phases) {
    for (const runId of runs) {
      const epochs = epochsOf([...refs.keys()], `${root}${work}/${runId}/`);
      const whyNot = await takeRun(repository, { depot, nebula, work, runId, epochs, signal });
      if (whyNot !== "") {
        const message = `what the run ${runId} of ${work} has cost is not known here: ${whyNot}`;
        onEvent({ type: "warning", message });
      }
    }
  }
}

/** The epochs under which a run was copied, the newest first. */
function epochsOf(refs: readonly string[], prefix: string): readonly Epoch[] {
  return refs
    .filter((name) => name.startsWith(prefix) && name.endsWith("/run"))
    .flatMap((name) => {
      const found = /\/e(\d+)-([0-9a-f]+)\/run$/u.exec(name);
      return found === null ? [] : [{ n: Number(found[1]), writer: found[2] ?? "" }];
    })
    .toSorted((one, other) => other.n - one.n);
}
