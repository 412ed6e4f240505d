import { expect, test } from "vitest";
import { parseReview } from "./parse-review.ts";
import { reviewText } from "./review-text.ts";

const review = (verdict: string, ...findings: readonly string[]): string =>
  JSON.stringify({
    verdict,
    findings: findings.map((description) => ({ severity: "major", description })),
  });
const APPROVED = review("approved");
const REQUESTED = review("changes_requested", "bad");
const fenced = (json: string): string =>
  `\`\`\`json\n${JSON.stringify(JSON.parse(json), undefined, 2)}\n\`\`\``;

const verdictOf = (text: string) => {
  const read = reviewText(text);
  return read === undefined ? undefined : parseReview(read).verdict;
};

test.for([
  ["an approval", APPROVED, "approved"],
  ["a request", REQUESTED, "changes_requested"],
  ["an approval in a fence", fenced(APPROVED), "approved"],
  [
    "a request in a fence, with text around",
    `I read it.\n\n${fenced(REQUESTED)}\n\nBye.`,
    "changes_requested",
  ],
  ["an approval that has findings", review("approved", "bad"), "changes_requested"],
  ["an approval that the text has too", `APPROVED: yes\n\n${fenced(APPROVED)}`, "approved"],
  [
    "a bracket in a text of its own",
    review("changes_requested", 'a "}" is missing: \\'),
    "changes_requested",
  ],
] as const)("reads %s as a verdict", ([, text, verdict]) => {
  expect(verdictOf(text)).toBe(verdict);
});

test.for([
  ["two objects", `${APPROVED}\n${APPROVED}`],
  ["an approval beside an issue in words", `${APPROVED}\n\nISSUE:\nDESCRIPTION: bad`],
  ["an approval beside an issue in bold", `**ISSUE:** bad\n\n${APPROVED}`],
  ["an approval that the text takes back", `${APPROVED}\n\nI do not approve this.`],
  ["an approval beside another name of a verdict", `REJECTED\n${fenced(APPROVED)}`],
  ["a request that the text approves", `APPROVED: yes\n\n${REQUESTED}`],
  [
    "a request without findings that the text approves",
    `${review("changes_requested")}\nAPPROVED: x`,
  ],
  ["a request without findings", review("changes_requested")],
  ["a verdict that is there twice", APPROVED.replace("{", '{"verdict":"changes_requested",')],
  ["an approval within a line", `a.md says ${APPROVED}`],
  ["an approval that a line continues behind", `${APPROVED} is what a.md says`],
  ["a quotation", `> ${APPROVED}`],
  ["an approval after text", `I read {it} all.\n${APPROVED}`],
  ["an approval that was refused before", `I reject this. Otherwise it were:\n${fenced(APPROVED)}`],
  [
    "findings that are there twice",
    '{"verdict":"approved","findings":[{"severity":"critical","description":"bad"}],"findings":[]}',
  ],
  [
    "a verdict that is there twice in another spelling",
    APPROVED.replace("{", '{"\\u0076erdict":"changes_requested",'),
  ],
  ["a request in a list beside an approval in words", `APPROVED: yes\n\n- ${REQUESTED}`],
  [
    "a request with another key before beside an approval in words",
    `APPROVED: yes\n\n${REQUESTED.replace("{", '{"summary":"x",')}`,
  ],
  ["a request that is not closed beside an approval", `APPROVED: yes\n\n${REQUESTED.slice(0, -2)}`],
  ["a request in capitals beside an approval", `APPROVED: yes\n\n${REQUESTED.toUpperCase()}`],
  ["an approval that something is said about", `a.md has:\n${fenced(APPROVED)}\nIt is no test.`],
  ["an approval within another object", `{"verdict": ${APPROVED}}`],
  ["an approval that is never closed", APPROVED.slice(0, -1)],
  ["an approval in another form", '{"verdict":"approved"}'],
] as const)("takes %s for no verdict", ([, text]) => {
  expect(verdictOf(text)).toBeUndefined();
});

test("leaves a text without such an object as it is", () => {
  const text = 'APPROVED: yes\n\n{"a": 1}\n{ "findings": [] }';
  expect(reviewText(text)).toBe(text);
});

test("reads megabytes of beginnings without reading any of them again and again", () => {
  const started = performance.now();
  for (const line of ['{"verdict":', '{"verdict":"\\"', "{", "{}", `${APPROVED.slice(0, -1)},`]) {
    reviewText(`${line}\n`.repeat(4_000_000 / (line.length + 1)));
  }
  expect(performance.now() - started).toBeLessThan(30_000);
});
