import { availableParallelism, release } from "node:os";
import { commandRows } from "./bench/command.ts";
import type { Row } from "./bench/row.ts";
import { storeRows } from "./bench/store.ts";

const rows: Row[] = [...(await storeRows()), ...(await commandRows())];

const cells = rows.map((row) => [
  row.figure <= row.atMost ? "ok" : "MISSED",
  row.what,
  row.against,
  row.ms === undefined ? "" : `${row.ms.ours.toFixed(2)} / ${row.ms.yardstick.toFixed(2)} ms`,
  row.figure.toFixed(2),
  `<= ${row.atMost}`,
]);
const head = ["", "what", "against", "medians", "figure", "goal"];
const widths = head.map((title, i) =>
  Math.max(title.length, ...cells.map((line) => line[i]?.length ?? 0)),
);
console.log(`node ${process.version}, ${availableParallelism()} cores, kernel ${release()}`);
for (const line of [head, ...cells]) {
  console.log(
    line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
if (rows.some((row) => row.figure > row.atMost)) process.exitCode = 1;
