import { dayAndTime } from "@quasar/runs/internal";
import type { EventFacts } from "@quasar/runs/facts";
import { cell, type Line, line, span } from "../model/line.ts";
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
      return eventLine(event, phase === "" ? "" : `${phase}: `);
    },
  };
}

/** What happened to a phase, the newest first. */
export function eventsOf(shown: Shown, phase: string): readonly Line[] {
  if (shown.kind === "run") return [];
  const own = shown.nebula.events.filter((event) => event.phase === phase);
  return own.toReversed().map((event) => eventLine(event, ""));
}

function eventLine({ at, text }: EventFacts, about: string): Line {
  return [cell(dayAndTime(at)?.time ?? "", 9, "dim"), span(about, "bold"), span(text)];
}
