import { readFileSync } from "node:fs";
import type { KeptEvent } from "@quasar/nebula/internal";
import { listReceipts, receiptPaths, type ValidationReceipt } from "@quasar/receipts";

/** A verification that failed: of which tree, and when it had ended. */
export interface FailedVerification {
  readonly tree: string;
  /** RFC 3339. */
  readonly at: string;
}

/** Which verifications have failed of a phase. */
export interface FailedVerifications {
  /** By the number of the attempt that began after each. */
  readonly before: ReadonlyMap<number, FailedVerification>;
  /** That after which no other attempt has begun. @default none, or the journal does not know it */
  readonly last?: FailedVerification | undefined;
}

/** @param events - Of the phase, oldest first. */
export function failedVerifications(events: readonly KeptEvent[]): FailedVerifications {
  const before = new Map<number, FailedVerification>();
  let last: FailedVerification | undefined;
  for (const event of events) {
    if (event.type === "verification") last = event.outcome === "failed" ? event : undefined;
    if (event.type !== "rework") continue;
    if (last !== undefined) before.set(event.attempt, last);
    last = undefined;
  }
  return { before, last };
}

/**
 * The files with the outputs that texts show a part of, by the text: those of the command that it names, in its own
 * verification, whose output has the text's last line.
 *
 * @param dir - Of the nebula's receipts.
 * @param texts - Each with its verification; `undefined`: it is not known, and the last one with such an output counts.
 */
export function outputFiles(
  dir: string,
  texts: ReadonlyMap<string, FailedVerification | undefined>,
): ReadonlyMap<string, string> {
  const ofCommands = [...texts].filter(([text]) => text.includes("[verify] "));
  const byVerification = Map.groupBy(ofCommands, ([, verification]) => verification);
  const found = [...byVerification].flatMap(([verification, those]) => {
    const failed = failedIn(dir, verification);
    return those.flatMap(([text]) => {
      const path = outputOf(text, failed, dir);
      return path === undefined ? [] : [[text, path] as const];
    });
  });
  return new Map(found);
}

function outputOf(
  text: string,
  failed: readonly ValidationReceipt[],
  dir: string,
): string | undefined {
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  return failed
    .filter(({ command }) => text.includes(`[verify] ${command} `))
    .flatMap(({ receiptId }) => {
      const { stdout, stderr } = receiptPaths(dir, receiptId);
      return [stderr, stdout];
    })
    .find((path) => textOf(path).includes(last));
}

/** Commands that have failed, the last one first. */
function failedIn(
  dir: string,
  verification: FailedVerification | undefined,
): readonly ValidationReceipt[] {
  return listReceipts(dir, { tree: verification?.tree })
    .filter(({ exitCode, completedAt }) => {
      return exitCode !== 0 && (verification === undefined || completedAt <= verification.at);
    })
    .toReversed();
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
