import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SETTING_NAMES, SETTINGS } from "../src/config/settings.ts";
import { EXIT } from "../src/exit-codes.ts";

const file = new URL("../README.md", import.meta.url);
const readme = readFileSync(file, "utf8").replaceAll(/ +/gu, " ");

test("the README has every exit code and no other", () => {
  const listed = [...readme.matchAll(/^\| (\d+) \|/gmu)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(EXIT).toSorted((a, b) => a - b));
});

test.for(SETTING_NAMES)("the README has the setting %s as it is", (name) => {
  const { key, flag, env, fallback } = SETTINGS[name];
  const value = JSON.stringify(fallback);
  expect(readme).toContain(`| \`${key}\` | \`${flag}\` | \`${env}\` | \`${value}\` |`);
});
