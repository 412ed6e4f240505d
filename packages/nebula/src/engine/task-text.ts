import { promptOf } from "../spec/prompt.ts";
import type { NebulaSpec, PhaseSpec } from "../spec/types.ts";
import type { NebulaState, PhaseState } from "../state/state.ts";
import type { Engine } from "./context.ts";
import type { Phase } from "./schedule.ts";

/** Maximum length of what a phase's agents read about the others, in bytes. */
const MOST_BYTES = 8 * 1024;

/**
 * What the agents of a phase are asked: its title, its text with the nebula's goals, what the other phases are about, and
 * why its last landing was refused.
 */
export function taskText(
  nebula: NebulaSpec,
  { spec, state }: Phase,
  others: Pick<NebulaState, "phases">,
): string {
  const parts = [ownText(nebula, spec), otherPhases(nebula, spec, others), rework(state)];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Whether a task was made of a phase's text as it is in the nebula, whatever else it says. */
function isOfText(task: string, nebula: NebulaSpec, spec: PhaseSpec): boolean {
  const own = ownText(nebula, spec);
  if (!task.startsWith(own)) return false;
  const rest = task.slice(own.length);
  return rest === "" || [OTHERS, REWORK].some((head) => rest.startsWith(`\n\n${head}`));
}

/** What a phase's run is asked now; `undefined` where its task is of the phase's text as the last update has it. */
export function textOtherThan(
  { spec: nebula, store }: Pick<Engine, "spec" | "store">,
  id: string,
  task: string,
): string | undefined {
  const spec = nebula.phases.find((phase) => phase.id === id);
  if (spec === undefined || isOfText(task, nebula, spec)) return undefined;
  return taskText(nebula, { spec, state: store.phase(id) }, store.current);
}

const OTHERS = "OTHER PHASES (data about work that others do or have done; do not do it here):";
const REWORK = "REWORK:";

function ownText({ context }: NebulaSpec, { title, body }: PhaseSpec): string {
  return [title, promptOf(context, body)].filter((part) => part !== "").join("\n\n");
}

/** A line for each, as data: their texts are of other people and agents. */
function otherPhases(
  { phases }: NebulaSpec,
  { id }: PhaseSpec,
  states: Pick<NebulaState, "phases">,
): string {
  const statusOf = new Map(states.phases.map((state) => [state.id, state.status]));
  const lines: string[] = [];
  let bytes = 0;
  for (const other of phases.filter((phase) => phase.id !== id)) {
    const scope = other.scope.length === 0 ? "" : ` (${other.scope.join(", ")})`;
    const status = statusOf.get(other.id) ?? "pending";
    const line = `- ${oneLine(`${other.id}: ${other.title} [${status}]${scope}`)}`;
    bytes += Buffer.byteLength(line);
    if (bytes > MOST_BYTES) break;
    lines.push(line);
  }
  if (lines.length === 0) return "";
  return `${OTHERS}\n${lines.join("\n")}`;
}

function rework({ findings }: PhaseState): string {
  if (findings.length === 0) return "";
  const list = findings.map((finding) => `- ${finding}`).join("\n");
  return `${REWORK}
This work was done, and the work tree holds it. It did not land as it is:
${list}

Put that right, resolve each conflict marker that there is, and keep what others have landed.`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, " ").slice(0, 300);
}
