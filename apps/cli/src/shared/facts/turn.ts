/** A turn as `--json` has it: what it has spent has the same name there as what a run has. */
export function turnFacts<Turn extends { readonly costUsd: number }>({
  costUsd: spentUsd,
  ...turn
}: Turn): Omit<Turn, "costUsd"> & { readonly spentUsd: number } {
  return { ...turn, spentUsd };
}
