import type { AgentEvent } from "./agent.ts";

/** The tool whose detail is a command line, which is reported as it is run. */
const SHELL = "Bash";

/** Tells the files that an agent works on by their paths in the work tree. */
export function inTree(
  emit: (event: AgentEvent) => void,
  workTree: string,
): (event: AgentEvent) => void {
  return (event) => {
    if (event.type !== "tool" || event.name === SHELL) return emit(event);
    emit({ ...event, detail: event.detail.replaceAll(`${workTree}/`, "") });
  };
}
