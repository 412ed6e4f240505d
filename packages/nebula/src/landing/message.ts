import type { NebulaSpec, PhaseSpec } from "../spec/types.ts";
import { landedPhases, type NebulaState, type PhaseState } from "../state/state.ts";

/**
 * The message of a landing: a function of the phase and its attempt, so that the same merge has the same id however
 * often it is made.
 */
export function landingMessage(
  { name }: Pick<NebulaState, "name">,
  { id, title }: Pick<PhaseSpec, "id" | "title">,
  { attempt, runs }: Pick<PhaseState, "attempt" | "runs">,
): string {
  const trailers = [
    `Quasar-Nebula: ${oneLine(name)}`,
    `Quasar-Phase: ${oneLine(id)}`,
    `Quasar-Attempt: ${attempt}`,
    ...runs.slice(-1).map((run) => `Quasar-Run: ${run}`),
  ];
  return `${landingSubject({ id, title })}\n\n${trailers.join("\n")}\n`;
}

export function landingSubject({ id, title }: Pick<PhaseSpec, "id" | "title">): string {
  return cut(oneLine(`Land ${id}: ${title}`), 72);
}

/** The message of one commit that has all that a nebula has landed, with a line for each phase. */
export function squashMessage(
  state: Pick<NebulaState, "name" | "phases">,
  { phases }: Pick<NebulaSpec, "phases">,
): string {
  const titles = new Map(phases.map(({ id, title }) => [id, title]));
  const lines = landedPhases(state).map(({ id }) =>
    cut(oneLine(`- ${id}: ${titles.get(id) ?? ""}`), 72),
  );
  const subject = cut(oneLine(`Land the nebula ${state.name}`), 72);
  return `${subject}\n\n${lines.join("\n")}\n\nQuasar-Nebula: ${oneLine(state.name)}\n`;
}

/** Ids and names are free text: none may begin a line of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/** At a word, where there is one. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Array.from(text).slice(0, most).join("");
  const space = head.lastIndexOf(" ");
  return space > most / 2 ? head.slice(0, space) : head;
}
