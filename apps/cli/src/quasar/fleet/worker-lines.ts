import type { ReachEvent, WorkerEvent } from "@quasar/nebula/fleet";
import { LANE } from "@quasar/nebula/port";
import { clock } from "@quasar/runs/internal";
import { cleanLine, fit } from "@quasar/runs/text";
import { labelled, type View } from "../../shared/output/text.ts";
import { createTimeline } from "../../shared/output/timeline.ts";
import { engineLines } from "../nebula/engine-lines.ts";
import type { WorkerLine } from "../schemas/fleet.ts";

/** Prints what a worker does, each line with its time; a nebula is named where another one was before. */
export function createWorkerLog(view: View, fleet: string): (event: WorkerEvent) => void {
  const timeline = createTimeline(view);
  let shown = "";
  return (event) => {
    const lines = linesOf(event, timeline.view, fleet);
    const isOther = "nebula" in event && event.nebula !== "" && event.nebula !== shown;
    if (isOther && lines.length > 0) shown = event.nebula;
    const isNamed = event.type === "takes" || event.type === "leaves";
    const head = isOther && !isNamed ? labelled(timeline.view, "nebula", nameOf(event.name)) : [];
    timeline.tell(new Date().toISOString(), lines.length === 0 ? [] : [...head, ...lines]);
  };
}

function linesOf(event: WorkerEvent, view: View, fleet: string): readonly string[] {
  switch (event.type) {
    case "takes":
    case "leaves": {
      const verb = event.type === "takes" ? "takes" : "has done with";
      const words = `${verb} ${workOf(event)} of ${nameOf(event.name)}`;
      return labelled(view, "worker", words);
    }
    case "warning":
      return labelled(view, "warning", fit(cleanLine(event.message), 400), "yellow");
    case "away":
    case "back": {
      const label = event.depot === "" ? "server" : "depot";
      const style = event.type === "away" ? "yellow" : "green";
      return labelled(view, label, fit(reachWords(event), 400), style);
    }
    case "of":
      return engineLines(event.event, view, fleet);
  }
}

function workOf({ work, phase }: { readonly work: string; readonly phase: string }): string {
  if (work === LANE) return "the lane";
  return `phase ${nameOf(phase === "" ? work : phase)}`;
}

/** Leaves the rest of a line room on 80 columns. */
const nameOf = (text: string): string => fit(cleanLine(text), 24);

function reachWords(event: ReachEvent): string {
  const of = event.depot === "" ? "" : `${cleanLine(event.depot)} is `;
  return event.type === "back"
    ? `${of}back after ${clock(event.awayMs)}`
    : `${of}out of reach, and tried again: ${cleanLine(event.message)}`;
}

/** The same as `--json` has it. */
export function workerFacts(event: WorkerEvent): Omit<WorkerLine, "v" | "time" | "type"> {
  const facts = { nebulaId: "", nebula: "", work: "", phaseId: "" };
  if (event.type === "away" || event.type === "back") {
    return { ...facts, what: event.type, message: reachWords(event) };
  }
  const of = { ...facts, nebulaId: event.nebula, nebula: event.name };
  switch (event.type) {
    case "takes":
    case "leaves":
      return { ...of, what: event.type, work: event.work, phaseId: event.phase, message: "" };
    case "warning":
      return { ...of, what: "warning", message: event.message };
    case "of": {
      const phaseId = ("phase" in event.event ? event.event.phase : undefined) ?? "";
      return { ...of, what: "event", phaseId, message: event.event.type };
    }
  }
}
