import type { TaskEvent, TaskView } from "@quasar/tasks";
import { loopEventFacts, waitingFacts } from "../../shared/facts/output.ts";
import type { AtlasRecord } from "../output/record.ts";
import { checkpointFacts } from "./hook.ts";

// What is reported as `--json` has it: events have the names of the logs that keep them.

/** What `start` and `resume` report. */
export function outputFacts(record: AtlasRecord) {
  switch (record.type) {
    case "task_started":
      return startedFacts(record);
    case "loop":
      return { ...record, event: loopEventFacts(record.event) };
    case "waiting":
      return waitingFacts(record);
    case "checkpoint":
      return { ...record, checkpoint: checkpointFacts(record.checkpoint) };
    case "stopped":
      return stoppedFacts(record);
    default:
      return record;
  }
}

type Event<Type extends TaskEvent["type"]> = Extract<TaskEvent, { readonly type: Type }>;

function startedFacts({ worktree: workTree, steps: stepCount, ...event }: Event<"task_started">) {
  return { ...event, workTree, stepCount };
}

function stoppedFacts<E extends Event<"stopped">>({ why: reason, ...event }: E) {
  return { ...event, reason };
}

/** How a drive stopped, as the task's log has it. */
export function stopFacts({ at: time, ...stop }: NonNullable<TaskView["stop"]>) {
  return { ...stoppedFacts(stop), time };
}
