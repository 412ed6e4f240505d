import { countChanges, type FileChange } from "@quasar/git/history";
import type { NebulaState, PhaseState } from "@quasar/nebula";
import {
  type KeptEvent,
  nebulaEvents,
  nebulaHome,
  type PhaseAttempt,
  phaseAttempts,
  runsFolder,
} from "@quasar/nebula/internal";
import type { RunStatus, Workspace } from "@quasar/runs";
import { type SpendingFacts, spendingFacts } from "../facts/nebula-apply.ts";
import { listRuns, openUser, openWorkspace, spendingIn } from "@quasar/runs/internal";

/** An attempt of a phase with what became of its run; that is left out where nothing of it was saved. */
export interface ShownAttempt extends PhaseAttempt, Partial<SpendingFacts> {
  readonly status?: RunStatus | undefined;
  readonly cycle?: number | undefined;
}

export interface ShownAttempts {
  /** Oldest first. */
  readonly runs: readonly ShownAttempt[];
  /** What the run of the last one was asked; `undefined` where nothing of it was saved, or the next has not begun. */
  readonly task: string | undefined;
  /** What its engine has warned of and kept, each once. */
  readonly warnings: readonly string[];
  /** What the journal has of the phase, oldest first. */
  readonly events: readonly KeptEvent[];
}

/** The attempts of a phase, each with its run. */
export async function attemptsOf(
  { root, repositoryId }: Workspace,
  { id }: NebulaState,
  phase: PhaseState,
  { isWorkedOn }: { readonly isWorkedOn: boolean },
): Promise<ShownAttempts> {
  const events = nebulaEvents(repositoryId, id).filter(
    (event) => "phase" in event && event.phase === phase.id,
  );
  const attempts = phaseAttempts(phase, events);
  const home = runsFolder(nebulaHome(repositoryId, id), phase.ref);
  const workspace = await openWorkspace(root, { home });
  // Who works on a run is the nebula's engine, which its status says.
  const runs = listRuns(workspace, openUser(), phase.runs, { live: false });
  const known = new Map<string, Omit<ShownAttempt, keyof PhaseAttempt>>();
  let asked: string | undefined;
  const spending = await spendingIn(home);
  for await (const { id: runId, status, cycle, task } of runs) {
    if (runId === phase.runId) asked = task;
    const isRunning = isWorkedOn && runId === phase.runId;
    const spent = spending.get(runId);
    known.set(runId, {
      ...{ status: isRunning ? "running" : status, cycle },
      ...(spent && spendingFacts(spent)),
    });
  }
  return {
    runs: attempts.map((attempt) => ({ ...attempt, ...known.get(attempt.runId) })),
    task: asked,
    warnings: warningsOf(events),
    events,
  };
}

function warningsOf(events: readonly KeptEvent[]): readonly string[] {
  const said = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  return [...new Set(said)];
}

/** What a phase changes on the branch, or has been approved to; `undefined` where nothing of it is approved yet. */
export async function changesOf(
  root: string,
  { onto, candidate, base, tip }: PhaseState,
): Promise<readonly FileChange[] | undefined> {
  if (candidate !== "") return countChanges(root, onto, candidate);
  // What only merges a commit has no base of its own.
  return tip === "" || base === "" ? undefined : countChanges(root, base, tip);
}
