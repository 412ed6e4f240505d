import { GitError } from "@quasar/git";
import { fullDiskOf, messageOf } from "@quasar/runs/internal";
import { shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import { resumeCommand } from "../state/resume-command.ts";
import type { NebulaState } from "../state/state.ts";

/**
 * Why an engine has ended, with what helps: where a disk is full, room and a resume; where a work tree is none any more,
 * a resume, which makes it again. Any other error is as it is.
 */
export function endedBy(error: unknown, { id }: Pick<NebulaState, "id">): unknown {
  if (error instanceof NebulaError) return error;
  const disk = fullDiskOf(error);
  if (disk !== undefined) {
    const message = `no space is left on the disk: ${messageOf(error)}`;
    return fullDiskError(message, { id, disk, cause: error });
  }
  if (!(error instanceof GitError && error.isNoWorkTree)) return error;
  const next = [{ shell: resumeCommand({ id }), note: "makes its work trees whole" }];
  return new NebulaError("ERR_DAMAGED", error.message, { cause: error, next });
}

/** Why an engine ends where a disk is full: nothing of a phase is at fault. @param disk - A folder on it; `""`: not known. */
export function fullDiskError(
  message: string,
  { id, disk, cause }: { readonly id: string; readonly disk: string; readonly cause?: unknown },
): NebulaError {
  const room = { shell: `df -h ${shellWord(disk || ".")}`, note: "make room there" };
  return new NebulaError("ERR_FULL_DISK", message, {
    cause,
    next: [room, { shell: resumeCommand({ id }) }],
  });
}
