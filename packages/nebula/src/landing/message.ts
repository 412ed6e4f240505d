import type { PhaseSpec } from "../spec/types.ts";
import type { NebulaState, PhaseState } from "../state/state.ts";

/**
 * The message of a landing: a function of the phase and its attempt, so that the same merge has the same id however
 * often it is made.
 */
export function landingMessage(
  { name }: Pick<NebulaState, "name">,
  { id, title }: Pick<PhaseSpec, "id" | "title">,
  { attempt, runs }: Pick<PhaseState, "attempt" | "runs">,
): string {
  const subject = cut(oneLine(`Land ${id}: ${title}`), 72);
  const trailers = [
    `Quasar-Nebula: ${oneLine(name)}`,
    `Quasar-Phase: ${oneLine(id)}`,
    `Quasar-Attempt: ${attempt}`,
    `Quasar-Run: ${runs.at(-1) ?? ""}`,
  ];
  return `${subject}\n\n${trailers.join("\n")}\n`;
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
