import { createHash } from "node:crypto";
import type { LoopOptions } from "../options.ts";

/** Names the checks of a run, in their order, by what they run; `""`: it has none. */
export function namedChecks({
  lint = [],
  filters = [],
}: Pick<LoopOptions, "lint" | "filters">): string {
  if (lint.length + filters.length === 0) return "";
  const commands = [lint, filters].map((checks) => checks.map(({ command }) => command));
  return createHash("sha256").update(JSON.stringify(commands)).digest("hex");
}
