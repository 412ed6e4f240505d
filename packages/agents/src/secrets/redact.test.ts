import { expect, test } from "vitest";
import { createRedactor } from "./redact.ts";

const redact = createRedactor({
  OPENAI_API_KEY: "sk-0123456789",
  GIT_AUTHOR_NAME: "Jane Example",
  SSH_AUTH_SOCK: "/run/agent.sock",
  SHORT_TOKEN: "1234567",
  HOME: "/home/jane",
  PRIVATE: "first line\nsecond line",
});

test.for([
  ["a key", "key=sk-0123456789;", "key=[redacted];"],
  ["a key twice", "sk-0123456789sk-0123456789", "[redacted][redacted]"],
  ["a line of a secret of many", "second line", "[redacted]"],
  ["a secret of many lines in JSON", '"first line\\nsecond line"', '"[redacted]"'],
  ["a password in a URL", "https://a:b@c/d?e=f@g", "https://[redacted]@c/d?e=f@g"],
  ["a token in a URL", "git+ssh://tok@c", "git+ssh://[redacted]@c"],
  ["a URL without one", "https://c/d@e", "https://c/d@e"],
  ["two URLs in JSON", '["s://a","s://b@c"]', '["s://a","s://[redacted]@c"]'],
  ["an author's name", "Jane Example", "Jane Example"],
  ["a socket's place", "/run/agent.sock", "/run/agent.sock"],
  ["what is too short to be told from a word", "1234567", "1234567"],
  ["half a key", "sk-012345", "sk-012345"],
] as const)("treats %s as it should", ([, text, expected]) => {
  expect(redact(text)).toBe(expected);
});

test.for(
  [
    ["DB_PASS", "GITHUB_PAT", "GOOGLE_CREDS", "SSHPASS", "MYSQL_PWD", "PASS"].map((name) => [
      name,
      1,
    ]),
    ["PWD", "OLDPWD", "COMPASS", "PATH", "XPATH", "BYPASS_FILE"].map((name) => [name, 0]),
  ].flat() as [string, number][],
)("knows whether %s holds a secret", ([name, isSecret]) => {
  const text = createRedactor({ [name]: "/home/jane" })("at /home/jane");
  expect(text).toBe(isSecret === 1 ? "at [redacted]" : "at /home/jane");
});

test.for([
  ["ASCII only", "caf\\u00e9/\\u20ac12+="],
  ["slashes escaped", "caf\u00e9\\/\u20ac12+="],
] as const)("finds a secret in JSON with %s", ([, written]) => {
  const redactIt = createRedactor({ A_TOKEN: "caf\u00e9/\u20ac12+=" });
  expect(JSON.parse(`"${written}"`)).toBe("caf\u00e9/\u20ac12+=");
  expect(redactIt(`{"a":"${written}"}`)).toBe('{"a":"[redacted]"}');
  expect(redactIt(JSON.stringify(`{"a":"${written}"}`))).not.toContain("12");
});

test.for([
  ["standard", "base64"],
  ["for URLs", "base64url"],
] as const)("finds a key in base64 (%s), wherever it begins in the text", ([, encoding]) => {
  for (const before of ["", "?", "??", "Bearer "]) {
    const text = Buffer.from(`${before}sk-0123456789 and more`).toString(encoding);
    expect(redact(text)).toContain("[redacted]");
  }
});

const SLOW = ["\u001b]a;", "\u001b[1;", "1;", "\u200b", "\u001b"];
test.for(["x", "a.", "a://", "://a", "a:", "sk-012345678", "@://", ...SLOW])(
  "takes a long line of %j in one pass",
  (unit) => {
    const text = `\u001b]${unit.repeat((8 * 2 ** 20) / unit.length)}://@`;
    const started = performance.now();
    redact(text);
    // Milliseconds; hours where it is looked on from each place for what may end there.
    expect(performance.now() - started).toBeLessThan(60_000);
  },
);

const KEY = "-----BEGIN KEY-----\nfirst line of it\nsecond line of it\n-----END KEY-----";
const redactKey = createRedactor({
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
  expect(redactKey(text)).toBe(expected);
});
