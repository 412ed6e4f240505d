import { plantedKey, plantedTokens } from "@quasar/vitest/planted-secrets";
import { array, assert, constantFrom, jsonValue, property } from "fast-check";
import { expect, test } from "vitest";
import { replaceStrings } from "./json-strings.ts";
import { createLineRedactor } from "./redact.ts";

const token = plantedTokens()["ghp_"] ?? "";

/** Of an output whose lines come one by one. */
function redactLine(): (line: string) => string | undefined {
  const redactLines = createLineRedactor([]);
  return (line) => redactLines([line])[0];
}

test("changes no string but the one that holds a secret, and no way in which the rest is written", () => {
  const line = `{"type":"text", "n":1.0e2,"big":12345678901234567890,"a":"x\\u00e9\\/","t":"say ${token}\\n"}`;
  const shown = redactLine()(line);
  expect(shown).toBe(line.replace(token, "[redacted]"));
});

test("finds a token behind an escaped line break, and one whose letters are escaped", () => {
  const shown = redactLine();
  expect(shown(`{"t":"a\\n${token}\\nb"}`)).toBe('{"t":"a\\n[redacted]\\nb"}');
  const escaped = `\\u0067${token.slice(1)}`;
  expect(shown(`{"t":"${escaped}"}`)).toBe('{"t":"[redacted]"}');
});

test("leaves keys as they are", () => {
  const line = `{"${token}": 1, "a" : ["${token}"]}`;
  expect(redactLine()(line)).toBe(`{"${token}": 1, "a" : ["[redacted]"]}`);
});

test("looks through a line that only begins like JSON as through any text", () => {
  expect(redactLine()(`{ token: ${token} }`)).toBe("{ token: [redacted] }");
});

test("takes a private key out of a string of JSON, and reads the next line as any other", () => {
  const { text, lines } = plantedKey();
  const shown = redactLine();
  const masked = shown(JSON.stringify({ text })) ?? "";
  expect(lines.filter((line) => masked.includes(line))).toEqual([]);
  expect(JSON.parse(masked)).toHaveProperty("text", expect.stringContaining("[redacted]"));
  expect(shown("internationalization1")).toBe("internationalization1");
});

test("finds in lines that come together what it finds in those that come one by one", () => {
  const { text } = plantedKey();
  const said = [
    "{}",
    "plain",
    `say ${token}`,
    ...text.split("\n"),
    JSON.stringify({ text }),
    "end",
  ];
  const cuts = array(constantFrom(...said), { minLength: 1, maxLength: 40 });
  assert(
    property(array(cuts), (batches) => {
      const [together, alone] = [createLineRedactor([]), redactLine()];
      expect(batches.flatMap(together)).toEqual(batches.flat().map(alone));
    }),
  );
});

test("finds each string value of any JSON, and none of its keys", () => {
  assert(
    property(jsonValue(), constantFrom(undefined, 1), (value, indent) => {
      const seen: string[] = [];
      const json = JSON.stringify(value, undefined, indent);
      const same = replaceStrings(json, (text) => {
        seen.push(text);
        return text;
      });
      expect(same).toBe(json);
      const strings: string[] = [];
      JSON.parse(json, (_, each: unknown) => {
        if (typeof each === "string") strings.push(each);
        return each;
      });
      expect(seen.toSorted()).toEqual(strings.toSorted());
      const marked = replaceStrings(json, (text) => `${text}!`);
      const reviver = (_: string, each: unknown): unknown =>
        typeof each === "string" ? `${each}!` : each;
      expect(JSON.parse(marked)).toEqual(JSON.parse(json, reviver));
    }),
  );
});
