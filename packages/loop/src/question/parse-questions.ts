import { hash } from "node:crypto";
import { type CheckpointQuestion, cutText } from "@quasar/checkpoint";
import * as v from "valibot";
import { oneLine, trimMarks, trimSpace } from "../text.ts";

export const QUESTION_KINDS = [
  "decision_needed",
  "ambiguity",
  "blocker",
  "human_review",
] as const satisfies readonly CheckpointQuestion["kind"][];

/** Bounds, texts in code points: an agent's flood never becomes a person's. */
const MOST = { questions: 5, options: 6, summary: 200, detail: 2000, option: 200 } as const;

/** What an agent asks, before it is known in which turn. */
export type Asked = Pick<CheckpointQuestion, "kind" | "summary" | "detail" | "options">;

/** An answer of an agent, and what it asks in it. */
export interface SplitAnswer {
  /** The answer without the blocks that ask. */
  readonly text: string;
  readonly asked: readonly Asked[];
}

const QUESTION = /^QUESTION:(.*)$/su;
const FIELD = /^(SUMMARY|DETAIL|OPTION):(.*)$/su;
/** Where another block of an answer begins. */
const OTHER = /^(?:QUESTION|COMMIT|ISSUE|APPROVED|REPORT|VERIFICATION|OPTIONS|RECOMMENDATION):/u;

/**
 * Takes the questions out of an answer: blocks that begin with `QUESTION: <kind>`. One of another kind, or without a
 * text, is no question, and stays.
 *
 * @see SPEC.md, "Questions"
 */
export function splitQuestions(text: string): SplitAnswer {
  if (!text.includes("QUESTION:")) return { text, asked: [] };
  const lines = text.split("\n");
  const kept: string[] = [];
  const asked: Asked[] = [];
  for (let at = 0; at < lines.length; ) {
    const block = blockAt(lines, at);
    if (block === undefined) {
      kept.push(lines[at] ?? "");
      at += 1;
    } else {
      asked.push(block.asked);
      at = block.end;
    }
  }
  return asked.length === 0
    ? { text, asked }
    : { text: trimSpace(kept.join("\n")), asked: bounded(asked) };
}

interface Block {
  readonly asked: Asked;
  /** The index of the first line behind it. */
  readonly end: number;
}

function blockAt(lines: readonly string[], from: number): Block | undefined {
  const kind = kindOf(QUESTION.exec(plain(lines[from]))?.[1]);
  if (kind === undefined) return undefined;
  const fields: { readonly name: string; text: string }[] = [];
  let end = from + 1;
  for (let at = end; at < lines.length; at += 1) {
    const line = plain(lines[at]);
    const [, name, value = ""] = FIELD.exec(line) ?? [];
    // Blank lines are of the block where another field follows.
    if (line === "" && name === undefined) continue;
    const isNext = name === undefined && (at > end || OTHER.test(line));
    if (isNext) break;
    const last = fields.at(-1);
    if (name !== undefined) fields.push({ name, text: value });
    else if (last === undefined) break;
    else last.text += ` ${line}`;
    end = at + 1;
  }
  const of = (name: string): readonly string[] =>
    fields.filter((field) => field.name === name).map((field) => field.text);
  const detail = of("DETAIL").join(" ");
  const summary = [...of("SUMMARY"), detail].find((text) => trimSpace(text) !== "");
  if (summary === undefined) return undefined;
  return { asked: { kind, summary, detail, options: of("OPTION") }, end };
}

/** A line without the marks of Markdown around it. */
function plain(line = ""): string {
  return trimMarks(line).replace(/^(\w+:)[*_`]+/u, "$1");
}

function kindOf(text: string | undefined): CheckpointQuestion["kind"] | undefined {
  const said = trimMarks(text ?? "").toLowerCase();
  return QUESTION_KINDS.find((kind) => kind === said);
}

function bounded(asked: readonly Asked[]): readonly Asked[] {
  return asked.slice(0, MOST.questions).map(({ kind, summary, detail, options }) => ({
    kind,
    summary: short(summary, MOST.summary),
    detail: short(detail, MOST.detail),
    options: options
      .map((option) => short(option, MOST.option))
      .filter((option) => option !== "")
      .slice(0, MOST.options),
  }));
}

function short(text: string, limit: number): string {
  return cutText(oneLine(text), limit);
}

const text = { type: "string" } as const;

/** What a structured answer has beside the review, where its agent may ask. Strict, as the strictest APIs want it. */
export const QUESTIONS_SCHEMA = {
  type: ["array", "null"],
  items: {
    type: "object",
    properties: {
      kind: { type: "string", enum: QUESTION_KINDS },
      summary: text,
      detail: text,
      options: { type: "array", items: text },
    },
    required: ["kind", "summary", "detail", "options"],
    additionalProperties: false,
  },
} as const;

const StructuredQuestions = v.object({
  questions: v.array(
    v.object({
      kind: v.picklist(QUESTION_KINDS),
      summary: v.string(),
      detail: v.nullish(v.string(), ""),
      options: v.nullish(v.array(v.string()), []),
    }),
  ),
});

/** What is asked in a structured answer; nothing where it has another shape. */
export function structuredQuestions(structured: unknown): readonly Asked[] {
  const parsed = v.safeParse(StructuredQuestions, structured);
  if (!parsed.success) return [];
  return bounded(parsed.output.questions).filter(({ summary }) => summary !== "");
}

/**
 * Names the questions of a turn: the same ones whenever its answer is read.
 *
 * @param turn - That has asked them.
 */
export function namedQuestions(
  asked: readonly Asked[],
  { turnId, role, cycle }: Pick<CheckpointQuestion, "turnId" | "role" | "cycle">,
): readonly CheckpointQuestion[] {
  return asked.map((each, at) => ({
    id: `q-${hash("sha256", `${turnId} ${at + 1}`).slice(0, 8)}`,
    ...{ turnId, role, cycle },
    ...each,
  }));
}
