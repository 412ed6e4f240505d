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

/** What a line reported, by what is printed of it: a program that shows what another prints needs it back. */
export function reportedBy(printed: ReturnType<typeof outputFacts>): OutputRecord {
  switch (printed.type) {
    case "waiting": {
      const { retryAt: until, ...waiting } = printed;
      return { ...waiting, until };
    }
    case "committed": {
      const { changes, ...event } = printed;
      if (changes === undefined) return event;
      const { fileCount: files, ...lines } = changes;
      return { ...event, changes: { files, ...lines } };
    }
    case "turn_retry": {
      const { maxRetries: most, retryAt: until, ...event } = printed;
      return { ...event, most, until };
    }
    default:
      return printed;
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
