import { expect, test } from "vitest";
import { denialOf, isPlainCommand } from "./permissions.ts";

test.for([
  ["npm test", true],
  ["npx vitest run src/a.test.ts --reporter=dot", true],
  ["CI=1 npm test", false],
  ["cd web && npm test", false],
  ["npm test -- 'a b'", false],
  ["(npm test)", false],
  ["npm test *", false],
  ["npm  test", false],
  ["npm test; rm x", false],
  ["npm test $X", false],
] as const)("takes %j for a program with plain arguments: %s", ([command, isPlain]) => {
  expect(isPlainCommand(command)).toBe(isPlain);
});

test.for([
  ["npm test", ["Bash(npm test *)"]],
  ["cd web && CI=1 npm test 2>&1 | tail -20", ["Bash(npm test *)"]],
  ["npm test; npm run lint", ["Bash(npm test *)", "Bash(npm run lint *)"]],
  ["(npm test)", ["Bash"]],
  ["npm test -- 'a b'", ["Bash"]],
] as const)("names the rules that allow %j", ([command, allow]) => {
  expect(denialOf("Bash", { command })).toEqual({ what: command, allow });
});

test("names a denied tool with what it was for, cleaned", () => {
  expect(denialOf("Write", { file_path: "/etc/\u001b[2Jx" })).toEqual({
    what: "Write /etc/x",
    allow: ["Edit"],
  });
  expect(denialOf("WebFetch", { url: "https://x" })).toMatchObject({ allow: ["WebFetch"] });
});
