import { parseOnce } from "@quasar/loop/internal";
import { parseReview, renderReview } from "@quasar/loop/review";
import * as v from "valibot";

/** What a verification says. Hostile text. */
export interface VerifyVerdict {
  /** Each on one line; none where it passed. */
  readonly issues: readonly string[];
  readonly summary: string;
}

const Issue = v.union([
  v.string(),
  v.object({ severity: v.optional(v.string(), ""), description: v.string() }),
]);
const Verdict = v.object({
  passed: v.boolean(),
  issues: v.optional(v.array(Issue), []),
  summary: v.optional(v.string(), ""),
});

/**
 * Reads a verification's answer: `{ passed, issues, summary }` as JSON, alone, in a fence or between other
 * words, or the loop's review form. Issues weigh more than a pass beside them; no pass has one.
 *
 * @returns `undefined` for an answer that says neither.
 */
export function parseVerdict(text: string): VerifyVerdict | undefined {
  for (const { json, around, isApart } of jsonIn(text)) {
    const verdict = fromObject(json);
    if (verdict === undefined) continue;
    if (verdict.issues.length > 0) return verdict;
    // A pass is none in the midst of words, or where they say otherwise, or have another one.
    const other = parseVerdict(around);
    const holds =
      other === undefined ? isApart && !SAYS_OTHERWISE.test(around) : other.issues.length === 0;
    return holds ? verdict : undefined;
  }
  return fromReview(text);
}

const SAYS_OTHERWISE =
  /\bfail(?:s|ed|ing|ures?)?\b|\b(?:not|n't|no) (?:a )?pass|\bnot (?:approve|accept)/iu;

function fromObject(json: unknown): VerifyVerdict | undefined {
  const parsed = v.safeParse(Verdict, json);
  if (parsed.success) return fromJson(parsed.output);
  const review = renderReview(json);
  return review === undefined ? undefined : fromReview(review);
}

function fromJson({ passed, issues, summary }: v.InferOutput<typeof Verdict>): VerifyVerdict {
  const named = issues.map((issue) =>
    oneLine(typeof issue === "string" ? issue : textOf(issue.severity, issue.description)),
  );
  const found = named.filter((issue) => issue !== "");
  const said = oneLine(summary);
  if (passed || found.length > 0) return { issues: found, summary: said };
  return { issues: [said || "it did not pass, and no issue is named"], summary: said };
}

function fromReview(text: string): VerifyVerdict | undefined {
  const { verdict, findings, verifications, report } = parseReview(text);
  if (verdict === undefined) return undefined;
  const summary = oneLine(report?.summary ?? "");
  const found = findings.map(({ severity, description }) => oneLine(textOf(severity, description)));
  if (verdict === "approved" || found.length > 0) return { issues: found, summary };
  const open = verifications.filter(({ status }) => status !== "fixed");
  const named = open.map(({ findingId, status }) => oneLine(`${findingId} is ${status}`));
  return { issues: named, summary };
}

function textOf(severity: string, description: string): string {
  return severity === "" ? description : `${severity}: ${description}`;
}

interface FoundJson {
  readonly json: unknown;
  /** The answer without it. */
  readonly around: string;
  /** Whether it is the whole answer, or in a fence. */
  readonly isApart: boolean;
}

/** Where JSON could be in an answer, the likeliest first. */
function jsonIn(text: string): readonly FoundJson[] {
  const fence = /^```(?:json)?\s*\n(.*?)\n```/ms.exec(text)?.[1];
  const outer = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return [text, fence, outer].flatMap((candidate) => {
    if (candidate === undefined || candidate === "") return [];
    const json = parseOnce(candidate);
    const isApart = candidate !== outer || text.trim() === outer;
    return json === undefined ? [] : [{ json, around: text.replace(candidate, ""), isApart }];
  });
}

function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}
