import { stateOf } from "@quasar/nebula/fleet";
import { LANE, type NebulaEntry, type NebulaPort, PortError } from "@quasar/nebula/port";
import { cleanLine, fit } from "@quasar/runs/text";
import { section } from "../../shared/output/section.ts";
import { tableLines } from "../../shared/output/table.ts";
import type { View } from "../../shared/output/text.ts";
import type { FleetStatusLine } from "../schemas/fleet.ts";

export type FleetNebula = FleetStatusLine["nebulae"][number];

/** The nebulae of a fleet, unfinished ones first, and who works on those. */
export async function lookAtFleet(port: NebulaPort): Promise<readonly FleetNebula[]> {
  const entries = await port.list();
  const ordered = entries.toSorted((a, b) => rank(a) - rank(b));
  return Promise.all(
    ordered.map(async ({ id, name, depot, isUnfinished }) => {
      const holders = isUnfinished ? await holdersOf(port, id) : [];
      return { id, name, depot, isFinished: !isUnfinished, holders };
    }),
  );
}

const rank = ({ isUnfinished }: NebulaEntry): number => (isUnfinished ? 0 : 1);

async function holdersOf(port: NebulaPort, id: string): Promise<FleetNebula["holders"]> {
  try {
    const status = await port.status(id);
    const ids = new Map(stateOf(status).phases.map(({ ref, id: phase }) => [ref, phase]));
    return status.holders.map(({ work, machine, worker, epoch }) => ({
      ...{ phase: ids.get(work) ?? work, machine, worker, epoch: epoch.n },
    }));
  } catch (error) {
    // The list and the nebula are not changed in one step.
    if (error instanceof PortError && error.code === "ERR_NOT_FOUND") return [];
    throw error;
  }
}

/** A table of the nebulae, and one of who works on what. Texts of others are made clean. */
export function fleetLines(nebulae: readonly FleetNebula[], view: View): readonly string[] {
  if (nebulae.length === 0) return ["no nebula was given to this fleet yet"];
  const rows = nebulae.map(({ id, name, depot, isFinished }) => [
    short(name),
    cleanLine(id),
    isFinished ? "ended" : "unfinished",
    cleanLine(depot),
  ]);
  const held = nebulae.flatMap(({ name, holders }) =>
    holders.map(({ phase, machine, epoch }) => [
      short(name),
      phase === LANE ? "(lane)" : short(phase),
      String(epoch),
      cleanLine(machine),
    ]),
  );
  return [
    ...tableLines(["nebula", "id", "", "depot"], rows, ["left", "left", "left", "left"], view),
    ...section(held.length === 0 ? ["nobody works on a phase now"] : holderLines(held, view)),
  ];
}

function holderLines(rows: readonly (readonly string[])[], view: View): readonly string[] {
  const head = ["nebula", "phase", "epoch", "machine"];
  return tableLines(head, rows, ["left", "left", "right", "left"], view);
}

/** Leaves the other columns room on 80. */
const short = (text: string): string => fit(cleanLine(text), 24);
