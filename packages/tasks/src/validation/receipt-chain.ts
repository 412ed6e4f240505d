import type { HookFile } from "@quasar/hookfile";
import {
  type ChainHead,
  type KeyManager,
  listReceipts,
  ReceiptError,
  type ReceiptStatement,
  type TaskName,
  type ValidationReceipt,
  type Verdict,
  verifyChain,
} from "@quasar/receipts";
import { type KeyRing, parseKeyPath } from "@quasar/receipts/keys";
import { messageOf } from "../errors.ts";
import { receiptsFolder } from "./folder.ts";
import { isStartedChanged } from "./started.ts";
import { receiptsView } from "./receipts-view.ts";

/** What is known of all of a task's receipts together. */
export interface ReceiptChain {
  /** `unverifiable`: nothing is wrong, but the keys or the kept head cannot be used here. */
  readonly kind: "valid" | "invalid" | "unverifiable";
  /** What is wrong or cannot be said, each in words; empty where the kind is `valid`. */
  readonly problems: readonly string[];
  /** How many receipts are here. */
  readonly here: number;
  /** How many were signed, where a head says so. */
  readonly signed: number | undefined;
  /** `unproved`: no head is of the last receipt, so some could be missing after it. */
  readonly tail: "proved" | "unproved";
}

/** All of a task's receipts, and the chain that they are. */
export interface JudgedReceipts {
  /** Oldest first. */
  readonly receipts: readonly ValidationReceipt[];
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** What was signed, of those whose verdict is `valid` with full coverage; in order. */
  readonly statements: readonly ReceiptStatement[];
  readonly chain: ReceiptChain;
}

export interface JudgeReceiptsOptions {
  /** Folder of the receipts' files. */
  readonly dir: string;
  readonly task: TaskName;
  /** As the hook file has them. */
  readonly recorded: readonly ValidationReceipt[];
  readonly keys: KeyRing & Partial<Pick<KeyManager, "head">>;
  /** Heads that were kept elsewhere: in commits' trailers. @default none */
  readonly heads?: readonly ChainHead[] | undefined;
}

/**
 * Judges all receipts of a task, those on record and those that are signed in its folder, against the
 * head of the chain that the keys keep: none may be changed, missing, doubled or in another's place.
 * Never throws: what cannot be read is unverifiable.
 *
 * @see SPEC.md, "The chain of receipts"
 */
export function judgeReceipts(options: JudgeReceiptsOptions): JudgedReceipts {
  const { dir, task, recorded, keys } = options;
  try {
    // The head first: a process that signs meanwhile writes the receipt before it.
    const kept = keptHead(keys, task);
    const receipts = inOrder(recorded, listReceipts(dir));
    const heads = [...(options.heads ?? []), ...(kept.head === undefined ? [] : [kept.head])];
    const verdict = verifyChain(receipts, { dir, task, keys, anchors: heads });
    const statements = verdict.receipts.flatMap(({ statement }) => statement ?? []);
    const broken = verdict.problems.map(({ receiptId, reason }) =>
      receiptId === undefined ? reason : `${receiptId}: ${reason}`,
    );
    const changed = statements
      .filter((statement) => isStartedChanged(dir, statement))
      .map(({ receiptId }) => `${receiptId}: ${receiptId}.started.json is not what was started`);
    const wrong = [...broken, ...changed];
    const unknown = [
      ...(kept.problem === undefined ? [] : [kept.problem]),
      ...(verdict.kind === "unverifiable" ? ["the key of a receipt is not here"] : []),
    ];
    const kind = wrong.length > 0 ? "invalid" : unknown.length > 0 ? "unverifiable" : "valid";
    const counts = heads.map(({ count }) => count);
    return {
      receipts,
      verdicts: new Map(
        receipts.flatMap(({ receiptId }, index) => {
          const inspected = verdict.receipts[index];
          return inspected === undefined ? [] : [[receiptId, inspected.verdict]];
        }),
      ),
      statements,
      chain: {
        kind,
        problems: [...wrong, ...unknown],
        here: receipts.length,
        signed: counts.length === 0 ? undefined : Math.max(...counts),
        tail: receipts.length === 0 && heads.length === 0 ? "proved" : verdict.tail,
      },
    };
  } catch (error) {
    const here = recorded.length;
    const problems = [messageOf(error)];
    return {
      receipts: recorded,
      verdicts: receiptsView(dir, { ...task, receipts: recorded }, keys),
      statements: [],
      chain: { kind: "unverifiable", problems, here, signed: undefined, tail: "unproved" },
    };
  }
}

/** What a task's store says of its receipts, judged once for each hook file. */
export interface ReceiptFacts {
  judge(hook: HookFile): JudgedReceipts;
  verdicts(hook: HookFile): ReadonlyMap<string, Verdict>;
  /** Of a chain that is broken. */
  receiptProblems(hook: HookFile): readonly string[];
}

export function receiptFacts(taskDir: string, keys: KeyManager): ReceiptFacts {
  let last: { readonly hook: HookFile; readonly judged: JudgedReceipts } | undefined;
  const dir = receiptsFolder(taskDir);
  const judge = (hook: HookFile): JudgedReceipts => {
    if (last?.hook !== hook) {
      const { taskId, workspaceId, receipts: recorded } = hook;
      const task = { taskId, workspaceId };
      last = { hook, judged: judgeReceipts({ dir, task, recorded, keys }) };
    }
    return last.judged;
  };
  return {
    judge,
    verdicts: (hook) => judge(hook).verdicts,
    receiptProblems: (hook) => problemsOf(judge(hook).chain),
  };
}

/** Keys that are not here say nothing against the receipts. */
export function problemsOf({ kind, problems }: ReceiptChain): readonly string[] {
  return kind === "invalid" ? problems : [];
}

/** A receipt that is on record counts as it is there: another one in its file is a difference. */
function inOrder(
  recorded: readonly ValidationReceipt[],
  signed: readonly ValidationReceipt[],
): readonly ValidationReceipt[] {
  const known = new Set(recorded.map(({ receiptId }) => receiptId));
  const all = [...recorded, ...signed.filter(({ receiptId }) => !known.has(receiptId))];
  return all.toSorted((one, other) => numberOf(one) - numberOf(other));
}

/** Its number in the chain, by the path of its key; one of the seed's format has none. */
function numberOf({ keyPath }: ValidationReceipt): number {
  try {
    return parseKeyPath(keyPath).receipt;
  } catch (error) {
    if (error instanceof ReceiptError) return -1;
    throw error;
  }
}

interface KeptHead {
  readonly head?: ChainHead | undefined;
  /** Why it cannot be read. */
  readonly problem?: string | undefined;
}

function keptHead(keys: JudgeReceiptsOptions["keys"], task: TaskName): KeptHead {
  try {
    return { head: keys.head?.(task) };
  } catch (error) {
    if (error instanceof ReceiptError) return { problem: `the kept head: ${error.message}` };
    throw error;
  }
}
