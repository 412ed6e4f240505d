import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import type { Given } from "../command.ts";

/**
 * `atlas checkpoint`: saves a checkpoint note. With `--auto` it says nothing and never fails:
 * whatever is wrong must not be a commit's problem, and the engine finds commits by itself. What the
 * git hook needs is loaded alone, so that it is quick.
 */
export async function checkpointCommand(
  description: string | undefined,
  given: Given,
): Promise<ExitCode> {
  if (given.auto !== true) {
    const { makeCheckpoint } = await import("../make-checkpoint.ts");
    return makeCheckpoint(description, given);
  }
  try {
    if (given.trigger === "git_commit") {
      await (await import("../note-head.ts")).noteHead();
    } else {
      await (await import("../make-checkpoint.ts")).makeCheckpoint(description, given);
    }
  } catch (error) {
    if (process.env["QUASAR_DEBUG"] === "1") console.error(error);
  }
  return EXIT.ok;
}
