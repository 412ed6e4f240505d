// A loop of somebody else's, kept by a checkpoint alone: five steps, each done once.
import { appendFileSync } from "node:fs";
import { createCheckpoint, createFileCheckpointStore } from "@quasar/checkpoint";

const say = (line: string): void => appendFileSync(process.env["ASKED"] ?? "", `${line}\n`);
const store = createFileCheckpointStore({ dir: "state" });
await store.recover();
const found = await store.load();
for (let cycle = (found?.checkpoint.cycle ?? 0) + 1; cycle <= 5; cycle += 1) {
  say(`step ${cycle}`);
  await store.save(createCheckpoint({ taskTitle: "Count", cycle }));
  if (process.env["HANG"] === `step ${cycle}`) {
    say("saved");
    await new Promise(() => setInterval(() => {}, 1000));
  }
}
await store.remove();
console.log("done");
