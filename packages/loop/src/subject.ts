import type { CycleState } from "./state.ts";
import { firstLine, oneLine } from "./text.ts";

/** What git shows of a subject in one line, in code points. */
const LENGTH = 72;

/** The subject of a cycle's commit: `<task>/cycle-<n>: <first line of the task>`. */
export function commitSubject({ taskBeadId, cycle, taskTitle, phase }: CycleState): string {
  const prefix = `${oneLine(taskBeadId)}/cycle-${cycle}: `;
  const suffix = phase === "linting" ? " (lint fix)" : "";
  const room = Math.max(0, LENGTH - Array.from(prefix + suffix).length);
  return `${prefix}${firstLine(taskTitle, room)}${suffix}`;
}
