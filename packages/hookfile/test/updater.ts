import { writeSync } from "node:fs";
import { createHookFileStore } from "../src/store/store.ts";
import { transitionOnce } from "../src/transitions/transitions.ts";
import { aCheckpoint } from "./a-task.ts";

// Updates one task until it is killed, or `last` updates are done; tells of each once it is on disk.
const [, , dir = "", name = "", first = "1", last = "Infinity"] = process.argv;
const store = createHookFileStore({ dir, lockTimeoutMs: 60_000 });
for (let count = Number(first); count <= Number(last); count += 1) {
  const checkpointId = `${name}-${count}`;
  store.update((hook) => {
    const checkpoint = aCheckpoint({ checkpointId });
    const { hook: next, event } = transitionOnce(
      hook,
      { type: "checkpoint", checkpoint },
      { now: new Date() },
    );
    return { hook: next, events: [event], checkpoints: [checkpoint] };
  });
  writeSync(1, `${checkpointId}\n`);
}
