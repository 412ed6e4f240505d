import type {
  ChainHead,
  KeyManager,
  ReceiptStatement,
  TaskName,
  ValidationReceipt,
} from "@quasar/receipts";
import type { KeyRing } from "@quasar/receipts/keys";
import { plainLine, shortSha } from "../plain.ts";
import { judgeReceipts, type ReceiptChain } from "../validation/receipt-chain.ts";

/** A commit that is to be what was validated. */
export interface VerifiedCommit {
  readonly sha: string;
  readonly tree: string;
  /** What its trailers say: whose it is, and the head of the receipts at that time. */
  readonly taskId: string | undefined;
  readonly head: ChainHead | undefined;
}

export interface VerifyReceiptsOptions {
  /** Folder of the receipts' files. */
  readonly dir: string;
  readonly task: TaskName;
  /** A key manager, or what `pinKeys` returns. */
  readonly keys: KeyRing & Partial<Pick<KeyManager, "head">>;
  /** As the task's files have them. @default none: the receipts' own files say it all */
  readonly recorded?: readonly ValidationReceipt[] | undefined;
  /** Without one only the receipts are judged. */
  readonly commit?: VerifiedCommit | undefined;
  /** Heads of the chain that are known from elsewhere. @default none */
  readonly heads?: readonly ChainHead[] | undefined;
  /** Commands that must have passed on the tree, as they were run. @default none by name */
  readonly required?: readonly string[] | undefined;
}

export interface Verification {
  /** `unverifiable`: nothing is wrong, but not everything that has to be known is here. */
  readonly kind: "valid" | "invalid" | "unverifiable";
  /** In words, the gravest first; empty where the kind is `valid`. */
  readonly problems: readonly string[];
  readonly chain: ReceiptChain;
  /** The newest receipt of each command on the commit's tree, else on the tree of the last receipt. */
  readonly results: readonly ReceiptStatement[];
}

/**
 * Whether the receipts of a task are all that were signed, and say that its commands passed on the tree
 * of a commit. Needs no private key.
 *
 * @see SPEC.md, "Verifying a commit"
 */
export function verifyReceipts(options: VerifyReceiptsOptions): Verification {
  const { dir, task, keys, commit, recorded = [], required = [] } = options;
  const heads = [...(options.heads ?? []), ...(commit?.head === undefined ? [] : [commit.head])];
  const { chain, statements } = judgeReceipts({ dir, task, keys, heads, recorded });
  const tree = commit?.tree ?? statements.at(-1)?.treeAfter;
  const results = newestOfEach(statements.filter(({ treeAfter }) => treeAfter === tree));

  const wrong: string[] = chain.kind === "invalid" ? [...chain.problems] : [];
  const unknown: string[] = chain.kind === "unverifiable" ? [...chain.problems] : [];
  if (commit?.taskId !== undefined && commit.taskId !== task.taskId) {
    wrong.push(`the commit is of task ${plainLine(commit.taskId, 100)}`);
  }
  if (chain.here === 0) {
    unknown.push("no receipt is here");
  } else if (chain.signed === undefined) {
    unknown.push("no head of the chain is known: whether receipts are missing cannot be said");
  }
  if (chain.here > 0 && results.length === 0 && commit !== undefined) {
    const at = statements.at(-1)?.treeAfter;
    const last = at === undefined ? "" : `; the last receipt is of tree ${shortSha(at)}`;
    const message = `no receipt is of the commit's tree ${shortSha(commit.tree)}${last}`;
    (unknown.length > 0 && statements.length === 0 ? unknown : wrong).push(message);
  }
  for (const { command, exitCode, treeBefore } of results) {
    if (exitCode !== 0) wrong.push(`${plainLine(command)} failed with exit code ${exitCode}`);
    else if (treeBefore !== tree)
      wrong.push(`${plainLine(command)} ran on another tree, and left this one`);
  }
  for (const wanted of required) {
    const isPassed = results.some(
      ({ command, exitCode, treeBefore }) =>
        command === wanted && exitCode === 0 && treeBefore === tree,
    );
    if (!isPassed) wrong.push(`${plainLine(wanted)} has not passed on this tree`);
  }
  const kind = wrong.length > 0 ? "invalid" : unknown.length > 0 ? "unverifiable" : "valid";
  return { kind, problems: [...wrong, ...unknown], chain, results };
}

/** A command is known by its configuration: what was run before and after it is part of that. */
function newestOfEach(statements: readonly ReceiptStatement[]): readonly ReceiptStatement[] {
  const newest = new Map(statements.map((each) => [each.configSha256, each]));
  return statements.filter((each) => newest.get(each.configSha256) === each);
}
