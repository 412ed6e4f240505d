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
  for (const { json, around } of jsonIn(text)) {
    const verdict = fromObject(json);
    if (verdict === undefined) continue;
    const isPass = verdict.issues.length === 0;
    // A pass is none where what stands around it says otherwise, or has another one.
    const other = isPass ? parseVerdict(around) : undefined;
    return other === undefined || other.issues.length === 0 ? verdict : undefined;
  }
  return fromReview(text);
}

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
}

/** Where JSON could be in an answer, the likeliest first. */
function jsonIn(text: string): readonly FoundJson[] {
  const fence = /^```(?:json)?\s*\n(.*?)\n```/ms.exec(text)?.[1];
  const outer = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  return [text, fence, outer].flatMap((candidate) => {
    if (candidate === undefined || candidate === "") return [];
    try {
      return [{ json: JSON.parse(candidate) as unknown, around: text.replace(candidate, "") }];
    } catch {
      return []; // no JSON: the next one may be
    }
  });
}

function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}
