import { commitTree, landingDate } from "@quasar/git/landing";
import type { Engine } from "../engine/context.ts";
import { refsOf } from "../state/home.ts";
import type { ReworkCause } from "../state/state.ts";
import { holdRef } from "./hold-ref.ts";

/** Why a phase cannot land as it is. */
export interface Refusal {
  readonly cause: ReworkCause;
  readonly findings: readonly string[];
  /** The tip that it was to land on. */
  readonly tip: string;
  /** The tree of the merge with its markers, where it conflicts. @default none: it merges */
  readonly conflict?: { readonly tree: string; readonly paths: readonly string[] } | undefined;
}

const AUTHOR = { name: "Quasar", email: "quasar@localhost" };

/**
 * Sends a phase back to its agents: a new run on a commit that has both parents, so that what it makes merges whatever
 * its agents do. After too many times of one cause a person decides.
 */
export async function sendBack(
  engine: Engine,
  id: string,
  { cause, findings, tip, conflict }: Refusal,
): Promise<void> {
  const { store, merges, signal, spec, tell } = engine;
  const state = store.phase(id);
  const { length: done } = state.reworks.filter((each) => each === cause);
  if (done >= spec.execution.maxReworks) {
    const reason = `it could not land after ${done} reworks: ${findings[0] ?? cause}`;
    const event = { type: "phase_waits", phase: id, reason } as const;
    const waiting = { status: "awaiting_human", question: "rework", reason, findings } as const;
    store.change(id, waiting, event);
    tell(event);
    return;
  }
  const parents = [state.tip, tip];
  const tree = conflict?.tree ?? (state.onto === tip ? state.tree : "");
  const base = await commitTree(merges, {
    ...{ tree, parents, author: AUTHOR, signal },
    message: `Merge what has landed into ${state.ref}\n\nQuasar-Nebula: ${store.current.id}\n`,
    atSeconds: await landingDate(merges, parents),
  });
  const attempt = state.attempt + 1;
  const event = { type: "rework", phase: id, attempt, findings } as const;
  // The commit is kept from `gc` before the state names it.
  await holdRef(engine, refsOf(store.current.id).conflict(state.ref, attempt), base);
  store.change(
    id,
    {
      ...{ status: "pending", attempt, base, runId: "" },
      ...{
        reworks: [...state.reworks, cause],
        findings,
        tip: "",
        onto: "",
        candidate: "",
        tree: "",
      },
      reason: findings[0] ?? cause,
    },
    event,
  );
  tell(event);
}
