import * as v from "valibot";
import { QUESTIONS_SCHEMA } from "../question/parse-questions.ts";
import { oneLine } from "../text.ts";

const text = { type: "string" } as const;

function strictObject(properties: Readonly<Record<string, unknown>>): object {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** What a review has. */
const REVIEW = {
  verdict: { type: "string", enum: ["approved", "changes_requested"] },
  findings: {
    type: "array",
    items: strictObject({ severity: text, description: text }),
  },
  verifications: {
    type: ["array", "null"],
    items: strictObject({
      finding_id: text,
      status: { type: "string", enum: ["fixed", "still_present", "regressed"] },
      comment: text,
    }),
  },
  report: {
    ...strictObject({
      satisfaction: { type: "string", enum: ["high", "medium", "low"] },
      risk: { type: "string", enum: ["high", "medium", "low"] },
      needs_human_review: { type: "boolean" },
      summary: text,
    }),
    type: ["object", "null"],
  },
};

/**
 * JSON schema of a reviewer's structured answer. Every property is required and none may be added,
 * as the strictest of the model APIs want it; what may be missing is `null`.
 */
export const REVIEW_SCHEMA: Readonly<Record<string, unknown>> = { ...strictObject(REVIEW) };

/** The same of a reviewer who may ask a person. */
export const ASKING_SCHEMA: Readonly<Record<string, unknown>> = {
  ...strictObject({ ...REVIEW, questions: QUESTIONS_SCHEMA }),
};

/** The same shape for reading: lenient about what is missing, strict about what is there. */
const StructuredReview = v.object({
  verdict: v.picklist(["approved", "changes_requested"]),
  findings: v.array(v.object({ severity: v.string(), description: v.string() })),
  verifications: v.nullish(
    v.array(
      v.object({
        finding_id: v.string(),
        status: v.string(),
        comment: v.nullish(v.string(), ""),
      }),
    ),
    [],
  ),
  report: v.nullish(
    v.object({
      satisfaction: v.string(),
      risk: v.string(),
      needs_human_review: v.boolean(),
      summary: v.string(),
    }),
  ),
});

/**
 * A structured answer in the words of the text grammar, so that one parser judges both kinds.
 *
 * Values are put on one line each: no text of the reviewer's can begin a block of its own. A finding
 * without a description is no issue, and is left out.
 *
 * @returns `undefined` when the value does not have the shape of {@link REVIEW_SCHEMA}.
 */
export function renderReview(structured: unknown): string | undefined {
  return structuredText(structured)?.text;
}

/** A structured answer, and the same in the words of the text grammar. */
export interface StructuredText {
  /** What the answer calls it, whatever it finds. */
  readonly verdict: "approved" | "changes_requested";
  readonly text: string;
}

/** @see {@link renderReview} */
export function structuredText(structured: unknown): StructuredText | undefined {
  const parsed = v.safeParse(StructuredReview, structured);
  if (!parsed.success) return undefined;
  const { verdict, findings, verifications, report } = parsed.output;
  const blocks = [
    ...findings
      .filter(({ description }) => oneLine(description) !== "")
      .map(({ severity, description }) =>
        block("ISSUE:", { SEVERITY: severity, DESCRIPTION: description }),
      ),
    ...(verifications ?? []).map(({ finding_id, status, comment }) =>
      block("VERIFICATION:", { FINDING_ID: finding_id, STATUS: status, COMMENT: comment ?? "" }),
    ),
  ];
  if (verdict === "approved") blocks.push("APPROVED:");
  if (report !== null && report !== undefined) {
    blocks.push(
      block("REPORT:", {
        SATISFACTION: report.satisfaction,
        RISK: report.risk,
        NEEDS_HUMAN_REVIEW: report.needs_human_review ? "yes" : "no",
        SUMMARY: report.summary,
      }),
    );
  }
  return { verdict, text: `${blocks.join("\n\n")}\n` };
}

function block(head: string, fields: Readonly<Record<string, string>>): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${oneLine(value)}`);
  return [head, ...lines].join("\n");
}
