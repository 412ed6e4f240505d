import { statfsSync } from "node:fs";
import { size } from "@quasar/runs/text";
import type { Engine } from "../context/context.ts";

/** Why no phase may begin or land for now: too little room for work trees. `undefined`: there is enough. */
export function diskObstacle({ trees, spec }: Engine): string | undefined {
  const { minFreeBytes } = spec.execution;
  const { bavail, bsize } = statfsSync(trees);
  const free = bavail * bsize;
  if (free >= minFreeBytes) return undefined;
  return `nothing begins or lands: ${size(free)} are free at ${trees}, and min_free is ${size(minFreeBytes)}`;
}
