import { coderTurn, reviewerTurn, taskOf, type TorturedNebula } from "./tortured-nebula.ts";

/** So many can be worked on at once, which is more than there are workers. */
const CHAINS = 5;

/** Many phases in a few chains, each with a file of its own. */
export function phasesInChains(count: number): TorturedNebula {
  const ids = Array.from({ length: count }, (_, at) => `p${String(at + 1).padStart(2, "0")}`);
  return {
    phases: Object.fromEntries(
      ids.map((id, at) => [id, at < CHAINS ? [] : [ids[at - CHAINS] ?? ""]]),
    ),
    order: "ready",
    workers: 3,
    turns: [
      ...ids.map((id) => ({
        ...coderTurn(taskOf(id), { [`${id}.txt`]: `${id}\n` }),
        says: [{ text: "Writing it", files: { [`${id}.txt`]: `half of ${id}\n` } }],
      })),
      ...ids.map((id) => reviewerTurn(taskOf(id))),
    ],
    hasFixedBases: false,
  };
}

export const FIFTY_PHASES: TorturedNebula = phasesInChains(50);
