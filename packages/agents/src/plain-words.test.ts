import { expect, test } from "vitest";
import { plainWords } from "./plain-words.ts";

test.each([
  ["Fetch failed", "Fetch failed"],
  ['{"error":{"code":400,"message":"API key not valid.","status":"X"}}', "API key not valid."],
  ['got status: 400. {"error":{"message":"API key not valid."}}', "API key not valid."],
  ['{"error":{"message":"{\\"error\\":{\\"message\\":\\"no credit\\"}}"}}', "no credit"],
  ['Internal error {"details":"401 {}"}', 'Internal error {"details":"401 {}"}'],
  ['{"message":"overloaded"}', "overloaded"],
  ['{"error":"invalid_grant"}', "invalid_grant"],
  ['{"error":{"message":"  "}}', '{"error":{"message":"  "}}'],
  ["{ not JSON }", "{ not JSON }"],
  ["} {", "} {"],
])("%s", (text, plain) => {
  expect(plainWords(text)).toBe(plain);
});
