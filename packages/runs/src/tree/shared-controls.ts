import { createRedactor } from "@quasar/agents/environment";
import type { Repository } from "@quasar/git";
import { type ControlsOptions, openControls, stopWords } from "@quasar/loop/internal";
import type { RunOptions } from "../run-options.ts";

/** What controls git in all work trees of a repository, against how it was when the first of many runs there began. */
export interface SharedControls {
  /** What had changed and was accepted when they were opened, in words: what is there counts. */
  readonly accepted: readonly string[];
  /** For each of the runs, so that none commits with what has changed before it began. */
  readonly ofRuns: RunOptions["largerControls"];
  /** Why no run may begin, in words: it would take for its user's what another run's agent may have set. */
  obstacle(): Promise<string | undefined>;
}

/** @throws {GitError} where settings cannot be read. */
export async function openSharedControls(
  repository: Repository,
  options: Omit<ControlsOptions, "scope">,
): Promise<SharedControls> {
  const redact = createRedactor(process.env);
  const shared = { ...options, scope: "repository" } as const;
  const controls = await openControls(repository, shared, redact);
  return {
    ofRuns: controls,
    accepted: controls.accepted.map(({ words }) => words),
    obstacle: async () => stopWords(await controls.changes()),
  };
}
