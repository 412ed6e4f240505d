import { expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

const KEY = "-----BEGIN KEY-----\nfirst line of it\nsecond line of it\n-----END KEY-----";
const redact = createRedactor({
  SIGNING_PRIVATE_KEY: KEY,
  DATABASE_URL: "postgres://app:open-sesame@127.0.0.1/app",
  PATH: "/usr/bin:/usr/local/bin",
});

test.for([
  ["a line of a secret of several lines", "found: second line of it", "found: [redacted]"],
  ["a password of a URL in the environment", "it is open-sesame", "it is [redacted]"],
  ["a password in any URL", "https://ada:secret@host/x", "https://[redacted]@host/x"],
  [
    "a password in a URL within a URL",
    "?to=https%3A%2F%2Fada%3Asecret%40host%2Fx",
    "?to=https%3A%2F%2F[redacted]%40host%2Fx",
  ],
  ["no variable that is none", "/usr/bin:/usr/local/bin", "/usr/bin:/usr/local/bin"],
  ["no line that only frames a secret", "-----BEGIN KEY-----", "-----BEGIN KEY-----"],
] as const)("takes out %s", ([, text, expected]) => {
  expect(redact(text)).toBe(expected);
});
