import { execFileSync } from "node:child_process";
import { root } from "../workspace.ts";
import type { Row } from "./row.ts";

interface StoreRow {
  readonly name: string;
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  readonly goal?: number | undefined;
}

/** What `@quasar/checkpoint` measures of its own store, in a process of its own. */
export function storeRows(): Row[] {
  const bench = `${root}packages/checkpoint/bench/checkpoint.ts`;
  const printed = execFileSync(process.execPath, [bench, "--json"], { encoding: "utf8" });
  const rows = JSON.parse(printed) as readonly StoreRow[];
  return rows.map(({ name, ours, theirs, ratio, goal }) => ({
    what: name,
    figure: ratio,
    atMost: goal,
    ms: { ours, yardstick: theirs },
  }));
}
