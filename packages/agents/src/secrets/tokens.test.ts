import { plantedTokens } from "@quasar/vitest/planted-secrets";
import { expect, test } from "vitest";
import { secretRules } from "../../scripts/secret-rules.ts";
import { KEPT_RULES } from "./kept-rules.generated.ts";
import { createRedactor } from "./redact.ts";

const redact = createRedactor({});
const tokens = plantedTokens();

test("the rules are those of the version that is installed", () => {
  expect(KEPT_RULES).toEqual(secretRules());
});

test.for(Object.entries(tokens))(
  "takes out a token of the kind %s, wherever it stands",
  ([, token]) => {
    const around: readonly (readonly [before: string, after: string])[] = [
      ["", ""],
      ["token=", ";"],
      ["'", "'"],
      ["Authorization: Bearer ", "\n"],
      ["-", ""],
      ["+  key: ", " # it"],
      [String.raw`{\"token\":\"x\n`, String.raw`\n\"}`],
      ["?token=%22", "%22&a=b"],
      ["\u001b[31m", "\u001b[0m"],
      ["(", ")."],
      ["`", "`, which works"],
    ];
    for (const [before, after] of around) {
      const masked = redact(`a\n${before}${token}${after}`);
      expect(masked).not.toContain(token.slice(5, 20));
      expect(masked.startsWith(`a\n${before}[redacted]`)).toBe(true);
    }
    expect(redact(`${token} ${token}`)).toBe("[redacted] [redacted]");
  },
);

test.for([
  [
    "a word with hyphens",
    "task-proj-setup sk-proj-database-migration-service sk-ant-colony-optimizer",
  ],
  ["a prefix alone", "starts with ghp_, AKIA, xoxb- or eyJ"],
  ["what stands for a token", "ghp_xxxx, sk-ant-..., AKIA<16 characters>, xoxb-your-token"],
  [
    "a name in a program",
    "const gho_state = hf_models.npm_packages; ghp_get_user_by_id_or_fail(x);",
  ],
  ["a token within a word", "BASKIAAKIA1234567890ABCDEFGH"],
  ["two of the three parts of a web token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0"],
  ["a URL without a password", "postgres://localhost:5432/quasar_development_database"],
] as const)("leaves %s as it is", ([, text]) => {
  expect(redact(text)).toBe(text);
});

test.for([
  "sk-ant-",
  "-eyJ",
  "eyJaaaaaaaaaa.",
  "ghs_1_",
  "xoxb-a-",
  "AKIA",
  "-----BEGIN PRIVATE KEY",
])("takes a long line of %j in bounded time and without an error", (unit) => {
  const text = unit.repeat(2 ** 20 / unit.length);
  expect(redact(text)).toHaveLength(redact(text).length);
  expect(redact(`${text} ${tokens["ghp_"]}`)).toContain(" [redacted]");
});
