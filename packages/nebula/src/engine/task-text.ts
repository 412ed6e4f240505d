import type { NebulaSpec, PhaseSpec } from "../spec/types.ts";
import { promptOf } from "../spec/prompt.ts";
import type { PhaseState } from "../state/state.ts";

/** What the agents of a phase are asked: its title, its text with the nebula's goals, and why its last landing was refused. */
export function taskText(
  nebula: NebulaSpec,
  phase: PhaseSpec,
  { findings }: Pick<PhaseState, "findings">,
): string {
  const task = `${phase.title}\n\n${promptOf(nebula.context, phase.body)}`;
  if (findings.length === 0) return task;
  const list = findings.map((finding) => `- ${finding}`).join("\n");
  return `${task}

REWORK:
This work is done, and the work tree holds it, merged with what other phases have landed since. It could not land:
${list}

Make the merged work right: resolve each conflict marker, and keep what the others have landed.`;
}
