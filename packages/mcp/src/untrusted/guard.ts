import type { Redactor } from "@quasar/agents/environment";
import { untrusted } from "./untrusted.ts";

/** A text that this server words itself; what it takes from others into it has a strict form. */
export class Own {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A text of others of which more is kept than usual. */
export class Long {
  readonly text: string;
  /** Characters. */
  readonly most: number;

  constructor(text: string, most: number) {
    this.text = text;
    this.most = most;
  }
}

/**
 * Facts as a caller may have them: every text in them is marked as untrusted, but for those of {@link Own}, words of
 * fixed keys, and ids, commits and times, which are known by their form. A key that is no word is left out.
 *
 * @param origin - Whose texts they are: `run 20261121-101500-7f3a9c`.
 * @param redact - Takes secrets out of the texts.
 */
export function guarded(facts: unknown, origin: string, redact: Redactor): unknown {
  return guardedAt(facts, { origin, redact }, "");
}

interface Guard {
  readonly origin: string;
  readonly redact: Redactor;
}

function guardedAt(value: unknown, guard: Guard, key: string): unknown {
  const { origin, redact } = guard;
  if (typeof value === "string") {
    if (isHarmless(value, key)) return value;
    return untrusted(redact(value), key === "" ? origin : `${origin}, ${key}`);
  }
  if (value instanceof Own) return value.text;
  if (value instanceof Long) return untrusted(redact(value.text), origin, value.most);
  if (Array.isArray(value)) return value.map((each: unknown) => guardedAt(each, guard, key));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, each]) => each !== undefined && KEY.test(name))
      .map(([name, each]) => [name, guardedAt(each, guard, name)]),
  );
}

function isHarmless(text: string, key: string): boolean {
  if (text === "" || FORMS.some((form) => form.test(text))) return true;
  if (key === "nebulaId") return /^[a-z2-7]{10}$/u.test(text);
  return WORDS.has(key) && /^[a-z][a-z_-]{0,29}$/u.test(text);
}

const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/u;

/** Forms that hold no sentence. */
const FORMS: readonly RegExp[] = [
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/u, // a time
  /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/u, // a commit
  /^\d{8}-\d{6}-[0-9a-f]{6}(?:\.\d{1,6})?$/u, // a run, a turn
  /^[fq]-[0-9a-f]{8,16}$/u, // a finding, a question
  /^rcpt-[0-9a-f]{16}$/u,
];

/** Keys whose values are words of this program. */
const WORDS: ReadonlySet<string> = new Set([
  "assessment",
  "check",
  "do",
  "end",
  "how",
  "is",
  "kind",
  "outcome",
  "planVerdict",
  "question",
  "role",
  "severity",
  "state",
  "status",
  "type",
  "verdict",
]);
