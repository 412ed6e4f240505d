import type { RunLoopEvent } from "@quasar/runs/internal";
import type { Waiting } from "@quasar/runs/tree";
import type { OutputRecord } from "../output/record.ts";

// What is reported as `--json` has it: events have the names of the journals that keep them.

/** What `run`, `resume` and `demo` report. */
export function outputFacts(record: OutputRecord) {
  switch (record.type) {
    case "waiting":
      return waitingFacts(record);
    case "committed":
      return committedFacts(record);
    case "turn_retry":
      return retryFacts(record);
    default:
      return record;
  }
}

export function loopEventFacts(event: RunLoopEvent) {
  switch (event.type) {
    case "committed":
      return committedFacts(event);
    case "turn_retry":
      return retryFacts(event);
    default:
      return event;
  }
}

export function waitingFacts<W extends Waiting>({ type, until: retryAt, ...waiting }: W) {
  return { type, retryAt, ...waiting };
}

type Event<Type extends RunLoopEvent["type"]> = Extract<RunLoopEvent, { readonly type: Type }>;

function committedFacts({ changes, ...event }: Event<"committed">) {
  return { ...event, changes: changes && changeFacts(changes) };
}

function changeFacts({ files: fileCount, ...lines }: NonNullable<Event<"committed">["changes"]>) {
  return { fileCount, ...lines };
}

function retryFacts({ most: maxRetries, until: retryAt, ...event }: Event<"turn_retry">) {
  return { ...event, maxRetries, retryAt };
}
