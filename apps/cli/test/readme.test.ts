import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SETTING_NAMES, SETTINGS } from "../src/config/settings.ts";
import { EXIT } from "../src/exit-codes.ts";
import { emptyPlace, quasar } from "./harness.ts";

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

test("the README has every command of the help and no other", async () => {
  const help = (await quasar(emptyPlace(), ["--help"])).stdout;
  const commands = [...help.matchAll(/^ {2}([a-z]+) \[options\]/gmu)].map(([, name = ""]) => name);
  const listed = [...readme.matchAll(/^\| `quasar ([a-z]+)[ `]/gmu)].map(([, name = ""]) => name);
  expect([...new Set(listed)].toSorted()).toEqual(commands.toSorted());
});
