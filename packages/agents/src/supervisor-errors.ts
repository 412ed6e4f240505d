import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import type { AgentRequest } from "./agent.ts";
import { openTurnFile, type TurnFiles, turnFiles } from "./turn-files.ts";

/** A turn, by the names of its files. */
export type TurnName = Pick<AgentRequest, "runId" | "turnId" | "turnsDir">;

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
const TAIL_BYTES = 8192;

/**
 * Opens the file for what a turn's supervisor prints of its own failures.
 *
 * @returns `undefined` where the turn has no folder yet, or nothing can be opened there: a turn does not
 *   fail for that.
 */
export function openSupervisorErrors(
  turn: TurnName,
): { readonly fd: number; readonly path: string } | undefined {
  if (turn.turnsDir === undefined) return undefined;
  try {
    const path = turnFiles(turn.turnsDir, turn).path("err");
    return { fd: openSync(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600), path };
  } catch {
    return undefined;
  }
}

/** The end of what a turn's supervisor printed of its own failures; `""`: nothing. */
export function readSupervisorErrors(files: TurnFiles): string {
  const fd = openTurnFile(files.path("err"));
  if (fd === undefined) return "";
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const length = readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString("utf8", 0, length).trim();
  } finally {
    closeSync(fd);
  }
}

/**
 * What the supervisor of a turn printed of its own failures, its end, without secrets; `""`: nothing, as it
 * should be.
 *
 * @throws {AgentsError} `ERR_INVALID_RUN_ID` for a turn's id that is not `<run id>.<n>`.
 * @see SPEC.md, "Files of a turn"
 */
export function supervisorErrors(turn: Required<TurnName>): string {
  return readSupervisorErrors(turnFiles(turn.turnsDir ?? "", turn));
}
