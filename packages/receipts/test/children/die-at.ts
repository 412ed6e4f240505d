/**
 * Does one thing and is killed before its n-th change to the file system: `die-at <n> <what> <root>
 * [<receipt>]`. Prints `done` if there were fewer, or if n is negative.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

const [, , n = "", what = "", root = "", receiptId = "second"] = process.argv;
let left = Number(n);
const changes = [
  "openSync",
  "writeSync",
  "fsyncSync",
  "linkSync",
  "renameSync",
  "unlinkSync",
  "mkdirSync",
] as const;

function countDown(): void {
  if (left === 0) process.kill(process.pid, "SIGKILL");
  left -= 1;
}

const { createKeyManager, signReceipt } = await import("../../src/index.ts");
const { aRun } = await import("../fixtures.ts");
for (const name of changes) {
  const original = fs[name] as (...args: readonly unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: readonly unknown[]) => {
      countDown();
      return original(...args);
    },
  });
}
syncBuiltinESMExports();

const keys = createKeyManager({ dir: join(root, "keys") });
if (what === "open") keys.open();
if (what === "rotate") keys.rotate();
if (what === "sign") signReceipt(aRun({ receiptId }), { keys, dir: join(root, "receipts") });
process.stdout.write("done");
