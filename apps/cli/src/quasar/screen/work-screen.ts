import { messageOf } from "@quasar/runs/internal";
import type { CoverableReporter } from "../../shared/output/coverable.ts";
import type { Watched } from "../runs/find-watched.ts";

/** The cockpit of work that this process does. The work needs it for nothing: it ends alone. */
export interface WorkScreen {
  /** Opens it, once; there are lines until then, and after a person has left it. */
  open(watched: Watched): void;
  /** To be called when the work has ended. Resolves once the terminal has lines again. Never rejects. */
  close(): Promise<void>;
}

export interface WorkScreenOptions {
  readonly reporter: Pick<CoverableReporter<never>, "cover" | "uncover">;
  /** A person stops the work: then there are lines. */
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
  readonly warn: (message: string) => void;
}

export function createWorkScreen({ reporter, signal, tell, warn }: WorkScreenOptions): WorkScreen {
  const ended = new AbortController();
  const over = AbortSignal.any([ended.signal, signal]);
  let shown: Promise<void> | undefined;

  async function show(watched: Watched): Promise<void> {
    const again = `To open it again: quasar watch ${watched.id}`;
    try {
      const { openOn } = await import("../../cockpit/open.ts");
      if (over.aborted) return;
      reporter.cover();
      await openOn(watched, over);
      reporter.uncover();
      if (over.aborted) return;
      tell("The screen is closed; the work continues here. Ctrl-C stops and saves it.");
      // By itself: a line that is broken within a command cannot be copied.
      tell(again);
    } catch (error) {
      reporter.uncover();
      warn(`The screen has failed, and the work continues: ${messageOf(error)}`);
      tell(again);
    }
  }

  return {
    open(watched) {
      shown ??= show(watched);
    },
    async close() {
      ended.abort();
      await shown;
    },
  };
}
