import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isInScope, parseScope, type Scope, scopesOverlap } from "./scope.ts";

function scope(text: string): Scope {
  const parsed = parseScope(text);
  if (parsed === undefined) throw new Error(`${text} is no scope`);
  return parsed;
}

test.for([
  ["a", "a", true],
  ["a", "./a/", true],
  ["a//b", "a/c/../b", true],
  ["internal/auth", "internal/auth/token.go", true],
  ["internal/auth", "internal/author.go", false],
  ["cmd/*.go", "cmd/main.go", true],
  ["cmd/*.go", "cmd/sub/main.go", false],
  ["cmd/*.go", "cmd/*.ts", false],
  ["a*.go", "b*.go", false],
  ["a*.go", "*b.go", true],
  ["internal/*.go", "internal/sub/x.ts", false],
  ["internal/*", "internal/sub/x.ts", true],
  ["src/**", "src/a/b/c.ts", true],
  ["src/**/*.ts", "src/a.ts", true],
  ["src/**/*.ts", "src/**/*.test.ts", true],
  ["src/**/*.ts", "src/**/*.js", false],
  ["**/a", "b/**", true],
  [".", "anything", true],
  ["", "anything", true],
  ["[a-c].ts", "b.ts", true],
  ["[a-c].ts", "d.ts", false],
  ["[a-c]x", "[d-f]x", false],
  ["[a-c]x", "[^a-c]x", false],
  ["[a-d]x", "[^a-c]x", true],
  ["[^a]x", "[^b]x", true],
  ["?", "ab", false],
  ["\\*.ts", "a.ts", false],
  ["\\*.ts", "[*].ts", true],
  ["{a,b}", "a", false],
  ["Src", "src", false],
  ["😀?", "😀a", true],
] as const)("%s and %s overlap: %s", ([a, b, expected]) => {
  expect(scopesOverlap(scope(a), scope(b))).toBe(expected);
  expect(scopesOverlap(scope(b), scope(a))).toBe(expected);
});

test.for([
  ["src/*.ts", "src/a.ts", true],
  ["src", "src/a/b.ts", true],
  ["src/a/b.ts", "src/a", false],
  ["src/**", "src/deep/er/a.ts", true],
  ["**/*.md", "README.md", true],
  ["a?c", "abc", true],
  ["src/*.ts", "src/a.ts/b", false],
  ["src/a.*", "src/a.b/c", true],
  ["src/[ab].d", "src/a.d/c", false],
  ["packages/*", "packages/a/src/b.ts", true],
  [".", "x", true],
] as const)("%s has %s: %s", ([of, path, expected]) => {
  expect(isInScope(scope(of), path)).toBe(expected);
});

test.for([
  ["leaves the repository", "../a"],
  ["leaves it on the way", "a/../../b"],
  ["is absolute", "/etc/passwd"],
  ["has a control character", "a\u0000b"],
  ["has a newline", "a\nb"],
  ["has a bracket that is not closed", "[a"],
  ["has brackets around nothing", "[^]"],
  ["has a range turned round", "[b-a]"],
  ["ends in a backslash", "a\\"],
  ["is longer than any path", "a".repeat(1001)],
] as const)("what %s is no scope", ([, text]) => {
  expect(parseScope(text)).toBeUndefined();
});

const name = fc.string({ unit: fc.constantFrom("a", "b", "."), minLength: 1, maxLength: 3 });
const glob = fc.oneof(
  name,
  fc.constant("**"),
  fc
    .array(fc.constantFrom("a", "b", "*", "?", "[ab]", "[^a]", "\\*", "."), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join("")),
);
const isPlain = (path: string): boolean => !path.split("/").some((part) => /^\.+$/.test(part));
const pattern = fc
  .array(glob, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"))
  .filter(isPlain);
const path = fc
  .array(name, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"))
  .filter(isPlain);

/** The same by another hand: a pattern as a regular expression. */
function expressionOf(text: string): RegExp {
  const parts = text.split("/").map((part) => {
    if (part === "**") return undefined;
    const tokens = part.match(/\[[^\]]+\]|\\.|[^]/gu) ?? [];
    return tokens
      .map((token) => {
        if (token === "*") return "[^/]*";
        if (token === "?") return "[^/]";
        if (token.startsWith("[^")) return `(?!/)${token}`;
        return token.startsWith("[") || token.startsWith("\\") ? token : token.replace(".", "\\.");
      })
      .join("");
  });
  const source = parts.map((part) => (part === undefined ? "(?:[^/]+/)*" : `${part}/`)).join("");
  const isOfFiles = /[*?\]].*\./.test(text.split("/").at(-1) ?? "");
  return new RegExp(`^${source}${isOfFiles ? "" : "(?:[^/]+/)*"}$`, "u");
}

test("a scope has exactly the paths that its pattern matches, and those below", () => {
  fc.assert(
    fc.property(pattern, path, (text, file) => {
      expect(isInScope(scope(text), file)).toBe(expressionOf(text).test(`${file}/`));
    }),
    { numRuns: 5000 },
  );
});

test("scopes that have a path in common overlap", () => {
  fc.assert(
    fc.property(pattern, pattern, path, (a, b, file) => {
      const isInBoth = isInScope(scope(a), file) && isInScope(scope(b), file);
      fc.pre(isInBoth);
      expect(scopesOverlap(scope(a), scope(b))).toBe(true);
    }),
    { numRuns: 3000, maxSkipsPerRun: 1000 },
  );
});

test("scopes that overlap have a path in common", () => {
  const names = [
    "a",
    "b.a",
    "a.a",
    "b",
    "c",
    "*",
    "aa",
    "ab",
    "ba",
    "bb",
    ".a",
    "a.",
    "b.",
    ".b",
    "a*",
    "*a",
    "b*",
  ];
  const short = fc
    .array(fc.constantFrom("a", "b", "ab", "**", "*", "?", "[ab]", "[^a]", "a*", "*b", "?b"), {
      minLength: 1,
      maxLength: 2,
    })
    .map((parts) => parts.join("/"));
  const paths = names.flatMap((one) => [
    one,
    ...names.flatMap((two) => [`${one}/${two}`, ...names.map((three) => `${one}/${two}/${three}`)]),
  ]);
  fc.assert(
    fc.property(short, short, (a, b) => {
      const [one, other] = [scope(a), scope(b)];
      fc.pre(scopesOverlap(one, other));
      expect(paths.some((each) => isInScope(one, each) && isInScope(other, each))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("a pattern of many stars is compared at once", () => {
  const many = scope(`${"*a".repeat(400)}*`);
  const others = scope("*b".repeat(400));
  const begun = performance.now();
  expect(scopesOverlap(many, others)).toBe(true);
  expect(isInScope(many, "a".repeat(399))).toBe(false);
  expect(performance.now() - begun).toBeLessThan(2000);
});
