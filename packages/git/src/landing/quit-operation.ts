import type { SignalOptions } from "../head.ts";
import { operationInProgress, type Repository } from "../repository.ts";
import { git } from "../run.ts";

/**
 * Has git forget what it is in the middle of in a work tree; HEAD, index and files stay. What git cannot forget, for its
 * files are damaged, stays too.
 */
export async function quitOperation(
  { root, gitDir }: Pick<Repository, "root" | "gitDir">,
  { signal }: SignalOptions,
): Promise<void> {
  let before: string | undefined;
  for (;;) {
    const operation = await operationInProgress({ gitDir });
    if (operation === undefined || operation === before) return;
    const args = operation === "bisect" ? ["bisect", "reset", "HEAD"] : [operation, "--quit"];
    await git("keep", root, args, { signal });
    before = operation;
  }
}
