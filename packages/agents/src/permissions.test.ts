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
  ["cd web && CI=1 npm test 2>&1 | tail -20", ["Bash(CI=1 npm test *)"]],
  ["FOO=1 node test.js | tail", ["Bash(FOO=1 node test.js *)"]],
  ["FOO='a b' node test.js", ["Bash(FOO='a b' node test.js *)"]],
  ["npm test; npm run lint", ["Bash(npm test *)", "Bash(npm run lint *)"]],
  ["(npm test)", ["Bash"]],
  ["npm test -- 'a b'", ["Bash(npm test -- 'a b' *)"]],
  ['node test.js --grep "a|b; c" | tail -3', ['Bash(node test.js --grep "a|b; c" *)']],
  ["node -e 'console.log(1)'", ["Bash(node -e *)"]],
  ["FOO=1 'a(b)'", ["Bash"]],
  ['npm test -- "$HOME"', ["Bash"]],
  ["npm test -- it's", ["Bash"]],
  ["npm test > out.txt", ["Bash"]],
  ["node test.js $(pwd)", ["Bash"]],
  ["for i in 1 2; do npm test; done", ["Bash"]],
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
