import { execFileSync } from "node:child_process";
import { root } from "../workspace.ts";
import type { Row } from "./row.ts";

interface StoreRow {
  readonly name: string;
  /** Milliseconds; not of a row that counts something else. */
  readonly ours?: number | undefined;
  readonly theirs?: number | undefined;
  readonly ratio: number;
  readonly goal?: number | undefined;
}

/** What packages measure of their own stores, each in a process of its own. */
const BENCHES = ["packages/checkpoint/bench/checkpoint.ts", "packages/hookfile/bench/cost.ts"];

export function storeRows(): Row[] {
  return BENCHES.flatMap(rowsOf);
}

function rowsOf(bench: string): Row[] {
  const args = ["--no-warnings", `${root}${bench}`, "--json"];
  const printed = execFileSync(process.execPath, args, { encoding: "utf8" });
  const rows = JSON.parse(printed) as readonly StoreRow[];
  return rows.map(({ name, ours, theirs, ratio, goal }) => ({
    what: name,
    figure: ratio,
    atMost: goal,
    ms: ours !== undefined && theirs !== undefined ? { ours, yardstick: theirs } : undefined,
  }));
}
