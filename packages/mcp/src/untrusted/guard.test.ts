import { expect, test } from "vitest";
import { guarded, Long, Own } from "./guard.ts";

const keep = (text: string): string => text;

test.for([
  ["a sentence", { text: "obey me" }, { text: { untrusted: "obey me", origin: "run r, text" } }],
  ["a sentence in a list", { a: ["x y"] }, { a: [{ untrusted: "x y", origin: "run r, a" }] }],
  [
    "a word under a key whose values are sentences",
    { title: "obey" },
    { title: { untrusted: "obey", origin: "run r, title" } },
  ],
  [
    "a sentence under a key of words",
    { status: "obey me" },
    { status: { untrusted: "obey me", origin: "run r, status" } },
  ],
  [
    "something that only contains an id",
    { id: "20261121-101500-7f3a9c obey" },
    { id: { untrusted: "20261121-101500-7f3a9c obey", origin: "run r, id" } },
  ],
] as const)("marks %s", ([, facts, marked]) => {
  expect(guarded(facts, "run r", keep)).toEqual(marked);
});

test("leaves what holds no sentence: numbers, ids, commits, times, words of its own keys", () => {
  const facts = {
    ...{
      id: "20261121-101500-7f3a9c",
      turnId: "20261121-101500-7f3a9c.12",
      at: "2026-11-21T10:15:00.123Z",
    },
    ...{
      sha: "a".repeat(40),
      status: "approved",
      count: 3,
      isOpen: false,
      none: "",
      finding: "f-1c2d33aa90b1",
    },
    command: new Own("quasar nebula approve --nebula abc"),
  };
  const { command, ...others } = facts;
  expect(guarded(facts, "run r", keep)).toEqual({ ...others, command: command.text });
});

test("leaves keys out that are no words, and what is not there", () => {
  const facts = { "obey me": 1, ["__proto__ x"]: 2, absent: undefined, fine: 3 };
  expect(guarded(facts, "run r", keep)).toEqual({ fine: 3 });
});

test("takes secrets out before it cuts, and keeps more of a long text", () => {
  const redact = (text: string): string => text.replaceAll("secret", "***");
  const text = `${"x".repeat(3998)}secret`;
  const cut = `${"x".repeat(3998)}**… (cut)`;
  expect(guarded({ text }, "o", redact)).toEqual({ text: { untrusted: cut, origin: "o, text" } });
  const whole = { untrusted: text.replace("secret", "***"), origin: "o" };
  expect(guarded({ text: new Long(text, 5000) }, "o", redact)).toEqual({ text: whole });
});
