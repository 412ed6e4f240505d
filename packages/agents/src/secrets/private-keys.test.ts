import { plantedKey } from "@quasar/vitest/planted-secrets";
import { expect, test } from "vitest";
import { createLineRedactor, createRedactor } from "./redact.ts";

const redact = createRedactor({});
const { text: key, lines } = plantedKey();

/** Pieces of the key of 12 characters: none of them is in what is shown. */
const pieces = lines.flatMap((line) => line.match(/.{12}/g) ?? []);

function expectNone(shown: string): void {
  expect(pieces.filter((piece) => shown.includes(piece))).toEqual([]);
  expect(shown).toContain("[redacted]");
}

const prefixed = (prefix: string): string => key.replaceAll(/^/gm, prefix);

test.for([
  ["as it is", key],
  ["with CRLF", key.replaceAll("\n", "\r\n")],
  ["in JSON", JSON.stringify({ key })],
  ["in JSON in JSON", JSON.stringify(JSON.stringify({ key }))],
  ["in a diff", prefixed("+")],
  ["quoted", prefixed("> ")],
  ["in a list of strings", prefixed("  '").replaceAll(/$/gm, "',")],
  ["put together by a program", prefixed('  "').replaceAll(/$/gm, String.raw`\n" +`)],
  [
    "with line numbers",
    key
      .split("\n")
      .map((line, at) => `${at + 1}\t${line}`)
      .join("\n"),
  ],
  [
    "with arrows after line numbers",
    key
      .split("\n")
      .map((line, at) => `   ${at + 1}→${line}`)
      .join("\n"),
  ],
  ["in one line", key.replaceAll("\n", "")],
  ["in one line, with spaces", key.replaceAll("\n", " ")],
  ["without its end", key.split("\n").slice(0, -3).join("\n")],
  ["without its beginning", key.split("\n").slice(3).join("\n")],
  ["with headers", key.replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n")],
  ["of OpenSSH", key.replaceAll("PRIVATE KEY", "OPENSSH PRIVATE KEY")],
  ["of PGP", key.replaceAll("PRIVATE KEY-----", "PGP PRIVATE KEY BLOCK-----")],
] as const)("takes a private key out of a text: %s", ([, text]) => {
  expectNone(redact(`before\n${text}\nafter`));
  expect(redact(`before\n${text}\nafter`)).toMatch(/^before\n[^]*after$/);
});

test("takes a private key out of lines that come one after the other, and nothing else", () => {
  const redactLines = createLineRedactor([]);
  const said = ["a key:", ...key.split("\n"), "internationalization1", "the end"];
  const shown = said.flatMap((line) => redactLines([line]));
  expectNone(shown.join("\n"));
  expect(shown.slice(0, 2)).toEqual(said.slice(0, 2));
  expect(shown.slice(-3)).toEqual(said.slice(-3));
});

test("takes two private keys out of a text, and leaves what stands between them", () => {
  const shown = redact(`${key}\nbetween\n${key}\n`);
  expectNone(shown);
  expect(shown).toContain("-----END PRIVATE KEY-----\nbetween\n-----BEGIN PRIVATE KEY-----");
});

test.for([
  [
    "a program that looks for keys",
    'if (text.includes("-----BEGIN PRIVATE KEY-----")) {\n  reportPrivateKey1(text);\n}',
  ],
  [
    "a list of names",
    'const BEGIN = "-----BEGIN PRIVATE KEY-----";\nexport {\n  createPrivateKeyReader1,\n};',
  ],
  [
    "prose",
    "A file starts with -----BEGIN PRIVATE KEY----- and ends with\n-----END PRIVATE KEY-----.",
  ],
  [
    "a certificate",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCARwCCQD1234567890abcdefghijklmnop\n-----END CERTIFICATE-----",
  ],
  [
    "a public key",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCg\n-----END PUBLIC KEY-----",
  ],
] as const)("leaves %s as it is", ([, text]) => {
  expect(redact(text)).toBe(text);
});
