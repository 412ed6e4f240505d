import { compareAndSwapRef, readRef, syncRef } from "@quasar/git/landing";
import type { Engine } from "../context/context.ts";

const HELD = "held by a nebula";

/** Has one of Quasar's refs name a commit, durably, whatever it named before. */
export async function holdRef(
  { repository, signal }: Pick<Engine, "repository" | "signal">,
  ref: string,
  commit: string,
): Promise<void> {
  for (;;) {
    const from = await readRef(repository, ref, { signal });
    if (from === commit) {
      // A process that was killed after the move may not have synced it.
      syncRef(repository, ref);
      return;
    }
    const swapped = await compareAndSwapRef(repository, {
      ref,
      from,
      to: commit,
      message: HELD,
      signal,
    });
    if (swapped === "swapped") return;
  }
}
