import { join } from "node:path";
import { changedPaths } from "@quasar/git/history";
import { lastReportOf } from "@quasar/runs/internal";
import { landingSubject } from "../landing/message.ts";
import type { PhaseSpec } from "../spec/types.ts";
import { runsFolder } from "../state/home.ts";
import type { Engine } from "../context/context.ts";

/** What a phase that has landed did, for the agents of those that need it. */
export interface LandedWork {
  /** Of its landing. */
  readonly subject: string;
  readonly paths: readonly string[];
  /** What its coder reported last; `""` where there is nothing. Untrusted, as paths are. */
  readonly report: string;
}

/** What the phases have landed that one needs, by their ids. One that had nothing to land is not among them. */
export async function landedWork(
  { repository, home, spec: nebula, store, signal }: Engine,
  { dependsOn }: Pick<PhaseSpec, "dependsOn">,
): Promise<ReadonlyMap<string, LandedWork>> {
  const found = new Map<string, LandedWork>();
  for (const { id, ref, runs, landing, onto, candidate } of store.current.phases) {
    const spec = nebula.phases.find((phase) => phase.id === id);
    if (landing === 0 || spec === undefined || !dependsOn.includes(id)) continue;
    const last = runs.at(-1);
    found.set(id, {
      subject: landingSubject(spec),
      paths: await changedPaths(repository.root, onto, candidate, { signal }),
      report: (last && (await lastReportOf(join(runsFolder(home, ref), last)))) ?? "",
    });
  }
  return found;
}
