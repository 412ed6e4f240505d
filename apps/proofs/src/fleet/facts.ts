import { existsSync } from "node:fs";
import { join } from "node:path";
import { listNebulae } from "@quasar/nebula";
import { nebulaHome, runsFolder } from "@quasar/nebula/internal";
import { type Books, booksOf } from "../torture/books.ts";
import { rounded } from "../torture/model/spending.ts";
import { RESPONSE_USD, type Trial } from "./trial.ts";

/** What a trial has come to. */
export interface TrialFacts {
  /** Trees and subjects of the branch at the depot, oldest first. */
  readonly landings: readonly string[];
  /** Turns that were asked for again, by what they are for. */
  readonly repeated: readonly string[];
  readonly billedUsd: number;
  readonly ledgerUsd: number;
}

export async function factsOf(trial: Trial): Promise<TrialFacts> {
  const { asked, depot } = trial;
  const again = asked.filter(({ work, step }, at) =>
    asked.slice(0, at).some((each) => each.work === work && each.step === step),
  );
  return {
    landings: depot.landings(),
    repeated: [...new Set(again.map(({ work }) => work))],
    billedUsd: rounded(asked.length * RESPONSE_USD),
    ledgerUsd: rounded((await ledgerOf(trial)).totalUsd),
  };
}

/** What the last conductor knows of what the runs have cost. */
async function ledgerOf({ machines, nebula }: Trial): Promise<Books> {
  const dirs = machines.map(({ home }) =>
    join(home, ".local/state/quasar/fleet", nebula, "lane/.git"),
  );
  for (const commonDir of dirs) {
    if (!existsSync(commonDir)) continue;
    const state = listNebulae(commonDir).find(({ id }) => id === nebula);
    if (state === undefined || state.phases.some(({ status }) => status !== "done")) continue;
    const home = nebulaHome(commonDir, nebula);
    const runs = state.phases.flatMap(({ ref, runs: ids }) =>
      ids.map((run) => join(runsFolder(home, ref), run)),
    );
    return booksOf(runs.filter((run) => existsSync(run)));
  }
  return { totalUsd: 0, unknownUsd: 0 };
}

/** What is broken of the promises that hold in every row. */
export function brokenOf(
  { landings, repeated, billedUsd, ledgerUsd }: TrialFacts,
  {
    whole,
    maxRepeated,
    isOrdered,
  }: {
    readonly whole: TrialFacts;
    readonly maxRepeated: number;
    /** Whether phases land in the order of the plan. */
    readonly isOrdered: boolean;
  },
): readonly string[] {
  const subjects = landings.map((line) => line.replace(/^\S+ /u, ""));
  const twice = subjects.filter((each, at) => subjects.indexOf(each) !== at);
  const isSame = branchOf(landings, isOrdered) === branchOf(whole.landings, isOrdered);
  return [
    ...twice.map((each) => `landed twice: ${each}`),
    ...(isSame ? [] : [`another branch: ${subjects.join(", ")}`]),
    ...(repeated.length <= maxRepeated ? [] : [`asked again: ${repeated.join(", ")}`]),
    ...(ledgerUsd >= billedUsd ? [] : [`billed ${billedUsd}, ledger ${ledgerUsd}`]),
  ];
}

/** What is the same of each branch: without an order the subjects, and the last tree. */
function branchOf(landings: readonly string[], isOrdered: boolean): string {
  if (isOrdered) return landings.join("\n");
  const last = landings.at(-1)?.split(" ")[0] ?? "";
  return [last, ...landings.map((line) => line.replace(/^\S+ /u, "")).toSorted()].join("\n");
}
