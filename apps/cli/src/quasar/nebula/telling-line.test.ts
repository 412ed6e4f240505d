import { expect, test } from "vitest";
import { tellingLine } from "./telling-line.ts";

const NPM = "> shop@1.0.0 test\n> node --test\n\n";

test.for([
  ["", ""],
  ["done", "done"],
  ["first\nlast\n\n", "last"],
  [`${NPM}building\nAssertionError: 1 == 2\nerror: gone`, "AssertionError: 1 == 2"],
  [`${NPM}starts\nsum is 3`, "sum is 3"],
  [NPM, "> node --test"],
  ["yarn run v1.22.22\n$ node check.js\nnot ok 1 - sum", "not ok 1 - sum"],
  ["0 errors\n# fail 0\n✖ adds prices\nend", "✖ adds prices"],
  ["  × sum.test.ts > adds\nend", "  × sum.test.ts > adds"],
  ["Expected 2, received 3\nend", "Expected 2, received 3"],
] as const)("%j stands for itself by %j", ([output, line]) => {
  expect(tellingLine(output)).toBe(line);
});
