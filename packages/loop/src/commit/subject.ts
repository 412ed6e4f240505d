import type { CycleState } from "../state.ts";
import { firstLine, oneLine } from "../text.ts";

/** What git shows of a subject in one line, in code points. */
export const SUBJECT_LENGTH = 72;

/**
 * The seed's subject of a cycle's commit: `<task>/cycle-<n>: <first line of the task>`, or as it is given.
 *
 * @param fix - What is said behind it of a commit that is not the coder's first of the cycle.
 */
export function commitSubject(
  { taskBeadId, cycle, taskTitle, phase }: CycleState,
  subject?: string,
  fix: string = phase === "linting" ? " (lint fix)" : "",
): string {
  const [prefix, text, suffix] =
    subject === undefined
      ? [`${oneLine(taskBeadId)}/cycle-${cycle}: `, taskTitle, fix]
      : ["", subject, `${cycle > 1 ? ` (cycle ${cycle})` : ""}${fix}`];
  const room = Math.max(0, SUBJECT_LENGTH - Array.from(prefix + suffix).length);
  return `${prefix}${firstLine(text, room)}${suffix}`;
}
