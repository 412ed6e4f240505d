import { availableParallelism, release } from "node:os";
import { cockpitRows } from "./bench/cockpit.ts";
import { commandRows } from "./bench/command.ts";
import { firstRequestRows } from "./bench/first-request.ts";
import { growthRows } from "./bench/growth.ts";
import { manyRunsRows } from "./bench/many-runs.ts";
import { nebulaRows } from "./bench/nebula.ts";
import { outputRows } from "./bench/output.ts";
import type { Row } from "./bench/row.ts";
import { storeRows } from "./bench/store.ts";

const PARTS: Readonly<Record<string, () => readonly Row[] | Promise<readonly Row[]>>> = {
  store: storeRows,
  command: commandRows,
  cockpit: cockpitRows,
  "first-request": firstRequestRows,
  growth: growthRows,
  output: outputRows,
  "many-runs": manyRunsRows,
  nebula: nebulaRows,
};

/** The parts that are named, or all. */
const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(PARTS, name));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(", ")}. Parts: ${Object.keys(PARTS).join(", ")}.`);
  process.exit(2);
}

const rows: Row[] = [];
for (const [name, part] of Object.entries(PARTS)) {
  if (named.length === 0 || named.includes(name)) rows.push(...(await part()));
}
const missed = rows.filter((row) => verdict(row) === "missed");

console.log(`node ${process.version}, ${availableParallelism()} cores, kernel ${release()}`);
console.table(
  rows.map((row) => ({
    what: row.what,
    "ours, ms": row.ms?.ours.toFixed(2) ?? "",
    "theirs, ms": row.ms?.yardstick.toFixed(2) ?? "",
    figure: row.figure.toFixed(2),
    "at most": row.atMost ?? "",
    "": verdict(row),
  })),
);
if (missed.length > 0) process.exitCode = 1;

function verdict({ figure, atMost }: Row): string {
  if (atMost === undefined) return "";
  return figure <= atMost ? "ok" : "missed";
}
