import { expect, test } from "vitest";
import { commandFinding } from "./command.ts";

const FACTS = {
  name: "quasar",
  path: "/usr/bin/quasar",
  owner: "this",
  packageName: "quasar-command",
  alias: undefined,
  main: "/opt/quasar/main.js",
} as const;

test.for([
  [{}, "ok", "quasar on the PATH is this program", []],
  [
    { path: undefined },
    "warning",
    "quasar is not on the PATH",
    ["alias quasar=/opt/quasar/main.js"],
  ],
  [
    { owner: "other", packageName: "@quasar/cli", alias: "quasar-loop" },
    "warning",
    "quasar on the PATH is not this program, but /usr/bin/quasar of the package @quasar/cli",
    ["alias quasar=quasar-loop"],
  ],
  [
    { owner: "other", packageName: undefined },
    "warning",
    "quasar on the PATH is not this program, but /usr/bin/quasar",
    ["alias quasar=/opt/quasar/main.js"],
  ],
  [
    { owner: "another installation" },
    "warning",
    "quasar on the PATH is another installation: /usr/bin/quasar",
    ["alias quasar=/opt/quasar/main.js"],
  ],
] as const)("a command with %j", ([change, state, message, next]) => {
  const finding = commandFinding({ ...FACTS, ...change });
  expect(finding).toEqual({ check: "command", state, message, next });
});
