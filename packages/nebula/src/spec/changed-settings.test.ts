import { expect, test } from "vitest";
import { changedSettings } from "./changed-settings.ts";

const BEFORE = `[nebula]
name = "demo"
[execution]
max_budget_usd = 4
verify = ["npm test"]
[execution.routing]
enabled = true
`;

test.for([
  ["another value", "max_budget_usd = 4", "max_budget_usd = 6", "max_budget_usd", "4", "6"],
  [
    "a key that is new",
    "max_budget_usd = 4",
    "gate = 'x'\nmax_budget_usd = 4",
    "gate",
    undefined,
    '"x"',
  ],
  ["a key that is gone", "max_budget_usd = 4\n", "", "max_budget_usd", "4", undefined],
  ["another list", '["npm test"]', "[]", "verify", '["npm test"]', "[]"],
  ["a key of a table", "enabled = true", "enabled = false", "routing.enabled", "true", "false"],
] as const)("says %s", ([, from, to, key, before, now]) => {
  const changes = changedSettings(BEFORE, BEFORE.replace(from, to));
  expect(changes).toEqual([{ key: `execution.${key}`, before, now }]);
});

test("another comment is no setting", () => {
  expect(changedSettings(BEFORE, `# more\n${BEFORE}`)).toEqual([]);
});
