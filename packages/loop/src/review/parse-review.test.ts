import { expect, test } from "vitest";
import { parseReview } from "./parse-review.ts";

const verdicts: readonly (readonly [name: string, text: string, verdict: string | undefined])[] = [
  ["an approval", "APPROVED: good", "approved"],
  ["an approval after prose", "I read it all.\n\n  APPROVED: good", "approved"],
  ["an issue", "ISSUE:\nDESCRIPTION: bad", "changes_requested"],
  ["an issue beside an approval", "APPROVED: yes\n\nISSUE:\nDESCRIPTION: bad", "changes_requested"],
  [
    "an approval that calls an old finding still there",
    "VERIFICATION:\nFINDING_ID: f-1\nSTATUS: still_present\n\nAPPROVED: minor",
    "approved",
  ],
  [
    "an old finding that is still there",
    "VERIFICATION:\nFINDING_ID: f-1\nSTATUS: regressed",
    "changes_requested",
  ],
  [
    "old findings that are all fixed, and no word more",
    "VERIFICATION:\nFINDING_ID: f-1\nSTATUS: fixed",
    undefined,
  ],
  ["prose", "Looks good to me!", undefined],
  ["nothing", "", undefined],
  ["keywords in lower case", "approved: good", undefined],
  ["keywords in bold", "**APPROVED:** good", undefined],
  ["an issue on the keyword's line", "ISSUE: bad", undefined],
  ["an issue with a blank line after the keyword", "ISSUE:\n\nDESCRIPTION: bad", undefined],
  ["an issue without a description", "ISSUE:\nSEVERITY: major", undefined],
  ["an approval beside an issue on the keyword's line", "APPROVED: x\n\nISSUE: bad", undefined],
  ["an approval beside an issue in bold", "**ISSUE:**\nDESCRIPTION: bad\n\nAPPROVED: x", undefined],
  [
    "an approval beside an issue with a number",
    "ISSUE 1:\nDESCRIPTION: bad\n\nAPPROVED: x",
    undefined,
  ],
  [
    "an approval beside an issue in a list",
    "APPROVED: x\n\n1. ISSUE:\n   DESCRIPTION: bad",
    undefined,
  ],
  ["an approval beside an issue in a heading", "### ISSUE: bad\n\nAPPROVED: x", undefined],
  [
    "an approval beside an issue that breaks off",
    "ISSUE:\n\nDESCRIPTION: bad\n\nAPPROVED: x",
    undefined,
  ],
  ["an approval beside a severity alone", "**SEVERITY:** critical, bad\n\nAPPROVED: x", undefined],
  ["an approval that says no", "APPROVED: no, tests are missing", undefined],
  ["an approval that says false", "APPROVED: False", undefined],
  ["an approval that cannot be", "APPROVED: this can not be accepted", undefined],
  ["an approval of nothing", "APPROVED: -", undefined],
  ["an approval and a refusal", "APPROVED: yes\n\nI do not approve this.", undefined],
  ["an approval that says not yet", "APPROVED: not until the tests pass", undefined],
  ["an approval on a condition", "APPROVED: only if the tests are added", undefined],
  ["an approval and its denial", "APPROVED: yes\n\nAPPROVED: no", undefined],
  ["an approval beside the word that there is no issue", "ISSUE: none\n\nAPPROVED: x", "approved"],
  ["an approval beside an issue that is fixed", "ISSUE 1: fixed\n\nAPPROVED: x", "approved"],
  ...[
    "- ISSUE: No authorization check on DELETE /users",
    "**ISSUE:** nothing validates the token",
    "ISSUE 2: fixed-size buffer overflows",
    "ISSUE: none of the handlers checks its input",
    "Issue: a.txt loses data",
    "Issue:\nDESCRIPTION: a.txt loses data",
    "\u001b[31mISSUE:\u001b[0m\nDESCRIPTION: a.txt loses data",
    "\u200bISSUE:\nDESCRIPTION: a.txt loses data",
    "\ufffdISSUE:\nDESCRIPTION: a.txt loses data",
    "fine\rISSUE: bad",
    "REJECTED: broken",
    "NOT APPROVED: bad",
    "**Changes requested**",
  ].map(
    (line) => [`an approval beside ${line}`, `${line}\n\nAPPROVED: the rest`, undefined] as const,
  ),
  ...[
    "cannot be given, a.txt is broken",
    "rejected, see above",
    "❌",
    "0/10",
    "<reason>",
    "[reason]",
    "after the bug in a.txt is fixed",
    "cannot approve this, the login accepts any password",
    "never",
    "nope",
    "**No**",
    "I do not approve",
    "I don’t approve this",
    "withheld until tests pass",
    "No tests were run, so I cannot",
    "only the naming",
    "the naming is fine, but only if the tests are added",
    "yes, once the finding is fixed",
    "it works, but must not be merged",
    "no issues found, but only after the rebase",
    "absolutely not",
    "sorry, no",
    "needs work",
    "changes requested",
    "failed",
    "null",
    "\nNo. The tests are missing.",
    "yes\n\nSo this change is not approved.",
    "yes\n\nFINAL VERDICT: REJECTED",
  ].map((words) => [`an approval that says ${words}`, `APPROVED: ${words}`, undefined] as const),
  ...[
    "yes",
    "it does what was asked.",
    "no further issues",
    "No blocking problems; nothing to add",
    "nothing to report",
    "the handler no longer accepts any password",
    "it polls until the server answers, and does not block",
    "if-modified-since is handled",
    "all tests pass, nothing else was changed",
    "the change is small and does not touch other callers",
    "Notes: well done",
    "when the token expires the user is logged out now",
    "does not leak any more; conflicts are listed, and it does not merge them",
    "nothing else to do",
    "nothing to change",
    "Nothing is missing.",
    "no changes needed",
    "Nothing blocks this change.",
    "\nIt does what was asked.",
    "yes\n\nRejected inputs are tested now.",
    "nothing against it",
    "✅ well done",
    "10/10",
    "the issue: it is fixed",
  ].map((words) => [`an approval that says ${words}`, `APPROVED: ${words}`, "approved"] as const),
  ["an approval that finds no issues", "APPROVED: no issues found", "approved"],
  ["an approval without a word", "APPROVED:", "approved"],
  ["an approval that names issues in prose", "Issues: all are gone\n\nAPPROVED: x", "approved"],
];
test.for(verdicts)("gives the verdict of %s", ([, text, verdict]) => {
  expect(parseReview(text).verdict).toBe(verdict);
});

