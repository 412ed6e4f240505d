import type { Epoch } from "../port/index.ts";

/** The refs of a nebula at its depot, beside its branch. What a worker writes has its epoch in the name: nobody else reads it. */
export interface DepotNames {
  /** The copies of the nebula's files. */
  readonly spec: string;
  /** Moves with each landing, and with each conductor: who has lost the lane cannot push beside it. */
  readonly lane: string;
  /** What the attempt of a phase begins at. */
  readonly base: (work: string) => string;
  /** The commit with the conflict that an attempt resolves. */
  readonly conflict: (work: string) => string;
  /** The last commit of a run. */
  readonly tip: (work: string, runId: string, epoch: Epoch) => string;
  /** The folder of a run. */
  readonly run: (work: string, runId: string, epoch: Epoch) => string;
}

export function depotNames(nebula: string): DepotNames {
  const root = `refs/quasar/${nebula}`;
  const of = (work: string, runId: string, { n, writer }: Epoch): string =>
    `${root}/${work}/${runId}/e${n}-${writer}`;
  return {
    spec: `${root}/spec`,
    lane: `${root}/lane`,
    base: (work) => `${root}/${work}/base`,
    conflict: (work) => `${root}/${work}/conflict`,
    tip: (work, runId, epoch) => `${of(work, runId, epoch)}/tip`,
    run: (work, runId, epoch) => `${of(work, runId, epoch)}/run`,
  };
}
