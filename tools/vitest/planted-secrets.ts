import { generateKeyPairSync, randomBytes } from "node:crypto";

const random = (length: number, alphabet: string): string =>
  Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join("");

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const ALNUM = LOWER + UPPER + DIGITS;
const URL_SAFE = `${ALNUM}_-`;

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

/** Each begins, and ends, as one that its service gives out. */
const KINDS: Readonly<Record<string, () => string>> = {
  "sk-ant-": () => `sk-ant-api03-${random(93, URL_SAFE)}AA`,
  "sk-ant-oat": () => `sk-ant-oat01-${random(93, URL_SAFE)}AA`,
  "sk-proj-": () => `sk-proj-${random(74, URL_SAFE)}T3BlbkFJ${random(73, URL_SAFE)}x`,
  "sk-proj-, short": () => `sk-proj-${random(10, ALNUM)}1${random(37, ALNUM)}`,
  ghp_: () => `ghp_${random(36, ALNUM)}`,
  gho_: () => `gho_${random(36, ALNUM)}`,
  github_pat_: () => `github_pat_${random(22, ALNUM)}_${random(59, ALNUM)}`,
  "glpat-": () => `glpat-${random(20, ALNUM)}`,
  AKIA: () => `AKIA${random(16, UPPER + DIGITS)}`,
  "xoxb-": () => `xoxb-${random(12, DIGITS)}-${random(13, DIGITS)}-${random(24, ALNUM)}`,
  "xoxp-": () =>
    `xoxp-${random(12, DIGITS)}-${random(12, DIGITS)}-${random(12, DIGITS)}-${random(32, ALNUM)}`,
  "xoxa-": () => `xoxa-2-${random(12, DIGITS)}-${random(24, ALNUM)}`,
  JWT: () => {
    const parts = [
      { alg: "HS256", typ: "JWT" },
      { sub: random(12, ALNUM), iat: 1_516_239_022 },
    ];
    return `${parts.map(base64url).join(".")}.${random(43, URL_SAFE)}`;
  },
  sk_live_: () => `sk_live_${random(24, ALNUM)}`,
  npm_: () => `npm_${random(36, ALNUM)}`,
  hf_: () => `hf_${random(34, LOWER + UPPER)}`,
};

/** A token of each kind that is known by how it begins, by the kind's name; others at each call. */
export function plantedTokens(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(KINDS).map(([name, make]) => [name, make()]));
}

/** A private key in PEM, and its lines that are secret. */
export function plantedKey(): { readonly text: string; readonly lines: readonly string[] } {
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 1024,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const text = privateKey.trim();
  return { text, lines: text.split("\n").slice(1, -1) };
}
