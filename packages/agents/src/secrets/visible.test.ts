import { plantedKey, plantedTokens } from "@quasar/vitest/planted-secrets";
import { expect, test } from "vitest";
import { createLineRedactor, createRedactor } from "./redact.ts";

const TOKEN = plantedTokens()["ghp_"] ?? "";
const VALUE = "sk-0123456789";
const redact = createRedactor({ OPENAI_API_KEY: VALUE });
const redactLine = (line: string): string => createLineRedactor([VALUE])([line])[0] ?? "";

/** A text with something within it, where a secret begins and further on. */
const split = (text: string, by: string): string =>
  [text.slice(0, 2), text.slice(2, 9), text.slice(9)].join(by);

const HIDDEN = {
  "a space without a width": "\u200b",
  "a mark between lines": "\ufff9",
  "a joiner": "\u2060",
  "a mark of byte order": "\ufeff",
  "a soft hyphen": "\u00ad",
  "a variation selector": "\ufe0f",
  "a colour": "\u001b[31m",
  "a title": "\u001b]0;x\u0007",
  "a null": "\u0000",
  "a tag": "\u{e0041}",
} as const;

test.for(Object.entries(HIDDEN))("finds a secret that holds %s", ([, by]) => {
  for (const secret of [TOKEN, VALUE]) {
    const text = `say ${split(secret, by)} now`;
    expect(redact(text)).toBe("say [redacted] now");
    expect(redactLine(text)).toBe("say [redacted] now");
    expect(redactLine(JSON.stringify({ text }))).toBe('{"text":"say [redacted] now"}');
    const ascii = JSON.stringify({ text }).replaceAll(/[^ -~]/g, escaped);
    expect(redactLine(ascii)).toBe('{"text":"say [redacted] now"}');
  }
});

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

test("finds a private key whose lines hold what is not seen", () => {
  const { text, lines } = plantedKey();
  const hidden = text.replaceAll("\n", "\u200b\n").replace("PRIVATE", "PRI\u2060VATE");
  const redactLines = createLineRedactor([]);
  const byLine = hidden.split("\n").map((line) => redactLines([line])[0] ?? "");
  for (const shown of [redact(hidden), byLine.join("\n")]) {
    expect(lines.filter((line) => shown.includes(line.slice(0, 20)))).toEqual([]);
  }
});

test("masks beside each other a secret that is seen and one that is hidden", () => {
  const text = `\u001b[31m${TOKEN}\u001b[0m and ${split(TOKEN, "\u200b")}`;
  expect(redact(text)).toBe("[redacted] and [redacted]");
});

test("leaves what is not seen where it hides no secret", () => {
  for (const text of [
    "\u001b[31mred\u001b[0m",
    "👩\u200d💻 \u{2764}\ufe0f",
    "abc\u200bghp_",
    "\ufeff{}",
  ]) {
    expect(redact(text)).toBe(text);
    expect(redactLine(text)).toBe(text);
  }
});
