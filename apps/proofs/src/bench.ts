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

const rows = [
  ...storeRows(),
  ...(await commandRows()),
  ...(await cockpitRows()),
  ...(await firstRequestRows()),
  ...(await growthRows()),
  ...(await outputRows()),
  ...(await manyRunsRows()),
  ...(await nebulaRows()),
];
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
