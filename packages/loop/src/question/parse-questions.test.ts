import { expect, test } from "vitest";
import { namedQuestions, splitQuestions, structuredQuestions } from "./parse-questions.ts";

const ASKED = `QUESTION: decision_needed
SUMMARY: Which port?
DETAIL: the tests need one
OPTION: 80
OPTION: 8080`;
const QUESTION = {
  kind: "decision_needed",
  summary: "Which port?",
  detail: "the tests need one",
  options: ["80", "8080"],
};

test("a question is taken out of an answer, wherever it stands", () => {
  for (const text of [
    `I did it.\n\n${ASKED}\n\nCOMMIT: Do it`,
    `I did it.\n\n${ASKED}\nCOMMIT: Do it`,
    `${ASKED}\n\nI did it.\n\nCOMMIT: Do it`,
    `I did it.\n\n**QUESTION:** decision_needed\n\n**SUMMARY:** Which port?\n\nDETAIL: the tests\n  need one\nOPTION: 80\n\nOPTION: 8080\n\nCOMMIT: Do it`,
  ]) {
    const { text: rest, asked } = splitQuestions(text);
    expect(asked).toEqual([QUESTION]);
    expect(rest.replaceAll(/\n+/gu, " ")).toBe("I did it. COMMIT: Do it");
  }
});

test("several questions are several, and a review beside them is whole", () => {
  const review = "ISSUE:\nSEVERITY: major\nDESCRIPTION: bad";
  const report = "REPORT:\nSATISFACTION: low\nSUMMARY: the report's own";
  const { text, asked } = splitQuestions(
    `${review}\n\nQUESTION: blocker\nSUMMARY: Is it?\n${ASKED}\n${report}`,
  );
  expect(asked.map(({ kind, summary }) => [kind, summary])).toEqual([
    ["blocker", "Is it?"],
    ["decision_needed", "Which port?"],
  ]);
  expect(text).toBe(`${review}\n\n${report}`);
});

test("what is no question stays as it is", () => {
  for (const text of [
    "QUESTION: decision_needed|ambiguity|blocker|human_review\nSUMMARY: the question, in one line",
    "QUESTION: urgent\nSUMMARY: Help",
    "QUESTION: blocker\n\nand nothing else",
    "QUESTION: blocker\nSUMMARY:   \n",
    "An open QUESTION: blocker or not?",
  ]) {
    expect(splitQuestions(text)).toEqual({ text, asked: [] });
  }
});

test("a flood of an agent's is bounded, and has lines of no width of its own", () => {
  const one = `QUESTION: ambiguity\nSUMMARY: ${"s".repeat(9999)}\nDETAIL: ${"d".repeat(9999)}\n${"OPTION: o\n".repeat(99)}`;
  const { asked, text } = splitQuestions(one.repeat(50));
  expect(asked).toHaveLength(5);
  expect(asked[0]?.summary).toHaveLength(200);
  expect(asked[0]?.detail).toHaveLength(2000);
  expect(asked[0]?.options).toHaveLength(6);
  expect(text).toBe("");
  const [{ summary } = { summary: "" }] = splitQuestions(
    "QUESTION: ambiguity\nSUMMARY: a\u2028QUESTION: blocker\rb\ud800",
  ).asked;
  expect(summary).toBe("a QUESTION: blocker b\ufffd");
});

test("a structured answer asks in its own form, and in no other", () => {
  const { kind, ...rest } = QUESTION;
  expect(structuredQuestions({ verdict: "approved", questions: [{ kind, ...rest }] })).toEqual([
    QUESTION,
  ]);
  for (const questions of [null, undefined, "all", [{ kind: "urgent", summary: "Help" }]]) {
    expect(structuredQuestions({ verdict: "approved", questions })).toEqual([]);
  }
});

test("the same question of the same turn has the same name, and no other has", () => {
  const of = (turnId: string) =>
    namedQuestions(splitQuestions(`${ASKED}\n${ASKED}`).asked, { turnId, role: "coder", cycle: 1 });
  const ids = [...of("run.1"), ...of("run.2")].map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
  expect(of("run.1").map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(ids.every((id) => /^q-[0-9a-f]{8}$/u.test(id))).toBe(true);
});
