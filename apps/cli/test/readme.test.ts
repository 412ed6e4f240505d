import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMANDS } from "../src/atlas/commands.ts";
import { SETTINGS as ATLAS_SETTINGS } from "../src/atlas/config/settings.ts";
import { SETTINGS } from "../src/shared/config/settings.ts";
import { ATLAS_EXIT, EXIT } from "../src/shared/exit-codes.ts";
import { emptyPlace, quasar } from "./harness.ts";

const file = new URL("../README.md", import.meta.url);
const readme = readFileSync(file, "utf8").replaceAll(/ +/gu, " ");
const [ofQuasar = "", ofAtlas = ""] = readme.split(/^# atlas$/mu);

test.for([
  ["quasar", ofQuasar, EXIT],
  ["atlas", ofAtlas, ATLAS_EXIT],
] as const)("the README has every exit code of %s and no other", ([, text, codes]) => {
  const listed = [...text.matchAll(/^\| (\d+) \|/gmu)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values<number>(codes).toSorted((a, b) => a - b));
});

const cell = (text: string | undefined): string => (text === undefined ? "" : `\`${text}\` `);

const settings = [
  ...Object.values(SETTINGS).map((one) => ["quasar", ofQuasar, one] as const),
  ...Object.values(ATLAS_SETTINGS).map((one) => ["atlas", ofAtlas, one] as const),
].map(([program, text, { key, flag, env, fallback }]) => ({
  name: `${program} ${key}`,
  text,
  row: `| \`${key}\` | ${cell(flag)}| ${cell(env)}| \`${JSON.stringify(fallback)}\` |`,
}));

test.for(settings)("the README has the setting $name as it is", ({ text, row }) => {
  expect(text).toContain(row);
});

test("the README has every command of the help and no other", async () => {
  const help = (await quasar(emptyPlace(), ["--help"])).stdout;
  const shown = help.matchAll(/^ {2}([a-z]+)(?: \[options\]| {2,}\w)/gmu);
  const commands = Array.from(shown, ([, name = ""]) => name).filter((name) => name !== "help");
  const listed = [...ofQuasar.matchAll(/^\| `quasar ([a-z]+)[ `]/gmu)].map(([, name = ""]) => name);
  expect([...new Set(listed)].toSorted()).toEqual(commands.toSorted());
});

test("the README has every command of atlas, as the help writes it, and no other", () => {
  const shown = COMMANDS.filter(({ isUnlisted }) => isUnlisted !== true);
  const commands = shown.map(({ name, args = [] }) =>
    ["atlas", name, ...args.map(([arg]) => arg)].join(" "),
  );
  const [table = ""] = ofAtlas.split("## Exit codes of atlas");
  const listed = [...table.matchAll(/^\| `(atlas [^`]+)` \|/gmu)].map(([, line]) => line);
  expect(listed).toEqual(commands);
});
