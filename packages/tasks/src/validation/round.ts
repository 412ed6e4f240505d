import type { ValidationCommand } from "../task-record.ts";
import { plainLine } from "../plain.ts";
import { changeBetween, isSamePlace, type Place, placeOf } from "./place.ts";
import { configDigest } from "./proof.ts";
import type { RoundOptions } from "./round-options.ts";
import type { CommandResult, Round } from "./round-result.ts";
import { runAndSign } from "./run-and-sign.ts";

/**
 * Runs the commands of a task's configuration in order, up to the first that fails, and signs what came
 * of each as soon as it has ended. It has passed where each has passed on what is there at the end: where
 * files or HEAD change while a command runs, it and those before it run once more, and nothing may change
 * then. What a receipt proves is not run again, but at least one command is: what is on record as passed
 * has a receipt of its own.
 *
 * @throws {ReceiptError} as `signReceipt` does
 * @see SPEC.md, "Validation"
 */
export async function validateRound(options: RoundOptions): Promise<Round> {
  const { timeoutMs = Infinity } = options;
  const deadline = performance.now() + timeoutMs;
  const start = await placeOf(options);
  const first = await runAll(options, { here: start, deadline });
  if (first.kind !== "done") return first;
  const changed = first.changes.map(({ what }) => what);
  if (changed.length === 0) return { kind: "passed", results: resultsOf(first), changed };
  const second = await runAll(options, { here: first.here, deadline, before: first });
  if (second.kind !== "done") return second;
  const results = resultsOf(second);
  const [again] = second.changes;
  return again === undefined
    ? { kind: "passed", results, changed }
    : { kind: "unsettled", results, message: unsettledWords(again) };
}

/** What a command's run has found to have changed meanwhile. */
interface Change {
  readonly command: ValidationCommand;
  /** In words. */
  readonly what: string;
}

/** The commands of one pass, none of which has failed. */
interface Pass {
  readonly kind: "done";
  readonly passed: readonly PassedCommand[];
  readonly changes: readonly Change[];
  /** At its end. */
  readonly here: Place;
}

interface PassedCommand {
  readonly result: CommandResult;
  /** What it has passed on; `undefined` where that changed while it ran. */
  readonly on: Place | undefined;
}

function resultsOf({ passed }: Pass): readonly CommandResult[] {
  return passed.map(({ result }) => result);
}

interface PassOptions {
  /** What is there. */
  readonly here: Place;
  /** By the clock of `performance`. */
  readonly deadline: number;
  /** Of which those that passed on what is there now do not run again; then the first change ends the pass. */
  readonly before?: Pass | undefined;
}

async function runAll(
  options: RoundOptions,
  { here: start, deadline, before }: PassOptions,
): Promise<Pass | Exclude<Round, { readonly kind: "passed" | "unsettled" }>> {
  const { task, worktree, stepName: step, tell, signal } = options;
  const { commands, timeoutMs: ofCommand } = task.config.validation;
  const passed: PassedCommand[] = [];
  const changes: Change[] = [];
  let here = start;
  for (const [index, command] of commands.entries()) {
    if (signal.aborted) return { kind: "interrupted" };
    const configSha256 = configDigest(task.config.validation, index);
    const isNeeded = index === commands.length - 1 && passed.every(({ result }) => result.isReused);
    const known =
      before === undefined
        ? proofOf(options, here, { command, configSha256, isNeeded })
        : keptOf(before, index, here);
    if (known !== undefined) {
      const { receiptId } = known.receipt;
      tell({ type: "command_reused", step, command: command.command, receiptId });
      passed.push({ result: known, on: here });
      continue;
    }
    const time = Math.max(0, Math.min(ofCommand, deadline - performance.now()));
    const ran = await runAndSign(options, { command, configSha256, before: here, timeoutMs: time });
    if (ran.kind !== "signed") return ran;
    const { result, after } = ran;
    const isSame = isSamePlace(here, after);
    passed.push({ result, on: isSame ? here : undefined });
    if (!isSame) {
      const change = { command, what: await changeBetween(worktree, here, after) };
      changes.push(change);
      tell({ type: "warning", message: changedWords(change) });
    }
    here = after;
    if (result.receipt.exitCode !== 0) {
      return { kind: "failed", results: passed.map((each) => each.result), failed: result };
    }
    if (!isSame && before !== undefined) break;
  }
  return { kind: "done", passed, changes, here };
}

/** What a receipt of an earlier time proves. */
function proofOf(
  { findProof }: RoundOptions,
  { tree }: Place,
  of: { command: ValidationCommand; configSha256: string; isNeeded: boolean },
): CommandResult | undefined {
  const { command, configSha256, isNeeded } = of;
  const receipt = isNeeded || tree === undefined ? undefined : findProof?.({ tree, configSha256 });
  return receipt && { command, receipt, isReused: true };
}

/** What the pass before has shown of what is there now. */
function keptOf({ passed }: Pass, index: number, here: Place): CommandResult | undefined {
  const { on, result } = passed[index] ?? {};
  return on !== undefined && isSamePlace(on, here) ? result : undefined;
}

function changedWords({ command, what }: Change): string {
  const rest = "that is not reviewed, and what passed before does not count";
  return `changed while ${quoted(command)} ran: ${what}; ${rest}`;
}

function unsettledWords({ command, what }: Change): string {
  return (
    `the commands have passed on nothing that is there: each time they run something changes, now ` +
    `while ${quoted(command)} ran: ${what}. See git status and git log. Keep that command, or whatever ` +
    "else works in the work tree, from changing it; then atlas retry"
  );
}

function quoted({ command }: ValidationCommand): string {
  return JSON.stringify(plainLine(command, 100));
}
