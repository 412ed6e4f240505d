import type { Scenario } from "./simulation.ts";

const version = (text: string): string => /v\d/u.exec(text)?.[0] ?? "v0";

/** A coder that does what the newest finding asks, and nothing by itself. */
const obedient = (text: string, prompt: string): string => {
  if (prompt.includes("lint checks")) return version(text);
  return /needs (v\d)/u.exec(prompt)?.[1] ?? "v1";
};

const wants = (last: string) => (text: string) => {
  if (text === last) return "APPROVED: good\n\nREPORT:\nRISK: low\n";
  const next = `v${Number(version(text).slice(1)) + 1}`;
  return `ISSUE:\nSEVERITY: major\nDESCRIPTION: needs ${next}\n`;
};

const TWO_CYCLES: Scenario = { name: "two cycles", code: obedient, review: wants("v2") };

/** Its tree counts the fixes: one that left no trace cannot be known. */
const STUBBORN: Scenario = {
  name: "lint that nobody fixes",
  options: { lint: [{ name: "style", command: "" }], maxLintRetries: 2 },
  code: (text, prompt) =>
    prompt.includes("lint checks")
      ? `${version(text)} dirty${"!".repeat(1 + (text.match(/!/gu) ?? []).length)}`
      : `${obedient(text, prompt)} dirty`,
  review: (text) =>
    text.startsWith("v2") ? "APPROVED: so be it\n" : "ISSUE:\nDESCRIPTION: needs v2\n",
  checks: { style: (text) => !text.includes("dirty") },
};

const OTHERS: readonly Scenario[] = [
  { name: "three cycles", code: obedient, review: wants("v3") },
  {
    name: "lint that the coder fixes",
    options: { lint: [{ name: "style", command: "" }] },
    code: (text, prompt) =>
      prompt.includes("lint checks") ? version(text) : `${obedient(text, prompt)} dirty`,
    review: wants("v2"),
    checks: { style: (text) => !text.includes("dirty") },
  },
  {
    name: "a filter that sends the first cycle back",
    options: { filters: [{ name: "tests", command: "" }] },
    code: (_text, prompt) => (prompt.includes("[filter:tests]") ? "v2" : "v1"),
    review: wants("v2"),
    checks: { tests: (text) => text !== "v1" },
  },
  {
    name: "a coder that has nothing to change",
    code: () => "",
    review: () => "APPROVED: it was done already\n",
  },
];

export { OTHERS, STUBBORN, TWO_CYCLES };
