import type { CycleState } from "./state.ts";
import { firstLine, oneLine } from "./text.ts";

/** What git shows of a subject in one line, in code points. */
const LENGTH = 72;

/** The subject of a cycle's commit: `<task>/cycle-<n>: <first line of the task>`, or as it is given. */
export function commitSubject(
  { taskBeadId, cycle, taskTitle, phase }: CycleState,
  subject?: string,
): string {
  const fix = phase === "linting" ? " (lint fix)" : "";
  const [prefix, text, suffix] =
    subject === undefined
      ? [`${oneLine(taskBeadId)}/cycle-${cycle}: `, taskTitle, fix]
      : ["", subject, `${cycle > 1 ? ` (cycle ${cycle})` : ""}${fix}`];
  const room = Math.max(0, LENGTH - Array.from(prefix + suffix).length);
  return `${prefix}${firstLine(text, room)}${suffix}`;
}
