import type { Verdict } from "@quasar/receipts";
import type { HookFile } from "../src/store/hook-file.ts";
import type { HookMdFacts } from "../src/hook-md/hook-md.ts";

export interface HookMdInput {
  readonly hook: HookFile;
  readonly verdicts: ReadonlyMap<string, Verdict>;
  readonly facts: HookMdFacts;
}

/** Keys whose values are one of a set, or of a form that decoding has checked. */
const NO_TEXT = new Set([
  "version",
  "state",
  "lastKnownState",
  "type",
  "recovery.recommendedAction",
  "recommendedAction",
  "status",
  "kind",
  "coverage",
  "change",
  "output",
  "extra",
  "history",
]);

/** The input with `textFor` of each of its texts; equal texts are asked for once, so that ids agree. */
export function withTexts(input: HookMdInput, textFor: (text: string) => string): HookMdInput {
  const texts = new Map<string, string>();
  const given = (text: string): string => {
    const known = texts.get(text) ?? textFor(text);
    texts.set(text, known);
    return known;
  };
  const within = (value: unknown, key: string): unknown => {
    if (NO_TEXT.has(key)) return value;
    if (typeof value === "string") return given(value);
    if (Array.isArray(value)) return value.map((one) => within(one, ""));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, within(one, name)]),
    );
  };
  const { hook, verdicts, facts } = input;
  return {
    hook: within(hook, "") as HookFile,
    verdicts: new Map(
      [...verdicts].map(([id, verdict]) => [given(id), within(verdict, "") as Verdict]),
    ),
    facts: { ...(within(facts, "") as HookMdFacts), version: given(facts.version) },
  };
}
