import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { initDepot } from "../../src/entries/depot.ts";
import { aFolder, aRepository, failureCode, git, script, write } from "../fixture.ts";

test("makes a durable bare repository without git hooks, and knows it later", async () => {
  const template = aFolder();
  script(join(template, "hooks"), "update", "exit 1");
  const config = write(aFolder(), "config", `[init]\n\ttemplateDir = ${template}\n`);
  const before = process.env["GIT_CONFIG_GLOBAL"];
  process.env["GIT_CONFIG_GLOBAL"] = config;
  const path = join(aFolder(), "a", "depot.git");
  const made = await initDepot(path).finally(() => (process.env["GIT_CONFIG_GLOBAL"] = before));
  expect(made).toBe("made");
  expect(await initDepot(path)).toBe("known");
  expect(readdirSync(dirname(path))).toEqual(["depot.git"]);
  expect(readdirSync(path)).not.toContain("hooks");
  const setting = (name: string): string => git(path, "config", "--local", name).trim();
  expect(setting("core.bare")).toBe("true");
  expect(setting("core.fsync")).toBe("all");
  expect(setting("receive.fsckObjects")).toBe("true");
  expect(setting("receive.autogc")).toBe("false");
  expect(setting("gc.auto")).toBe("0");
});

test("is made once by several at the same time", async () => {
  const path = join(aFolder(), "depot.git");
  const all = await Promise.all([initDepot(path), initDepot(path), initDepot(path)]);
  expect(all).toContain("made");
  expect(all.every((each) => each === "made" || each === "known")).toBe(true);
  expect(readdirSync(dirname(path))).toEqual(["depot.git"]);
  expect(await initDepot(path)).toBe("known");
});

test("takes a bare repository of somebody else's as it is", async () => {
  const path = aFolder();
  git(path, "init", "-q", "--bare");
  const before = git(path, "config", "--list", "--local");
  expect(await initDepot(path)).toBe("known");
  expect(git(path, "config", "--list", "--local")).toBe(before);
});

test.for<[string, (path: string) => void]>([
  ["a folder with a file", (path) => write(path, "a", "")],
  ["an empty folder", (path) => mkdirSync(path)],
  ["a file", (path) => write(dirname(path), "x", "")],
  ["a link that leads nowhere", (path) => symlinkSync("nowhere", path)],
  ["a repository with a work tree", (path) => aRepository(path)],
])("refuses %s in its place, and leaves it", async ([, put]) => {
  const path = join(aFolder(), "x");
  put(path);
  expect(await failureCode(initDepot(path))).toBe("ERR_NAME_TAKEN");
  expect(readdirSync(dirname(path))).toEqual(["x"]);
});

test.for(["depot.git", "ssh://host/depot.git", "host:depot.git"])(
  "does not make %s",
  async (path) => {
    expect(await failureCode(initDepot(path))).toBe("ERR_INVALID_ARGUMENT");
  },
);
