import type { ChildOutcome } from "./child.ts";
import { readJsonFile } from "./turn-files.ts";

/** How a turn's process ended, as its supervisor has written it down; `undefined`: not (yet). */
export function readExitRecord(path: string): ChildOutcome | undefined {
  const record = readJsonFile(path);
  if (record?.["v"] !== 1) {
    return undefined;
  }
  const { started, problem, stopped, exitCode, exitSignal, stderrTail, durationMs, orphansEnded } =
    record as Partial<Record<keyof ChildOutcome, unknown>>;
  const isOutcome =
    typeof started === "boolean" &&
    typeof stderrTail === "string" &&
    typeof durationMs === "number" &&
    (exitCode === null || typeof exitCode === "number") &&
    (exitSignal === null || typeof exitSignal === "string");
  if (!isOutcome) {
    return undefined;
  }
  return {
    started,
    problem: problem as ChildOutcome["problem"],
    stopped: stopped as ChildOutcome["stopped"],
    exitCode,
    exitSignal: exitSignal as ChildOutcome["exitSignal"],
    stderrTail,
    durationMs,
    orphansEnded: typeof orphansEnded === "number" ? orphansEnded : 0,
  };
}
