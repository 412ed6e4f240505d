import type { TaskEvent } from "@quasar/tasks";

/** Says of each event whether it warns of what was told already: each run of agents warns anew of what holds for all. */
export function createRepeated(): (event: TaskEvent) => boolean {
  const told = new Set<string>();
  return (event) => {
    const said = event.type === "loop" ? event.event : event;
    if (said.type !== "warning") return false;
    const isRepeated = told.has(said.message);
    told.add(said.message);
    return isRepeated;
  };
}
