import type { FirstTaskPlace } from "../first-task.ts";
import { turnOf } from "../first-task.ts";
import type { Finished } from "../place.ts";
import { leftOf } from "./processes.ts";

/** What is compared of a run that has ended. */
export interface Observed {
  readonly code: number | null;
  /** How often it was resumed. */
  readonly resumes: number;
  /** What the last command printed. */
  readonly output: string;
  readonly status: string;
  /** Id of the tree of HEAD. */
  readonly tree: string;
  /** What is not committed. */
  readonly uncommitted: string;
  /** Oldest first. */
  readonly subjects: readonly string[];
  /** What the model was asked: the turn and the step, in their order. */
  readonly asked: readonly string[];
  readonly billedUsd: number;
  /** What counts in the ledger: known, or reserved. */
  readonly ledgerUsd: number;
  readonly unknownUsd: number;
  /** Processes of the run. */
  readonly left: number;
}

interface Shown {
  readonly run?: {
    readonly status: string;
    readonly spentUsd: number;
    readonly unknownUsd: number;
  };
}

export async function observe(
  place: FirstTaskPlace,
  last: Finished,
  resumes: number,
): Promise<Observed> {
  const { repo, stub, git } = place;
  const shown = await place.start("show", "--json").finished;
  const { run } = JSON.parse(shown.stdout) as Shown;
  return {
    code: last.code,
    resumes,
    output: last.stdout + last.stderr,
    status: run?.status ?? "none",
    tree: git("rev-parse", "HEAD^{tree}"),
    uncommitted: git("status", "--porcelain"),
    subjects: git("log", "--reverse", "--format=%s").split("\n"),
    asked: stub.requests.map((request) => `${turnOf(request)}, step ${request.step}`),
    billedUsd: stub.billedUsd,
    ledgerUsd: run?.spentUsd ?? 0,
    unknownUsd: run?.unknownUsd ?? 0,
    left: await leftOf(repo),
  };
}
