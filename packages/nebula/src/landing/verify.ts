import { createHash } from "node:crypto";
import { dirtyPaths } from "@quasar/git";
import { treeToCommit } from "@quasar/git/work-trees";
import { inspectReceipt, justifiesSkip, listReceipts, signReceipt } from "@quasar/receipts";
import { makeFolders } from "@quasar/process/files";
import { NebulaError } from "../errors.ts";
import type { Engine } from "../engine/context.ts";
import { setupDigest } from "../trees/set-up.ts";
import { moveTree, VERIFY_TREE } from "../trees/tree.ts";
import { runShell } from "./run-shell.ts";

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

/** A commit to be verified, and its tree. */
export interface Candidate {
  readonly commit: string;
  readonly tree: string;
  /** From 1. */
  readonly attempt: number;
}

/**
 * Runs the nebula's commands on a commit, in a work tree that holds it and nothing else, and signs what came of it. A
 * failure is repeated: only one that repeats counts.
 *
 * @param isFinal - Whether the rest need not be run once this command has failed.
 */
export async function verify(
  engine: Engine,
  candidate: Candidate,
  isFinal: (command: string) => boolean,
): Promise<Verified> {
  const { verify: commands, verifyRetries } = engine.spec.execution;
  makeFolders(engine.home.receipts);
  let path: string;
  try {
    path = await verifyTree(engine, candidate);
  } catch (error) {
    if (!(error instanceof NebulaError) || error.code !== "ERR_SETUP") throw error;
    const finding = `[verify] ${error.message}`;
    return { failures: [{ command: undefined, finding }], isKnown: false, isFlaky: false };
  }
  const configSha256 = configOf(engine, path);
  const failures: Failure[] = [];
  let isKnown = true;
  let isFlaky = false;
  for (const command of commands) {
    if (isProved(engine, command, candidate.tree, configSha256)) continue;
    isKnown = false;
    let finding: string | undefined;
    for (let tries = 0; tries <= verifyRetries; tries += 1) {
      if (tries > 0) await verifyTree(engine, candidate);
      finding = await verifyOnce(engine, { command, path, candidate, configSha256 });
      if (finding !== undefined) continue;
      isFlaky ||= tries > 0;
      break;
    }
    if (finding === undefined) continue;
    failures.push({ command, finding });
    if (isFinal(command)) break;
  }
  return { failures, isKnown, isFlaky };
}

/** The work tree of verifications, which holds the candidate and nothing else. */
async function verifyTree(engine: Engine, { commit }: Candidate): Promise<string> {
  const { setup: commands, verifyClean } = engine.spec.execution;
  const setup = { commands, again: "changed" } as const;
  const isEmptied = verifyClean === "all";
  return (await moveTree(engine, { name: VERIFY_TREE, commit, setup, isEmptied })).root;
}

/** What a receipt is good for: the commands, and what the tree was set up with. */
function configOf({ spec }: Engine, path: string): string {
  const { verify: commands } = spec.execution;
  const config = JSON.stringify([commands, setupDigest(spec, path)]);
  return createHash("sha256").update(config).digest("hex");
}

function isProved(engine: Engine, command: string, tree: string, configSha256: string): boolean {
  const { keys, home, store } = engine;
  const dir = home.receipts;
  const task = { workspaceId: "nebula", taskId: store.current.id };
  return listReceipts(dir, { tree }).some(
    (receipt) =>
      receipt.command === command &&
      justifiesSkip(inspectReceipt(receipt, { dir, task, keys }), { tree, configSha256 }),
  );
}

interface OneCommand {
  readonly command: string;
  readonly path: string;
  readonly candidate: Candidate;
  readonly configSha256: string;
}

/** @returns Why it has failed, if it has. */
async function verifyOnce(
  engine: Engine,
  { command, path, candidate, configSha256 }: OneCommand,
): Promise<string | undefined> {
  const { home, keys, store, signal } = engine;
  const ran = await runShell(engine, { command, path, dir: home.receipts });
  const changed = await dirtyPaths(path, { signal });
  const treeAfter = changed.length === 0 ? candidate.tree : await treeToCommit(path, { signal });
  const { end, startedAt } = ran;
  signReceipt(
    {
      receiptId: ran.id,
      workspaceId: "nebula",
      taskId: store.current.id,
      stepName: "verify",
      attempt: candidate.attempt,
      command,
      argv: ran.argv,
      exitCode: end.exitCode,
      signal: end.signal,
      startedAt: startedAt.toISOString(),
      completedAt: new Date(startedAt.getTime() + end.durationMs).toISOString(),
      durationMs: end.durationMs,
      configSha256,
      commitBefore: candidate.commit,
      treeBefore: candidate.tree,
      commitAfter: candidate.commit,
      treeAfter,
    },
    { keys, dir: home.receipts },
  );
  if (end.exitCode !== 0) return `[verify] ${command} exit ${end.exitCode}: ${ran.tail}`;
  if (changed.length === 0) return undefined;
  const paths = changed.map(({ path: name }) => name).join(", ");
  return `[verify] ${command} changed: ${paths}`;
}
