import { expect, test } from "vitest";
import { excerpt, excerptLines } from "./excerpt.ts";

const tenOf = (output: string): readonly string[] => excerptLines(output, 11, () => 1);

/** What `npm test` prints where that is `node --test`, and one of its tests fails. */
const NODE_TEST = `
> shop@1.0.0 test
> node --test

✔ one word (1.902267ms)
✔ one space (0.169984ms)
✖ two spaces (0.980112ms)
ℹ tests 3
ℹ suites 0
ℹ pass 2
ℹ fail 1
ℹ cancelled 0
ℹ skipped 0
ℹ todo 0
ℹ duration_ms 159.531219

✖ failing tests:

test at slug.test.js:5:1
✖ two spaces (0.980112ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  
  'a--b' !== 'a-b'
  
      at TestContext.<anonymous> (file:///tmp/nt/slug.test.js:5:33)
      at Test.runInAsyncScope (node:async_hooks:227:14)
      at Test.run (node:internal/test_runner/test:1402:25)
      at Test.postRun (node:internal/test_runner/test:1542:19)
      at async Test.processPendingSubtests (node:internal/test_runner/test:974:7) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: 'a--b',
    expected: 'a-b',
    operator: 'strictEqual',
    diff: 'simple'
  }
`;

test("names the test of node --test that failed, why, and where, as it was printed", () => {
  expect(tenOf(NODE_TEST)).toEqual([
    "…",
    "✖ failing tests:",
    "test at slug.test.js:5:1",
    "✖ two spaces (0.980112ms)",
    "  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
    "  'a--b' !== 'a-b'",
    "      at TestContext.<anonymous> (file:///tmp/nt/slug.test.js:5:33)",
    "…",
    "    actual: 'a--b',",
    "    expected: 'a-b',",
    "…",
  ]);
});

test.for([
  ["TAP", "not ok 2 - two spaces"],
  ["go test", "--- FAIL: TestSlug (0.00s)"],
  ["go test", "    slug_test.go:12: got a--b"],
  ["pytest", "E   assert 'a--b' == 'a-b'"],
  ["pytest", "FAILED test_slug.py::test_two - AssertionError"],
  ["tsc", "src/slug.ts(3,7): error TS2322: Type 'string' is not assignable"],
  ["cargo", "error[E0308]: mismatched types"],
  ["cargo", "thread 'main' panicked at src/lib.rs:3:5"],
  ["vitest", " FAIL  src/slug.test.ts > two spaces"],
  ["vitest", "    × two spaces 4ms"],
  ["eslint", "  3:7  error  'x' is never used  no-unused-vars"],
] as const)("keeps what %s says in the middle of a long output: %s", ([, line]) => {
  const around = Array.from({ length: 40 }, (_, n) => `working on part ${n}`);
  const kept = tenOf([...around, line, ...around].join("\n"));
  expect(kept).toContain(line);
  expect(kept).toHaveLength(11);
});

test("keeps the end, and then the beginning, of what does not look like a failure", () => {
  const output = Array.from({ length: 40 }, (_, n) => `line ${n}`).join("\n");
  const first = ["line 0", "line 1", "line 2", "…"];
  const last = Array.from({ length: 7 }, (_, n) => `line ${33 + n}`);
  expect(tenOf(output)).toEqual([...first, ...last]);
});

test("keeps an output whole that fits", () => {
  expect(excerpt(" a\n\n  b\n", 8)).toBe(" a\n\n  b\n");
});

test.for([
  ["many lines", NODE_TEST],
  ["one line", "x".repeat(4000)],
  ["characters of two units", "😀".repeat(4000)],
  ["a long line among others", `first\n${"y".repeat(4000)}\nFAIL a`],
  ["lines of one character", "x\n".repeat(9000)],
] as const)("an excerpt of %s is no longer than it may be, and nearly as long", ([, output]) => {
  const { length } = Array.from(excerpt(output, 600));
  expect(length).toBeLessThanOrEqual(600);
  expect(length).toBeGreaterThan(500);
});
