import { isAncestor, resolveCommit } from "@quasar/git/history";
import {
  changeDigest,
  commitTree,
  compareAndSwapRef,
  landingDate,
  mergeTrees,
  readRef,
  requireObjects,
  syncRef,
} from "@quasar/git/landing";
import { type Base, branchRef, type Engine, withOneSpec } from "../context/context.ts";
import { boundText } from "../state/bounds.ts";
import { note, report } from "../state/report.ts";
import { nextLanding, type Phase } from "../state/schedule.ts";
import { takeDecisionsOf } from "../people/take-decisions.ts";
import type { PhaseSpec } from "../spec/types.ts";
import { refsOf } from "../state/home.ts";
import { isInLane, landedPhases, type NebulaState, type PhaseState } from "../state/state.ts";
import { addBase, baseWith, failsSetUp, verifyBase } from "./base.ts";
import { AUTHOR, conflictCommit } from "./conflict-commit.ts";
import { holdRef } from "./hold-ref.ts";
import { landingMessage } from "./message.ts";
import { laneObstacle, requireFreeLane } from "./obstacle.ts";
import { pathsOutside } from "./scope.ts";
import { unlessRefused } from "./refused-by-git.ts";
import { sendBack } from "./send-back.ts";
import { type ApprovedBefore, changedSinceApproval } from "./since-approval.ts";
import { rewound, tipOf } from "./tip.ts";
import { type Failure, outcomeOf, type Verified, verify } from "./verify.ts";

/**
 * Lands the phase whose turn it is: a pure merge commit on the branch's tip, verified, and then the branch is moved from
 * that very tip to it. That move is the only commit point: whatever dies before it has landed nothing, and whatever
 * dies after it finds its candidate in the branch. An update that comes meanwhile counts for the next one.
 *
 * @see SPEC.md, "Landing"
 */
export async function land(given: Engine, phase: Pick<Phase, "spec">): Promise<void> {
  const engine = withOneSpec(given);
  const { id } = phase.spec;
  const spec = engine.spec.phases.find((each) => each.id === id) ?? phase.spec;
  engine.inLane.add(id);
  try {
    await unlessRefused(engine, id, () => landOn(engine, spec));
  } finally {
    engine.inLane.delete(spec.id);
  }
}

async function landOn(engine: Engine, spec: PhaseSpec): Promise<void> {
  const { id } = spec;
  const { attempt } = engine.store.phase(id);
  let known = expectedTip(engine.store.current);
  for (;;) {
    const tip = await tipOf(engine);
    if (tip !== known) note(engine, { type: "base_moved", phase: id, tip });
    known = tip;
    if (await isOnBranch(engine, id, tip)) return;
    const base = await verifyBase(engine, tip);
    // What a person merges into a branch that fails by itself may be what repairs it.
    if (base.isRed && engine.store.phase(id).merges === "") return;
    if (!stillLands(engine, id, attempt)) return;
    const made = await candidateOn(engine, { spec, state: engine.store.phase(id) }, tip);
    if (made === undefined) return;
    const { repository, signal } = engine;
    await requireObjects(repository, made.candidate, { beside: tip, signal });
    if (await leavesScope(engine, spec, made)) return;
    const verified = await verifyCandidate(engine, made, base);
    if (verified === "does not land") return;
    if (await waitsForPerson(engine, spec, made)) return;
    if ((await laneObstacle(engine)) !== undefined) return;
    // What is decided later comes too late: nothing is awaited before the move here, and over a fleet no answer is taken.
    if (!stillLands(engine, id, attempt)) return;
    if (await moveBranch(engine, made)) {
      if (verified !== "none") {
        addBase(engine, made.candidate, baseWith(engine, verified.failures));
      }
      finish(engine, id);
      return;
    }
  }
}

/** Takes what people have decided of the phase meanwhile. @returns Whether this attempt of it is still to land. */
function stillLands(engine: Engine, id: string, attempt: number): boolean {
  takeDecisionsOf(engine, id);
  const phase = engine.store.phase(id);
  return phase.attempt === attempt && isInLane(phase);
}

/** Where the branch is as long as nobody else moves it. */
function expectedTip(state: NebulaState): string {
  return landedPhases(state).at(-1)?.candidate ?? state.base;
}

/** What has failed, and fails on what it lands on, too. */
type NoWorse = Pick<Verified, "failures">;

/**
 * Verifies a candidate; one that fails goes back to its agents. Where its tree cannot be set up, nor that of what it lands
 * on, it waits. `none`: the nebula names no commands.
 */
