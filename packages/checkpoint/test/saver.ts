import { writeSync } from "node:fs";
import { createFileCheckpointStore } from "../src/file-store.ts";
import { aCheckpoint } from "../src/testing/a-checkpoint.ts";

// Saves until it is killed, or `last` is saved; tells of each save once it is durable.
const [, , dir = "", name = "", first = "1", last = "Infinity"] = process.argv;
const store = createFileCheckpointStore({ dir });
for (let count = Number(first); count <= Number(last); count++) {
  const line = `${name} ${count}\n`;
  const coderOutput = line.repeat(Math.ceil(60_000 / line.length));
  await store.save(aCheckpoint({ runId: name, cycle: count, coderOutput }));
  writeSync(1, `${count}\n`);
}
