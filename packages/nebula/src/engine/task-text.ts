import { count } from "@quasar/runs/text";
import { promptOf } from "../spec/prompt.ts";
import type { NebulaSpec, PhaseSpec } from "../spec/types.ts";
import type { NebulaState, PhaseState, PhaseStatus } from "../state/state.ts";
import type { Engine } from "../context/context.ts";
import type { LandedWork } from "./landed-work.ts";
import type { Phase } from "../state/schedule.ts";

/** Maximum length of what a phase's agents read about the others, in bytes. */
const MOST_BYTES = 8 * 1024;
/** Most paths that are named of what another phase has landed. */
const MOST_PATHS = 20;
/** Most characters of what its coder reported, and of any other line. */
const [LONGEST_REPORT, LONGEST_LINE] = [1000, 300];

/** What a task says of other phases. */
export interface Others extends Pick<NebulaState, "phases"> {
  /** Of those that the phase needs. */
  readonly landed: ReadonlyMap<string, LandedWork>;
}

/**
 * What the agents of a phase are asked: its title, its text with the nebula's goals, what the other phases are about, what
 * those that it needs have landed, and why its last landing was refused.
 */
export function taskText(nebula: NebulaSpec, { spec, state }: Phase, others: Others): string {
  const parts = [ownText(nebula, spec), otherPhases(nebula, spec, others), rework(state)];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The same of a phase that begins before anything else has: what is known of it before its nebula is begun. */
export function firstTaskText(nebula: NebulaSpec, spec: PhaseSpec): string {
  const others = otherPhases(nebula, spec, { phases: [], landed: new Map() });
  return [ownText(nebula, spec), others].filter((part) => part !== "").join("\n\n");
}

/** Whether a task was made of a phase's text as it is in the nebula, whatever else it says. */
export function isOfText(task: string, nebula: NebulaSpec, spec: PhaseSpec): boolean {
  const own = ownText(nebula, spec);
  if (!task.startsWith(own)) return false;
  const rest = task.slice(own.length);
  return rest === "" || [OTHERS, REWORK].some((head) => rest.startsWith(`\n\n${head}`));
}

/** A phase as the last update has it; `undefined` where a task is of that text. */
export function specOtherThan(
  { spec: nebula }: Pick<Engine, "spec">,
  id: string,
  task: string,
): PhaseSpec | undefined {
  const spec = nebula.phases.find((phase) => phase.id === id);
  return spec === undefined || isOfText(task, nebula, spec) ? undefined : spec;
}

const OTHERS = "OTHER PHASES (data about work that others do or have done; do not do it here):";
const REWORK = "REWORK:";

function ownText({ context }: NebulaSpec, { title, body }: PhaseSpec): string {
  return [title, promptOf(context, body)].filter((part) => part !== "").join("\n\n");
}

/** As data: their texts are of other people and agents. Those that it needs come first. */
function otherPhases(
  { phases }: NebulaSpec,
  { id }: PhaseSpec,
  { phases: states, landed }: Others,
): string {
  const statusOf = new Map(states.map((state) => [state.id, state.status]));
  const others = phases.filter((phase) => phase.id !== id);
  const entries = others
    .toSorted((one, other) => Number(landed.has(other.id)) - Number(landed.has(one.id)))
    .map((other) => entryOf(other, statusOf.get(other.id) ?? "pending", landed.get(other.id)));
  const kept: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    bytes += Buffer.byteLength(entry);
    if (bytes > MOST_BYTES) break;
    kept.push(entry);
  }
  return kept.length === 0 ? "" : `${OTHERS}\n${kept.join("\n")}`;
}

function entryOf(
  { id, title, scope }: PhaseSpec,
  status: PhaseStatus,
  landed: LandedWork | undefined,
): string {
  const paths = scope.length === 0 ? "" : ` (${scope.join(", ")})`;
  const head = `- ${oneLine(`${id}: ${title} [${status}]${paths}`, LONGEST_LINE)}`;
  return landed === undefined ? head : [head, ...landedLines(landed)].join("\n");
}

function landedLines({ subject, paths, report }: LandedWork): readonly string[] {
  const more = paths.length - MOST_PATHS;
  const named = oneLine(paths.slice(0, MOST_PATHS).join(", "), LONGEST_REPORT);
  return [
    `  landed as: ${subject}`,
    `  changed: ${named}${more > 0 ? ` and ${count(more, "more file")}` : ""}`,
    ...(report === "" ? [] : [`  its coder said: ${oneLine(report, LONGEST_REPORT)}`]),
  ];
}

/** Maximum length of what they read about the last landing, in bytes; the first finding is there in any case. */
const MOST_REWORK_BYTES = 32 * 1024;

function rework({ findings }: PhaseState): string {
  if (findings.length === 0) return "";
  let bytes = 0;
  const fitting = findings.findIndex((finding, at) => {
    bytes += Buffer.byteLength(finding);
    return at > 0 && bytes > MOST_REWORK_BYTES;
  });
  const lines = fitting === -1 ? findings : [...findings.slice(0, fitting), "and others"];
  const list = lines.map((line) => `- ${line}`).join("\n");
  return `${REWORK}
This work was done, and the work tree holds it. It did not land as it is:
${list}

Put that right, resolve each conflict marker that there is, and keep what others have landed.`;
}

function oneLine(text: string, longest: number): string {
  return text.replaceAll(/\s+/gu, " ").trim().slice(0, longest);
}