const issues: readonly (readonly [name: string, text: string, findings: readonly string[]])[] = [
  ["severity and description", "ISSUE:\nSEVERITY: minor\nDESCRIPTION: a", ["minor a"]],
  ["fields in the other order", "ISSUE:\nDESCRIPTION: a\nSEVERITY: minor", ["minor a"]],
  ["no severity", "ISSUE:\nDESCRIPTION: a", ["major a"]],
  ["a severity of its own", "ISSUE:\nSEVERITY: HIGH\nDESCRIPTION: a", ["HIGH a"]],
  ["CRLF", "ISSUE:\r\nSEVERITY: minor\r\nDESCRIPTION: a\r\n  b\r\n", ["minor a b"]],
  ["a description of several lines", "ISSUE:\nDESCRIPTION: a\n  b\nc\n\nd", ["major a b c"]],
  [
    "two blocks without a blank line",
    "ISSUE:\nDESCRIPTION: a\nISSUE:\nDESCRIPTION: b",
    ["major a", "major b"],
  ],
  ["the same issue twice", "ISSUE:\nDESCRIPTION: a\n\nISSUE:\nDESCRIPTION: a", ["major a"]],
  ["options after it", "ISSUE:\nDESCRIPTION: a\nOPTIONS:\nA) b\nRECOMMENDATION: A", ["major a"]],
  ["a severity after options", "ISSUE:\nDESCRIPTION: a\nOPTIONS: b\nSEVERITY: minor", ["minor a"]],
  ["a report right after it", "ISSUE:\nDESCRIPTION: a\nREPORT:\nRISK: low", ["major a"]],
  [
    "a verification right after it",
    "ISSUE:\nDESCRIPTION: a\nVERIFICATION:\nFINDING_ID: f-1",
    ["major a"],
  ],
  ["unknown lines before the description", "ISSUE:\nWHERE: x\nDESCRIPTION: a", ["major a"]],
];
test.for(issues)("reads an issue with %s", ([, text, findings]) => {
  const found = parseReview(text).findings.map(
    ({ severity, description }) => `${severity} ${description}`,
  );
  expect(found).toEqual(findings);
});

