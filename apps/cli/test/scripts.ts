import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "./harness.ts";

export const APPROVAL = `APPROVED: it does what was asked.

REPORT:
SATISFACTION: high
RISK: low
NEEDS_HUMAN_REVIEW: no
SUMMARY: Small and right.
`;

export function issue(description: string): string {
  return `ISSUE:\nSEVERITY: major\nDESCRIPTION: ${description}\n`;
}

export interface Turn {
  readonly role: "coder" | "reviewer";
  /** Part of the prompt that it answers; the first turn that fits is taken. */
  readonly match?: string | undefined;
  readonly text: string;
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly costUsd?: number | undefined;
  readonly delayMs?: number | undefined;
  readonly says?: readonly string[] | undefined;
  readonly failure?:
    | { readonly kind: string; readonly message: string; readonly retryAt?: string }
    | undefined;
}

/** Milliseconds of a turn that does not end by itself in a test: it is ended with the test. */
export const LONG = 3_600_000;

/** Writes a script and gives the arguments that make it both agents. */
export function agents(
  at: Place,
  turns: readonly Turn[],
  more: { readonly model?: string; readonly responseUsd?: number | undefined } = {},
): readonly string[] {
  const path = join(at.outside, "script.json");
  writeFileSync(path, JSON.stringify({ turns, ...more }));
  return ["--coder", `scripted:${path}`, "--reviewer", `scripted:${path}`];
}

/** Two cycles: a finding in the first, approved in the second. */
export function twoCycles(delayMs = 0): readonly Turn[] {
  return [
    {
      role: "coder",
      match: "flaw of the first",
      text: "Fixed.",
      files: { "work.txt": "right\n", "more.txt": "more\n" },
      costUsd: 0.2,
      delayMs,
    },
    {
      role: "coder",
      text: "Written.",
      files: { "work.txt": "first\n" },
      costUsd: 0.3,
      delayMs,
    },
    { role: "reviewer", match: "PRIOR FINDINGS", text: APPROVAL, costUsd: 0.1, delayMs },
    { role: "reviewer", text: issue("flaw of the first"), costUsd: 0.1, delayMs },
  ];
}

/** One cycle, approved at once. */
export function oneCycle(delayMs = 0): readonly Turn[] {
  return [
    { role: "coder", text: "Written.", files: { "work.txt": "right\n" }, costUsd: 0.3, delayMs },
    { role: "reviewer", text: APPROVAL, costUsd: 0.1, delayMs },
  ];
}

/** A reviewer who is never content. */
export function neverContent(): readonly Turn[] {
  return [
    { role: "coder", text: "Written.", files: { "work.txt": "x\n" }, costUsd: 0.3 },
    { role: "reviewer", text: issue("it is not good enough"), costUsd: 0.1 },
  ];
}

/** Turns of one response that costs $1.50, approved by the first review or by the second. */
export function dearTurns(approvedBy: "first" | "second"): readonly Turn[] {
  const turns = approvedBy === "first" ? oneCycle() : twoCycles();
  return turns.map((turn) => ({ ...turn, costUsd: 1.5 }));
}
