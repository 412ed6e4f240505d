import { coderTurn, reviewerTurn, taskOf, type TorturedNebula } from "./tortured-nebula.ts";

const IDS = Array.from({ length: 50 }, (_, at) => `p${String(at + 1).padStart(2, "0")}`);

/** So many can be worked on at once, which is more than there are workers. */
const CHAINS = 5;

/** Many phases in a few chains, each with a file of its own. */
export const FIFTY_PHASES: TorturedNebula = {
  phases: Object.fromEntries(
    IDS.map((id, at) => [id, at < CHAINS ? [] : [IDS[at - CHAINS] ?? ""]]),
  ),
  order: "ready",
  workers: 3,
  turns: [
    ...IDS.map((id) => ({
      ...coderTurn(taskOf(id), { [`${id}.txt`]: `${id}\n` }),
      says: [{ text: "Writing it", files: { [`${id}.txt`]: `half of ${id}\n` } }],
    })),
    ...IDS.map((id) => reviewerTurn(taskOf(id))),
  ],
  hasFixedBases: false,
};
