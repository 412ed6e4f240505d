import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { discoverCommands } from "./discover.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "discover-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (name: string, value: unknown): void =>
  writeFileSync(join(root, name), typeof value === "string" ? value : JSON.stringify(value));

const found = (): readonly string[] =>
  discoverCommands(root).commands.map(({ command }) => command);

test("takes the scripts that exist, in the order check, lint, types, test", () => {
  put("package.json", {
    scripts: { test: "t", build: "b", lint: "l", "format:check": "f", "type-check": "c" },
  });
  expect(discoverCommands(root)).toEqual({
    commands: [
      { name: "format:check", command: "npm run format:check" },
      { name: "lint", command: "npm run lint" },
      { name: "type-check", command: "npm run type-check" },
      { name: "test", command: "npm run test" },
    ],
    source: "package.json",
    timeoutMs: 600_000,
    maxFixes: 2,
  });
});

test("takes one script where two spellings of it exist", () => {
  put("package.json", { scripts: { "format-check": "a", "format:check": "b" } });
  expect(found()).toEqual(["npm run format-check"]);
});

test("prefers what is configured, also where that is no command at all", () => {
  put("package.json", { scripts: { test: "t" } });
  const commands = [{ name: "all", command: "make check" }];
  expect(discoverCommands(root, { config: { commands, maxFixes: 0, timeoutMs: 5 } })).toEqual({
    commands,
    source: "config",
    timeoutMs: 5,
    maxFixes: 0,
  });
  expect(discoverCommands(root, { config: { commands: [] } }).commands).toEqual([]);
});

test.for([
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
] as const)("with a %s runs them by %s", ([lockfile, runner]) => {
  put("package.json", { scripts: { test: "t" } });
  put(lockfile, "");
  expect(found()).toEqual([`${runner} run test`]);
});

test.for<readonly [string, () => void]>([
  ["there is no package.json", () => {}],
  ["it is no JSON", () => put("package.json", "{")],
  ["it is a list", () => put("package.json", "[]")],
  ["it is null", () => put("package.json", "null")],
  ["it has no scripts", () => put("package.json", {})],
  ["its scripts are a text", () => put("package.json", { scripts: "test" })],
  ["a script is no text", () => put("package.json", { scripts: { test: { a: 1 } } })],
  ["a script is empty", () => put("package.json", { scripts: { test: " " } })],
  ["the test is npm's placeholder", () => put("package.json", { scripts: { test: PLACEHOLDER } })],
  ["scripts are inherited", () => put("package.json", '{"__proto__":{"scripts":{"test":"t"}}}')],
  ["a script is inherited", () => put("package.json", '{"scripts":{"__proto__":{"test":"t"}}}')],
  [
    "it is a link",
    () => {
      put("elsewhere.json", { scripts: { test: "t" } });
      symlinkSync("elsewhere.json", join(root, "package.json"));
    },
  ],
  ["it is a folder", () => mkdirSync(join(root, "package.json"))],
  ["it is a pipe that nobody writes to", () => mkfifo("package.json")],
  [
    "it is larger than 1 MiB",
    () => put("package.json", { scripts: { test: "t" }, rest: "x".repeat(2 ** 20) }),
  ],
])("finds none where %s", ([, scene]) => {
  scene();
  expect(discoverCommands(root)).toMatchObject({ commands: [], source: "none" });
});

const PLACEHOLDER = 'echo "Error: no test specified" && exit 1';

function mkfifo(name: string): void {
  execFileSync("mkfifo", [join(root, name)]);
}
