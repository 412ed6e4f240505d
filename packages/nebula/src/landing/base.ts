import { treeOfCommit } from "@quasar/git/internal";
import { type Base, type Engine, withOneSpec } from "../context/context.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { note } from "../state/report.ts";
import { resumeCommand } from "../state/resume-command.ts";
import type { VerificationOutcome } from "../events.ts";
import { NebulaError } from "../errors.ts";
import { tipOf } from "./tip.ts";
import { type Failure, failedSetUp, outcomeOf, verify } from "./verify.ts";

/** Of a nebula without `verify`, any commit. */
const UNVERIFIED: Base = { failing: new Set(), isRed: false };

/**
 * What is known of the branch's tip, by the commands and the set-up of now; `undefined`: it is to be verified first.
 *
 * @throws {NebulaError} `ERR_REWOUND`
 */
export async function knownBase(engine: Engine): Promise<Base | undefined> {
  const { spec, bases } = engine;
  if (spec.execution.verify.length === 0) return UNVERIFIED;
  return bases.get(keyOf(spec, await tipOf(engine)));
}

/** Has a commit known as a base, by the commands and the set-up of the engine. */
export function addBase({ bases, spec }: Engine, commit: string, base: Base): void {
  bases.set(keyOf(spec, commit), base);
}

/** Of a commit and all that its verification depends on. */
function keyOf({ execution }: NebulaSpec, commit: string): string {
  const { verify: commands, verifyClean, setup, setupInputs, copy } = execution;
  return JSON.stringify([commit, commands, verifyClean, setup, setupInputs, copy]);
}

/**
 * Verifies a commit that somebody else has made by itself, so that no phase is blamed for it. What it knows already it
 * does not verify again.
 */
export async function verifyBase(given: Engine, commit: string): Promise<Base> {
  const engine = withOneSpec(given);
  const { bases, store, repository, signal, spec } = engine;
  if (spec.execution.verify.length === 0) return UNVERIFIED;
  const known = bases.get(keyOf(spec, commit));
  if (known !== undefined) return known;
  const tree = await treeOfCommit(repository.root, commit, { signal });
  if (tree === undefined) throw new NebulaError("ERR_DAMAGED", `git has no tree of ${commit}`);
  const verified = await verify(engine, { commit, tree, attempt: 1 }, () => false);
  const { failures } = verified;
  const failing = failures.flatMap(({ command }) => command ?? []);
  // What is accepted is what a person has seen: not what comes later.
  if (engine.acceptsRedBase && bases.size === 0) store.acceptFailures(failing);
  const base = baseWith(engine, failures);
  const outcome = failures.length === 0 ? outcomeOf(verified) : base.isRed ? "failed" : "accepted";
  noteBase(engine, commit, { base, outcome, failures });
  return base;
}

/**
 * Whether the tree of verifications cannot be set up at the branch's tip either, where it could not be for a candidate on it:
 * then it is no phase's fault, and the branch counts as one that fails by itself until an engine verifies it again.
 */
export async function failsSetUp(engine: Engine, tip: string): Promise<boolean> {
  const failure = await failedSetUp(engine, tip);
  if (failure === undefined) return false;
  const failures = [failure];
  noteBase(engine, tip, { base: baseWith(engine, failures), outcome: "failed", failures });
  const shell = resumeCommand(engine.store.current);
  const message = `set-up fails on the branch too, so no phase goes back; once it works:\n${shell}`;
  note(engine, { type: "warning", message });
  return true;
}

function noteBase(
  engine: Engine,
  tip: string,
  {
    base,
    outcome,
    failures,
  }: {
    readonly base: Base;
    readonly outcome: VerificationOutcome;
    readonly failures: readonly Failure[];
  },
): void {
  addBase(engine, tip, base);
  const findings = failures.map(({ finding }) => finding);
  const failsSetUp = failures.some(({ command }) => command === undefined);
  note(engine, {
    ...{ type: "base_verified", tip, outcome, findings },
    ...(failsSetUp && { failsSetUp }),
  });
}

/** What is known of a commit that fails in this way. */
export function baseWith(
  { store }: Pick<Engine, "store">,
  failures: readonly Pick<Failure, "command">[],
): Base {
  const accepted = new Set<string | undefined>(store.current.acceptedFailures);
  const failing = new Set(failures.flatMap(({ command }) => command ?? []));
  return { failing, isRed: failures.some(({ command }) => !accepted.has(command)) };
}