async function verifyCandidate(
  engine: Engine,
  made: PhaseState,
  base: Base,
): Promise<NoWorse | "none" | "does not land"> {
  if (engine.spec.execution.verify.length === 0) return "none";
  const { id, candidate: commit, tree, attempt } = made;
  const isNew = (command: string | undefined): boolean =>
    command === undefined || !base.failing.has(command);
  const found = await verify(engine, { commit, tree, attempt }, isNew);
  const { failures } = found;
  const unset = failures.find(({ command }) => command === undefined);
  if (unset !== undefined && (await failsSetUp(engine, made.onto))) {
    if (made.merges !== "") asksAbout(engine, id, unset);
    return "does not land";
  }
  const findings = failures.filter(({ command }) => isNew(command)).map(({ finding }) => finding);
  const passed = failures.length === 0 ? outcomeOf(found) : "accepted";
  const outcome = findings.length > 0 ? "failed" : passed;
  const verified = failures.length === 0;
  report(engine, id, { verified }, { type: "verification", phase: id, tree, outcome });
  if (findings.length === 0) return { failures };
  const onto = await conflictCommit(engine, made, made);
  await sendBack(engine, id, { cause: "verify", findings, base: onto });
  return "does not land";
}

/** A merge, which lands also where the branch fails by itself, would be tried without an end: a person has it tried again. */
function asksAbout(engine: Engine, id: string, { finding }: Pick<Failure, "finding">): void {
  const reason = boundText(`it could not be verified, nor can what it lands on: ${finding}`);
  const waiting = { status: "awaiting_human", question: "rework", reason } as const;
  report(engine, id, waiting, { type: "phase_waits", phase: id, reason });
}

/** The phase with a candidate on this tip; `undefined` where it was sent back. */
async function candidateOn(
  engine: Engine,
  { spec, state }: Phase,
  tip: string,
): Promise<PhaseState | undefined> {
  const { store, mergeFolder, signal } = engine;
  const { id } = spec;
  // What was recorded is used as it is: another version of git may merge in another way.
  const isUsable = state.status === "landing" && state.onto === tip;
  const ref = refsOf(store.current.id).candidate(state.seq);
  if (isUsable && (await exists(engine, state.candidate))) {
    await holdRef(engine, ref, state.candidate);
    return state;
  }
  const merged = await mergeTrees(mergeFolder, { ours: tip, theirs: state.tip, signal });
  if (merged.conflicts.length > 0) {
    const findings = merged.conflicts.map(({ path, message }) => `[merge] ${path}: ${message}`);
    const conflicts = merged.conflicts.map(({ path }) => path);
    const base = await conflictCommit(engine, state, { onto: tip, tree: merged.tree });
    await sendBack(engine, id, {
      cause: "merge",
      findings,
      base,
      conflict: { conflictCommit: base, conflicts },
    });
    return undefined;
  }
  const { tree } = merged;
  const parents = [tip, state.tip];
  const candidate = await commitTree(mergeFolder, {
    ...{ tree, parents, author: AUTHOR, signal },
    message: landingMessage(store.current, spec, state),
    atSeconds: await landingDate(mergeFolder, parents),
  });
  await holdApproved(engine, state, candidate);
  const change = { status: "landing", onto: tip, candidate, tree, verified: false } as const;
  report(engine, id, change, { type: "candidate_made", phase: id, onto: tip, candidate });
  await holdRef(engine, ref, candidate);
  return store.phase(id);
}

/** Keeps what a person has approved from `gc` before the ref of candidates names another one. */
async function holdApproved(
  engine: Engine,
  { ref, approvedCandidate }: PhaseState,
  candidate: string,
): Promise<void> {
  if (approvedCandidate === "" || approvedCandidate === candidate) return;
  if (!(await exists(engine, approvedCandidate))) return;
  await holdRef(engine, refsOf(engine.store.current.id).approved(ref), approvedCandidate);
}

/**
 * Whether the branch has a phase's candidate already, which has landed then, or what it was approved with, of which
 * nothing is left to land: a git that died has moved the branch, or a person has merged it.
 */
async function isOnBranch(engine: Engine, id: string, tip: string): Promise<boolean> {
  const { repository, store, signal } = engine;
  const state = store.phase(id);
  const has = async (commit: string): Promise<boolean> =>
    (await isAncestor(repository, commit, tip, { signal })) === true;
  if (state.candidate !== "" && (await has(state.candidate))) {
    syncRef(repository, branchRef(engine));
    finish(engine, id);
    return true;
  }
  if (!(await has(state.tip))) return false;
  const done = { status: "done", reservedUsd: 0, reason: "" } as const;
  report(engine, id, done, { type: "phase_unchanged", phase: id });
  return true;
}

/** Whether the phase goes back since it changes what it does not name; where that is only advised, it is reported. */
async function leavesScope(engine: Engine, spec: PhaseSpec, made: PhaseState): Promise<boolean> {
  const paths = await pathsOutside(engine, spec, made);
  if (paths.length === 0) return false;
  const { id, tip } = made;
  if (engine.spec.execution.scopePolicy === "advise") {
    note(engine, { type: "outside_scope", phase: id, paths });
    return false;
  }
  const findings = paths.map((path) => `[scope] ${path} is outside of what the phase may change`);
  await sendBack(engine, id, { cause: "scope", findings, base: tip });
  return true;
}

