/**
 * Takes a lock again and again; while it has it, notes in a file of O_APPEND when it came and went.
 * It says when it begins and never ends: it is killed.
 */
import { appendFileSync } from "node:fs";
import { acquireLock, DurableError } from "../../src/index.ts";

const [path = "", log = ""] = process.argv.slice(2);
const pause = new Int32Array(new SharedArrayBuffer(4));

process.stdout.write("begun\n");
for (;;) {
  try {
    const lock = acquireLock(path);
    appendFileSync(log, `+${process.pid}\n`);
    Atomics.wait(pause, 0, 0, Math.random() * 4);
    appendFileSync(log, `-${process.pid}\n`);
    lock.release();
  } catch (error) {
    if (!(error instanceof DurableError && error.code === "ERR_LOCKED")) throw error;
  }
  Atomics.wait(pause, 0, 0, Math.random() * 10);
}
