import type { NebulaSpec, PhaseSpec } from "../spec/types.ts";
import { landedPhases, notLanded, type NebulaState, type PhaseState } from "../state/state.ts";

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

/**
 * The message of one commit that has all that a nebula has landed, with a line for each phase; what has not landed is
 * named, too. What it only merges is of others.
 */
export function squashMessage(
  state: Pick<NebulaState, "name" | "phases">,
  { phases }: Pick<NebulaSpec, "phases">,
): string {
  const titles = new Map(phases.map(({ id, title }) => [id, title]));
  const listOf = (states: readonly PhaseState[]): readonly string[] =>
    states
      .filter(({ merges }) => merges === "")
      .map(({ id }) => shortened(oneLine(`- ${id}: ${titles.get(id) ?? ""}`), 72));
  const left = listOf(notLanded(state));
  const [what, rest] = left.length === 0 ? ["", []] : [", unfinished", ["Not landed:", ...left]];
  const parts = [
    [`${cut(oneLine(`Land the nebula ${state.name}`), 72 - what.length)}${what}`],
    listOf(landedPhases(state)),
    rest,
    [`Quasar-Nebula: ${oneLine(state.name)}`],
  ];
  const texts = parts.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${texts.join("\n\n")}\n`;
}

/** Ids and names are free text: none may begin a line of its own. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

/** Says that something was cut off, which the subject of a commit does not. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${cut(text, most - 2)} …`;
}

/** At a word, where there is one. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Array.from(text).slice(0, most).join("");
  const space = head.lastIndexOf(" ");
  return space > most / 2 ? head.slice(0, space) : head;
}