test.for([
  ["major", "missing nil check in a.go:12", "f-e67f8738fdc5"],
  ["major", "bad", "f-8b8e622349e8"],
  ["critical", "bad", "f-ab488000c9c2"],
  ["MAJOR", "missing nil check in a.go:12", "f-0acb9d483394"],
] as const)("gives %s, %s the id of the original", ([severity, description, id]) => {
  const text = `ISSUE:\nSEVERITY: ${severity}\nDESCRIPTION: ${description}\n`;
  expect(parseReview(text).findings).toEqual([{ id, severity, description }]);
});

test("keeps the id of a finding whatever options stand under it", () => {
  const plain = parseReview("ISSUE:\nDESCRIPTION: bad").findings;
  const wordy = parseReview(
    "ISSUE:\nDESCRIPTION: bad\nOPTIONS: many\nRECOMMENDATION: one",
  ).findings;
  expect(wordy).toEqual(plain);
});

const statuses: readonly (readonly [text: string, status: string])[] = [
  ["fixed", "fixed"],
  ["Fixed", "fixed"],
  ["still_present", "still_present"],
  ["regressed", "regressed"],
  ["resolved", "still_present"],
  ["", "still_present"],
];
test.for(statuses)("takes the status %o for %s", ([text, status]) => {
  const { verifications } = parseReview(
    `VERIFICATION:\nFINDING_ID: f-1\nSTATUS: ${text}\nCOMMENT: why`,
  );
  expect(verifications).toEqual([{ findingId: "f-1", status, comment: "why" }]);
});

test("drops a verification that names no finding", () => {
  expect(parseReview("VERIFICATION:\nSTATUS: fixed").verifications).toEqual([]);
});

const humans: readonly (readonly [text: string, needed: boolean])[] = [
  ["yes", true],
  ["yes — it touches money", true],
  ["True, see above", true],
  ["no", false],
  ["yesterday I would have said so", false],
  ["", false],
];
test.for(humans)("takes NEEDS_HUMAN_REVIEW: %o for %s", ([text, needsHumanReview]) => {
  const block = `REPORT:\nSATISFACTION: High\n\nRISK: LOW\nNEEDS_HUMAN_REVIEW: ${text}\nSUMMARY: Done`;
  expect(parseReview(block).report).toEqual({
    satisfaction: "high",
    risk: "low",
    needsHumanReview,
    summary: "Done",
  });
});

test("takes the first report that says something", () => {
  const text = "REPORT:\nnothing\n\nREPORT:\nRISK: low\nother text\nSUMMARY: not read";
  expect(parseReview(text).report).toMatchObject({ risk: "low", summary: "" });
  expect(parseReview("APPROVED: x").report).toBeUndefined();
});

test("reads megabytes of keywords without reading any of them again and again", () => {
  const started = performance.now();
  for (const line of [
    "ISSUE:",
    "VERIFICATION:",
    "REPORT:",
    "REPORT:\n",
    "DESCRIPTION: x",
    " \t ",
  ]) {
    parseReview(`ISSUE:\n${`${line}\n`.repeat(4_000_000 / (line.length + 1))}`);
  }
  parseReview(`APPROVED: x\n${"\u001b]a;".repeat(1_000_000)}`);
  // It takes a second or two; with a look at all that follows for each line it takes minutes.
  expect(performance.now() - started).toBeLessThan(60_000);
});