/**
 * Whether the phase waits for a person who decides whether its change lands. What they approve is the change, whatever
 * has landed meanwhile; where the merge makes another one of it, they are asked again.
 */
async function waitsForPerson(
  engine: Engine,
  spec: PhaseSpec,
  { id, onto, candidate, approved, approvedCandidate }: PhaseState,
): Promise<boolean> {
  const { mergeFolder, signal } = engine;
  const gate = spec.gate ?? engine.spec.execution.gate;
  if (gate === "trust" || gate === "watch") return false;
  const digest = await changeDigest(mergeFolder, { from: onto, to: candidate, signal });
  if (digest === approved) return false;
  const reason = await whyAsked(engine, { approved, candidate, approvedCandidate });
  const asked = { question: "land", digest, approved: "", reason } as const;
  const waiting = { status: "awaiting_human", ...asked } as const;
  report(engine, id, waiting, { type: "phase_waits", phase: id, reason });
  return true;
}

/** Where a change was approved before that is another one by now, the reason names the files. */
async function whyAsked(
  engine: Engine,
  phase: ApprovedBefore & Pick<PhaseState, "approved">,
): Promise<string> {
  const paths = await changedSinceApproval(engine, phase);
  if (paths.length === 0) {
    return phase.approved === ""
      ? "its change is to be approved before it lands"
      : "what landed meanwhile has made another change of it: it is to be approved again";
  }
  const named = paths.slice(0, MOST_NAMED).join(", ");
  const more = paths.length > MOST_NAMED ? `, ${paths.length - MOST_NAMED} more` : "";
  const differ = paths.length === 1 ? "1 file differs" : `${paths.length} files differ`;
  return boundText(`its approval was for another change: ${differ} since (${named}${more})`);
}

/** Most files that stand in why a person is asked again. */
const MOST_NAMED = 3;

async function exists({ repository, signal }: Engine, commit: string): Promise<boolean> {
  return (await resolveCommit(repository.root, commit, { signal })) !== undefined;
}

async function moveBranch(
  engine: Engine,
  { id, onto, candidate }: Pick<PhaseState, "id" | "onto" | "candidate">,
): Promise<boolean> {
  const { repository, signal, fleet } = engine;
  const ref = branchRef(engine);
  const message = `land ${id}`;
  if (fleet !== undefined && !(await fleet.moveBranch(engine, { id, onto, candidate })))
    return false;
  const swap = { ref, from: onto, to: candidate, message, signal };
  return (await compareAndSwapRef(repository, swap)) === "swapped";
}

/** Records a landing whose candidate is on the branch. */
function finish(engine: Engine, id: string): void {
  const { candidate, verified } = engine.store.phase(id);
  const landing = nextLanding(engine.store.current);
  const done = { status: "done", landing, reservedUsd: 0, reason: "" } as const;
  report(engine, id, done, { type: "phase_landed", phase: id, candidate, verified });
}

/**
 * Brings the branch and the state together before anything is begun: a landing that moved the branch and was not
 * recorded is recorded, one that was recorded and whose move a power cut took back is moved again.
 *
 * @throws {NebulaError} `ERR_REWOUND` where the branch is somewhere else; `ERR_BRANCH` where a landing is to be repeated and
 *   a work tree uses the branch.
 */
export async function reconcileLandings(engine: Engine): Promise<void> {
  const { repository, store, signal } = engine;
  const tipNow = () => readRef(repository, branchRef(engine), { signal });
  const isLanded = async ({ candidate }: PhaseState): Promise<boolean> => {
    const tip = await tipNow();
    if (tip === undefined) return false;
    return (await isAncestor(repository, candidate, tip, { signal })) === true;
  };
  const landed = landedPhases(store.current);
  const last = landed.at(-1);
  // Each landing was made on all before it, so the last one answers for them.
  const isWhole = last === undefined || (await isLanded(last));
  for (const state of isWhole ? [] : landed) {
    if (await isLanded(state)) continue;
    if ((await tipNow()) === state.onto) await requireFreeLane(engine);
    if (!(await moveBranch(engine, state))) {
      throw await rewound({ repository, state: store.current, signal }, state);
    }
    const { id: phase, candidate } = state;
    note(engine, { type: "landing_repeated", phase, candidate });
  }
  for (const state of store.current.phases.filter(({ status }) => status === "landing")) {
    if (!(await exists(engine, state.candidate)) || !(await isLanded(state))) continue;
    syncRef(repository, branchRef(engine));
    finish(engine, state.id);
  }
}
