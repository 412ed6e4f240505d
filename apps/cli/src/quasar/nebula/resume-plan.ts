import type { NebulaState, PhaseState } from "@quasar/nebula";
import { isFunded } from "@quasar/nebula/facts";
import type { NebulaNow, Shortage } from "@quasar/nebula/internal";
import type { NebulaSpec } from "@quasar/nebula/spec";
import type { Workspace } from "@quasar/runs";
import { cleanLine } from "@quasar/runs/text";
import { momentAfter } from "@quasar/runs/words";
import { labelled, type View } from "../../shared/output/text.ts";
import { headline } from "./headline.ts";
import { attemptsOf } from "./phase-facts.ts";
import { type PlannedItem, planRun } from "./plan-run.ts";
import { nameOf, namesOf } from "./standing.ts";

/** What a resume would do with a phase that has neither landed nor failed. */
export interface PlannedResume {
  readonly phaseId: string;
  /** `begin`: once what it waits for has landed. `wait`: a resume does nothing with it. */
  readonly action: "land" | "continue" | "begin" | "wait";
  readonly attempt: number;
  /** The run that it continues; left out where nothing of it was saved. */
  readonly runId?: string | undefined;
  /** The last cycle that this has begun. */
  readonly cycle?: number | undefined;
  /** What becomes of the parts of that run; left out where it is not known before. */
  readonly items?: readonly PlannedItem[] | undefined;
  /** Phases that land before it begins or lands, and have not. */
  readonly waitsFor: readonly string[];
  /** What it waits for besides; `""`: nothing. */
  readonly reason: string;
}

/** In the order of the plan. */
export async function planResume(
  workspace: Workspace,
  {
    state,
    spec,
    now,
    short,
  }: {
    readonly state: NebulaState;
    readonly spec: NebulaSpec;
    readonly now: NebulaNow;
    /** The limits that are too small. */
    readonly short: readonly Shortage[];
  },
): Promise<readonly PlannedResume[]> {
  const specs = new Map(spec.phases.map((phase) => [phase.id, phase]));
  const landed = new Set(
    state.phases.filter(({ status }) => status === "done").map(({ id }) => id),
  );
  const isPlanOpen = state.planVerdict !== "asked" && state.planVerdict !== "rejected";
  const planned = state.phases.map(async (phase): Promise<PlannedResume | undefined> => {
    const { id: phaseId, attempt, reason } = phase;
    const known = { phaseId, attempt, waitsFor: [], reason: "" };
    const limit = now.limits.get(phaseId);
    const why = limit && `its agent's usage limit ends at ${momentAfter(limit.until)}`;
    const continues = phase.runId === "" ? "pending" : "running";
    switch (isFunded(phase, short) ? continues : phase.status) {
      case "queued":
      case "landing": {
        const first = now.laneWaits.get(phaseId);
        return { ...known, action: "land", waitsFor: first === undefined ? [] : [first] };
      }
      case "running": {
        const run = { ...known, ...(await runOf(workspace, state, phase)) };
        const items = run.runId === undefined ? undefined : await planRun(workspace, state, phase);
        return why === undefined
          ? { ...run, items, action: "continue" }
          : { ...run, items, action: "wait", reason: why };
      }
      case "pending": {
        if (!isPlanOpen)
          return { ...known, action: "wait", reason: "for the approval of the plan" };
        if (why !== undefined) return { ...known, action: "wait", reason: why };
        const needs = specs.get(phaseId)?.dependsOn ?? [];
        return { ...known, action: "begin", waitsFor: needs.filter((id) => !landed.has(id)) };
      }
      case "awaiting_human":
        return { ...known, action: "wait", reason };
      default:
        return undefined;
    }
  });
  return (await Promise.all(planned)).filter((each) => each !== undefined);
}

async function runOf(
  workspace: Workspace,
  state: NebulaState,
  phase: PhaseState,
): Promise<Pick<PlannedResume, "runId" | "cycle">> {
  const { runs } = await attemptsOf(workspace, state, phase, { isWorkedOn: false });
  const { runId, cycle, status } = runs.at(-1) ?? {};
  return status === undefined ? {} : { runId, cycle };
}

/** The same for a person. */
export function resumeLines(resume: readonly PlannedResume[], view: View): readonly string[] {
  const groups = Map.groupBy(resume, labelOf);
  const lines = LABELS.flatMap((label) =>
    (groups.get(label) ?? []).flatMap((each, at) =>
      labelled(view, at === 0 ? label : "", wordsOf(each, view)),
    ),
  );
  return lines.length === 0 ? [] : [view.paint("dim", "  what a resume does:"), ...lines];
}

const LABELS = ["lands", "resumes", "begins", "later", "waits"] as const;

function labelOf({ action, waitsFor }: PlannedResume): (typeof LABELS)[number] {
  if (action === "begin") return waitsFor.length === 0 ? "begins" : "later";
  return ({ land: "lands", continue: "resumes", wait: "waits" } as const)[action];
}

function wordsOf(each: PlannedResume, view: View): string {
  const { phaseId, action, attempt, runId, cycle, items = [], waitsFor, reason } = each;
  const name = nameOf(phaseId);
  const again = attempt > 1 ? `, attempt ${attempt}` : "";
  const [after = ""] = namesOf(waitsFor);
  const then = after === "" ? "" : `, after ${after}`;
  if (action === "wait") return `${name}: ${headline(reason, view, `${name}: `)}`;
  if (action !== "continue") return `${name}${again}${then}`;
  if (runId === undefined) return `${name}${again}: its run begins, nothing of it was saved`;
  const where = `run ${runId}, from its cycle ${cycle ?? 1}`;
  if (items.length === 0) return `${name}${again}: ${where}`;
  return `${name}${again}: ${items.map(({ message }) => cleanLine(message)).join("; ")} (${where})`;
}
