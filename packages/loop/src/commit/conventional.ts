import { cutAtWord } from "../text.ts";

/** `type(scope)!: description`, whatever the type: repositories have types of their own. */
const FORM = /^([A-Za-z][A-Za-z-]*)(\([^()]+\))?(!)?:\s+(\S.*)$/u;

/** What a task's first word says of its type; the first that fits. */
const TYPES: readonly (readonly [words: RegExp, type: string])[] = [
  [/^(?:fix|repair|correct|prevent|avoid|stop|handle|resolve)\b/iu, "fix"],
  [/^(?:add|implement|support|create|introduce|allow|enable|make|let|show)\b/iu, "feat"],
  [/^(?:document|describe|explain|docs?|readme)\b/iu, "docs"],
  [/^(?:tests?|cover)\b/iu, "test"],
  [/^(?:refactor|rename|simplify|split|move|extract|clean)\b/iu, "refactor"],
  [/^(?:speed|optimi[sz]e|cache)\b/iu, "perf"],
];

/**
 * A subject in the form of Conventional Commits, as commitlint's usual configuration wants it: a type,
 * the description in lower case, no full stop.
 *
 * @param task - Says the type where the text does not.
 */
export function conventionalSubject(text: string, task: string, limit: number): string {
  const [, type, scope = "", breaking = "", said = ""] = FORM.exec(text) ?? [];
  const description = said === "" ? withoutFix(text) : said;
  const prefix = `${(type ?? typeOf(text) ?? typeOf(task) ?? "chore").toLowerCase()}${scope}${breaking}: `;
  return cutAtWord(`${prefix}${lowerFirst(description)}`, limit);
}

function typeOf(text: string): string | undefined {
  const type = FORM.exec(text)?.[1];
  return type ?? TYPES.find(([words]) => words.test(text))?.[1];
}

/** `fix: fix the sum` says it twice. */
function withoutFix(text: string): string {
  return text.replace(/^fix(?:es|ed)?\s+(?=\S)/iu, "");
}

/** Names and abbreviations stay as they are. */
function lowerFirst(text: string): string {
  return text.replace(/^\p{Lu}(?=\p{Ll}+(?:\s|$))/u, (letter) => letter.toLowerCase());
}
