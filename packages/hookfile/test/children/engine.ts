// Claims the task in the folder argv[2], says so, and drives it until it is killed.
import { createHookFileStore } from "../../src/store/store.ts";
import { claimTask, lockTask } from "../../src/recovery/task-owner.ts";

const [, , dir = ""] = process.argv;
const store = createHookFileStore({ dir });
claimTask({ store, lock: lockTask(dir), runId: "run-1", onError: console.error });
setInterval(() => {}, 60_000);
console.log("claimed");
