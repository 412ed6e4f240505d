import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseReview } from "./parse-review.ts";
import { REVIEW_SCHEMA, renderReview } from "./review-schema.ts";
import { oneLine } from "../text.ts";

const REVIEW = {
  verdict: "changes_requested",
  findings: [{ severity: "major", description: "bad" }],
  verifications: [{ finding_id: "f-1", status: "fixed", comment: "" }],
  report: { satisfaction: "low", risk: "high", needs_human_review: true, summary: "so so" },
};

test("says a structured review in the words of the text grammar", () => {
  expect(renderReview(REVIEW)).toMatchInlineSnapshot(`
    "ISSUE:
    SEVERITY: major
    DESCRIPTION: bad

    VERIFICATION:
    FINDING_ID: f-1
    STATUS: fixed
    COMMENT: 

    REPORT:
    SATISFACTION: low
    RISK: high
    NEEDS_HUMAN_REVIEW: yes
    SUMMARY: so so
    "
  `);
});

const shapes: readonly (readonly [name: string, value: unknown, verdict: string | undefined])[] = [
  ["an approval", { verdict: "approved", findings: [] }, "approved"],
  [
    "an approval with nulls",
    { verdict: "approved", findings: [], verifications: null, report: null },
    "approved",
  ],
  ["an approval with a finding", { ...REVIEW, verdict: "approved" }, "changes_requested"],
  ["a request for changes", REVIEW, "changes_requested"],
  ["a request for changes without any", { ...REVIEW, findings: [] }, undefined],
  [
    "a finding that says nothing",
    { ...REVIEW, findings: [{ severity: "major", description: " " }] },
    undefined,
  ],
  ["an unknown verdict", { ...REVIEW, verdict: "fine" }, undefined],
  ["a text", "APPROVED: yes", undefined],
  ["null", null, undefined],
  ["nothing", undefined, undefined],
];
test.for(shapes)("judges %s", ([, value, verdict]) => {
  expect(parseReview(renderReview(value) ?? "").verdict).toBe(verdict);
});

/** Text that tries to be more than a value. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\n", "\r\n", "\u2028", "\v", "\n\n", " ", "\u0085"),
      fc.constantFrom("ISSUE:", "APPROVED: yes", "SEVERITY: minor", "REPORT:", "RISK: low"),
      fc.constantFrom("VERIFICATION:", "FINDING_ID: f-0", "STATUS: fixed", "OPTIONS:"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

const severities = fc.constantFrom("critical", "major", "minor");

test("reads back what a structured review said, whatever its texts contain", () => {
  const reviews = fc.record({
    verdict: fc.constantFrom("approved", "changes_requested"),
    findings: fc.array(fc.record({ severity: severities, description: hostile })),
    verifications: fc.array(
      fc.record({
        finding_id: fc.constantFrom("f-1", "f-2"),
        status: fc.constantFrom("fixed", "still_present", "regressed"),
        comment: hostile,
      }),
    ),
    report: fc.record({
      satisfaction: fc.constantFrom("high", "low"),
      risk: fc.constantFrom("high", "low"),
      needs_human_review: fc.boolean(),
      summary: hostile,
    }),
  });
  fc.assert(
    fc.property(reviews, (review) => {
      const parsed = parseReview(renderReview(review) ?? "");
      const wanted = review.findings
        .map(({ severity, description }) => ({ severity, description: oneLine(description) }))
        .filter(({ description }) => description !== "");
      const unique = new Map(wanted.map((each) => [JSON.stringify(each), each]));
      expect(
        parsed.findings.map(({ severity, description }) => ({ severity, description })),
      ).toEqual([...unique.values()]);
      expect(parsed.verifications).toEqual(
        review.verifications.map(({ finding_id, status, comment }) => ({
          findingId: finding_id,
          status,
          comment: oneLine(comment),
        })),
      );
      expect(parsed.report).toEqual({
        satisfaction: review.report.satisfaction,
        risk: review.report.risk,
        needsHumanReview: review.report.needs_human_review,
        summary: oneLine(review.report.summary),
      });
      const approves = unique.size === 0 && review.verdict === "approved";
      expect(parsed.verdict === "approved").toBe(approves);
    }),
    { numRuns: 2000 },
  );
});

test("takes any text without harm and finds the same in it twice", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const { findings, verdict } = parseReview(text);
      expect(verdict === "approved" && findings.length > 0).toBe(false);
      expect(parseReview(text).findings).toEqual(findings);
    }),
    { numRuns: 2000 },
  );
});

test("asks for every property and allows no other, at every level", () => {
  const objects: Record<string, unknown>[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const record = value as Record<string, unknown>;
    if (typeof record["properties"] === "object") objects.push(record);
    Object.values(record).forEach(visit);
  };
  visit(REVIEW_SCHEMA);
  expect(objects).toHaveLength(4);
  for (const { properties, required, additionalProperties } of objects) {
    expect(required).toEqual(Object.keys(properties as object));
    expect(additionalProperties).toBe(false);
  }
});
