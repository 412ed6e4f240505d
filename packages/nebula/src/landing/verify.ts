import { createHash } from "node:crypto";
import type { Repository } from "@quasar/git";
import { inspectReceipt, justifiesSkip, listReceipts } from "@quasar/receipts";
import { makeFolders } from "@quasar/process/files";
import type { NebulaError } from "../errors.ts";
import type { Engine } from "../context/context.ts";
import { isSetUpError, repeatSetUp } from "../trees/repeat-set-up.ts";
import { setupDigest } from "../trees/set-up.ts";
import { moveTree, VERIFY_TREE } from "../trees/tree.ts";
import { type Candidate, verifyOnce } from "./verify-once.ts";

/** A command that did not pass, or the set-up before it. */
export interface Failure {
  /** `undefined`: the work tree could not be set up, so none was run. */
  readonly command: string | undefined;
  /** What failed, and how, for a coder. */
  readonly finding: string;
}

/** What the verification of a tree has come to. */
export interface Verified {
  /** None: it has passed. */
  readonly failures: readonly Failure[];
  /** A receipt for the same tree and commands was there. */
  readonly isKnown: boolean;
  /** A command has failed, and passed when it was repeated. */
  readonly isFlaky: boolean;
}

/** How one that has passed is reported. */
export function outcomeOf({
  isKnown,
  isFlaky,
}: Pick<Verified, "isKnown" | "isFlaky">): "passed" | "flaky" | "known" {
  return isFlaky ? "flaky" : isKnown ? "known" : "passed";
}

/**
 * Runs the nebula's commands on a commit, and signs what came of it. Each finds a work tree that holds the commit and
 * nothing else, but for the ignored files of those before where these stay. A failure is repeated: only one that repeats
 * counts.
 *
 * @param isFinal - Whether the rest need not be run once this command has failed.
 */
export async function verify(
  engine: Engine,
  candidate: Candidate,
  isFinal: (command: string) => boolean,
): Promise<Verified> {
  const { verify: commands, verifyRetries, verifyClean } = engine.spec.execution;
  makeFolders(engine.home.receipts);
  const failures: Failure[] = [];
  let isKnown = true;
  let isFlaky = false;
  try {
    let tree = await verifyTree(engine, candidate);
    const configSha256 = configOf(engine, tree.root);
    /** Whether nothing was run there that may have left something. */
    let isFresh = true;
    for (const command of commands) {
      if (isProved(engine, command, candidate.tree, configSha256)) continue;
      isKnown = false;
      let finding: string | undefined;
      for (let tries = 0; tries <= verifyRetries; tries += 1) {
        if (!isFresh) tree = await verifyTree(engine, candidate);
        finding = await verifyOnce(engine, { command, tree, candidate, configSha256 });
        isFresh = finding === undefined && verifyClean === "untracked";
        if (finding !== undefined) continue;
        isFlaky ||= tries > 0;
        break;
      }
      if (finding === undefined) continue;
      failures.push({ command, finding });
      if (isFinal(command)) break;
    }
  } catch (error) {
    if (!isSetUpError(error)) throw error;
    failures.push(setUpFailure(error));
  }
  return { failures, isKnown, isFlaky };
}

/**
 * Why the work tree of verifications cannot be set up at a commit, with nothing there that an earlier set-up has left;
 * `undefined`: it can be.
 */
export async function failedSetUp(engine: Engine, commit: string): Promise<Failure | undefined> {
  try {
    await verifyTree(engine, { commit }, true);
    return undefined;
  } catch (error) {
    if (!isSetUpError(error)) throw error;
    return setUpFailure(error);
  }
}

function setUpFailure({ message }: NebulaError): Failure {
  return { command: undefined, finding: `[verify] ${message}` };
}

/** The work tree of verifications, which holds the candidate and nothing else. */
async function verifyTree(
  engine: Engine,
  { commit }: Pick<Candidate, "commit">,
  isEmptied = engine.spec.execution.verifyClean === "all",
): Promise<Repository> {
  const setup = { commands: engine.spec.execution.setup, isRepeated: true };
  const options = { name: VERIFY_TREE, commit, setup, isEmptied };
  return repeatSetUp(engine, undefined, () => moveTree(engine, options));
}

/** What a receipt is good for: the commands, and what the tree was set up with. */
function configOf({ spec }: Engine, path: string): string {
  const { verify: commands } = spec.execution;
  const config = JSON.stringify([commands, setupDigest(spec, path)]);
  return createHash("sha256").update(config).digest("hex");
}

/** Whether a receipt says that the command passes, and that it was this commit's tree that it judged. */
function isProved(engine: Engine, command: string, tree: string, configSha256: string): boolean {
  const { keys, home, store } = engine;
  const dir = home.receipts;
  const task = { workspaceId: "nebula", taskId: store.current.id };
  return listReceipts(dir, { tree }).some((receipt) => {
    if (receipt.command !== command) return false;
    const inspected = inspectReceipt(receipt, { dir, task, keys });
    const { commitBefore, commitAfter } = inspected.statement ?? {};
    return commitBefore === commitAfter && justifiesSkip(inspected, { tree, configSha256 });
  });
}
