import { visibleText } from "@quasar/agents/environment";
import { type FindingStatus, findingId } from "@quasar/checkpoint";
import { isDenied } from "./approval.ts";
import type { ParsedReview, ReportedFinding, ReviewReport, Verification } from "./review.ts";
import { trimSpace } from "../text.ts";

const STATUSES: ReadonlySet<string> = new Set<FindingStatus>([
  "found",
  "fixed",
  "still_present",
  "regressed",
]);

/** Starts of lines that end a description, beside a blank line. */
const AFTER_DESCRIPTION = [
  "ISSUE:",
  "SEVERITY:",
  "APPROVED:",
  "OPTIONS:",
  "RECOMMENDATION:",
  "REPORT:",
  "VERIFICATION:",
];
/** Starts of lines that end an issue's block, beside a blank line and the next `ISSUE:`. */
const AFTER_ISSUE = ["APPROVED:", "REPORT:", "VERIFICATION:"];
const REPORT_FIELDS = ["SATISFACTION:", "RISK:", "NEEDS_HUMAN_REVIEW:", "SUMMARY:"];
const AFTER_VERIFICATION = ["VERIFICATION:", "ISSUE:", "REPORT:", "APPROVED:"];

/** A line that begins an issue in a form of its own: in bold, in a list, with a number, in small letters. */
const LOOSE_ISSUE = /^[^\p{L}]*(?:ISSUE|SEVERITY)\b[\s#*_\d]*:[\s*_]*(.*)$/iu;
/** A verdict of another name, which is none of the grammar's. */
const OTHER_VERDICT =
  /^[^\p{L}]*(?:(?:NOT|UN)[ -]?APPROVED|DISAPPROVED|REJECTED|DENIED|CHANGES[ _]REQUESTED|REQUEST[ _]CHANGES)\b(?=[^\p{L}\d]*$|\s*[:–—-])/iu;
/** A sentence of its own that takes an approval back. */
const REFUSES =
  /^[^\p{L}]*(?:but |however,? )?i (?:do not|don['’]t|cannot|can['’]t|can not|will not|won['’]t) (?:\w+ )?(?:approve|accept)\b|\b(?:this|the) (?:change|work|patch|code|pull request|task) (?:is|was|remains|stays) not (?:yet )?approved\b|^[^\p{L}]*(?:final |my )?verdict:[\s*_]*(?:rejected|not approved)\b/iu;
/** All that stands behind `ISSUE:` where there is none. */
const NO_ISSUE =
  /^(?:none|no|nothing|n\/a|-|fixed|resolved|no (?:\w+ )?(?:issues?|findings?|problems?)(?: found| left| remain(?:s|ing)?)?|nothing (?:found|left|open|to report))[\s.!*_]*$/iu;

/**
 * Reads a reviewer's answer: line by line, keywords in capitals at the start of a line.
 *
 * Findings weigh more than an approval beside them: a review that lists one asks for changes. An
 * approval that its own line denies, or beside an issue that cannot be read, is no verdict.
 *
 * @see SPEC.md, "The reviewer's answer"
 */
export function parseReview(text: string): ParsedReview {
  const lines = text.split("\n").map(trimSpace);
  const findings = parseIssues(lines);
  const verifications = parseVerifications(lines);
  const open = verifications.some(({ status }) => status !== "fixed");
  const approved = lines.some((line) => line.startsWith("APPROVED:"));
  return {
    verdict: verdictOf(findings.length > 0, approved, open, lines),
    findings,
    verifications,
    report: parseReport(lines),
  };
}

function verdictOf(
  found: boolean,
  approved: boolean,
  open: boolean,
  lines: readonly string[],
): ParsedReview["verdict"] {
  if (found) return "changes_requested";
  if (approved) return contradict(asSeen(lines)) ? undefined : "approved";
  return open ? "changes_requested" : undefined;
}

/** Lines as a person sees them: a carriage return begins one too, and what has no width is not there. */
function asSeen(lines: readonly string[]): readonly string[] {
  return lines
    .flatMap((line) => visibleText(line).split("\r"))
    .map((line) => trimSpace(line.replaceAll("\ufffd", "")));
}

/** Whether lines speak against an approval; what stands behind `APPROVED:` may be on the next one. */
function contradict(lines: readonly string[]): boolean {
  return lines.some((line, at) => {
    if (contradicts(line)) return true;
    if (!line.startsWith("APPROVED:") || valueOf(line, "APPROVED:") !== "") return false;
    const next = lines.slice(at + 1).find((each) => each !== "") ?? "";
    return !startsWithAny(next, AFTER_DESCRIPTION) && isDenied(next);
  });
}

/** Whether a line speaks against the approval of an answer in which no issue could be read. */
function contradicts(line: string): boolean {
  if (line.startsWith("APPROVED:")) return isDenied(valueOf(line, "APPROVED:"));
  if (OTHER_VERDICT.test(line) || REFUSES.test(line)) return true;
  const issue = LOOSE_ISSUE.exec(line)?.[1];
  return issue !== undefined && !NO_ISSUE.test(issue);
}

function parseIssues(lines: readonly string[]): readonly ReportedFinding[] {
  const findings = new Map<string, ReportedFinding>();
  for (const [at, line] of lines.entries()) {
    if (line !== "ISSUE:") continue;
    const finding = parseIssue(lines, at + 1);
    if (finding !== undefined && !findings.has(finding.id)) findings.set(finding.id, finding);
  }
  return [...findings.values()];
}

function parseIssue(lines: readonly string[], from: number): ReportedFinding | undefined {
  let severity = "";
  let description: string[] = [];
  let inDescription = false;
  for (const line of blockAt(lines, from, endsIssue)) {
    if (startsWithAny(line, AFTER_DESCRIPTION)) inDescription = false;
    if (line.startsWith("SEVERITY:")) {
      severity = valueOf(line, "SEVERITY:");
    } else if (line.startsWith("DESCRIPTION:")) {
      description = [valueOf(line, "DESCRIPTION:")];
      inDescription = true;
    } else if (inDescription) {
      description.push(line);
    }
  }
  const text = trimSpace(description.join(" "));
  if (text === "") return undefined;
  const weight = severity === "" ? "major" : severity;
  return { id: findingId(weight, text), severity: weight, description: text };
}

/** The lines from an index up to the first that ends the block. */
function blockAt(
  lines: readonly string[],
  from: number,
  ends: (line: string) => boolean,
): readonly string[] {
  let to = from;
  for (; to < lines.length; to += 1) {
    const line = lines[to];
    if (line === undefined || ends(line)) break;
  }
  return lines.slice(from, to);
}

const endsIssue = (line: string): boolean =>
  line === "" || line === "ISSUE:" || startsWithAny(line, AFTER_ISSUE);
const endsVerification = (line: string): boolean =>
  line === "" || startsWithAny(line, AFTER_VERIFICATION);
const endsReport = (line: string): boolean => line !== "" && !startsWithAny(line, REPORT_FIELDS);

function parseVerifications(lines: readonly string[]): readonly Verification[] {
  return lines.flatMap((line, at) => {
    if (line !== "VERIFICATION:") return [];
    const block = blockAt(lines, at + 1, endsVerification);
    const id = fieldOf(block, "FINDING_ID:");
    const status = fieldOf(block, "STATUS:").toLowerCase();
    const comment = fieldOf(block, "COMMENT:");
    return id === "" ? [] : [{ findingId: id, status: asStatus(status), comment }];
  });
}

function asStatus(text: string): FindingStatus {
  return isStatus(text) ? text : "still_present";
}

function isStatus(text: string): text is FindingStatus {
  return STATUSES.has(text);
}

/** The first `REPORT:` block that has a field of its own; blank lines within it are passed over. */
function parseReport(lines: readonly string[]): ReviewReport | undefined {
  for (const [at, line] of lines.entries()) {
    if (line !== "REPORT:") continue;
    const block = blockAt(lines, at + 1, endsReport);
    if (block.every((each) => each === "")) continue;
    return {
      satisfaction: fieldOf(block, "SATISFACTION:").toLowerCase(),
      risk: fieldOf(block, "RISK:").toLowerCase(),
      needsHumanReview: /^(?:yes|true)(?![a-z0-9_])/iu.test(fieldOf(block, "NEEDS_HUMAN_REVIEW:")),
      summary: fieldOf(block, "SUMMARY:"),
    };
  }
  return undefined;
}

/** The last line of a block with this key decides, as in the original. */
function fieldOf(block: readonly string[], key: string): string {
  const line = block.findLast((each) => each.startsWith(key));
  return line === undefined ? "" : valueOf(line, key);
}

function valueOf(line: string, key: string): string {
  return trimSpace(line.slice(key.length));
}

function startsWithAny(line: string, starts: readonly string[]): boolean {
  return starts.some((start) => line.startsWith(start));
}
