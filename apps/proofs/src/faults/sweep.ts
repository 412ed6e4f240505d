import { type FaultCase, nameOf } from "./cases.ts";
import { faultsIn, makeLab, type Outcome, removeLab, type Target, tryFault } from "./lab.ts";
import { sample } from "./sample.ts";

export interface SweepOptions {
  /** How many cases to try, evenly taken from all there are. */
  readonly cases: number;
  readonly seed: number;
  /** Part of the names of those to try. @default all */
  readonly only?: string | undefined;
  readonly onCase: (target: Target, fault: FaultCase, outcome: Outcome) => void;
}

/** Strikes a command at many calls, one after the other; returns of how many there are. */
export async function sweep(target: Target, options: SweepOptions): Promise<number> {
  const { cases, seed, only = "", onCase } = options;
  const lab = await makeLab(target);
  try {
    const all = (await faultsIn(lab)).filter((fault) => nameOf(fault).includes(only));
    for (const fault of sample(all, cases, seed)) {
      onCase(target, fault, await tryFault(lab, fault));
    }
    return all.length;
  } finally {
    removeLab(lab);
  }
}
