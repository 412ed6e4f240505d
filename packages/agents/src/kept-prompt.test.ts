import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aDirectory, aRequest } from "../test/request.ts";
import { keepPrompt, promptIn } from "./kept-prompt.ts";
import { turnFiles } from "./turn-files.ts";

function aTurn() {
  const turnsDir = aDirectory();
  const files = turnFiles(turnsDir, aRequest({ turnsDir }));
  return { files, path: files.path("prompt") };
}

test("what an agent was asked is kept for its user alone, and of the same number the last", () => {
  const { files, path } = aTurn();
  expect(promptIn(files)).toBe("");
  keepPrompt(files, "before");
  keepPrompt(files, "Do it. €");
  expect(promptIn(files)).toBe("Do it. €");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a prompt that cannot be kept is not there, and nothing fails", () => {
  const { files, path } = aTurn();
  mkdirSync(path);
  keepPrompt(files, "Do it.");
  expect(promptIn(files)).toBe("");
  rmSync(files.dir, { recursive: true });
  keepPrompt(files, "Do it.");
  expect(promptIn(files)).toBe("");
});

test("no link is followed", () => {
  const { files, path } = aTurn();
  const other = join(files.dir, "other");
  writeFileSync(other, "mine");
  symlinkSync(other, path);
  expect(promptIn(files)).toBe("");
  keepPrompt(files, "Do it.");
  expect([promptIn(files), readFileSync(other, "utf8")]).toEqual(["Do it.", "mine"]);
});

test("of a long one the beginning is read, in whole characters", () => {
  const { files } = aTurn();
  keepPrompt(files, "€".repeat(100_000));
  expect(promptIn(files)).toBe("€".repeat(Math.floor((64 * 1024) / 3)));
});
