import { dayAndTime } from "@quasar/runs/internal";
import { cell, line, span } from "../model/line.ts";
import type { Shown } from "../model/shown.ts";
import { type Body, bodyOf } from "./body.ts";

/** What happened, the newest first. */
export function eventsBody(shown: Shown): Body {
  const events = shown.kind === "run" ? shown.run.events : shown.nebula.events;
  if (events.length === 0) return bodyOf([line("nothing has happened yet")]);
  return {
    count: events.length,
    lineAt(index) {
      const event = events[events.length - 1 - index];
      if (event === undefined) return [];
      const phase = "phase" in event ? String(event.phase) : "";
      return [
        cell(dayAndTime(event.at)?.time ?? "", 9, "dim"),
        span(phase === "" ? "" : `${phase}: `, "bold"),
        span(event.text),
      ];
    },
  };
}
