import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aDirectory, aRequest } from "../test/request.ts";
import { keepPrompt, promptOf } from "./kept-prompt.ts";
import { turnFiles } from "./turn-files.ts";

function aTurn() {
  const turnsDir = aDirectory();
  const request = aRequest({ turnsDir });
  const files = turnFiles(turnsDir, request);
  return { request, files, path: files.path("prompt") };
}

test("what an agent was asked is kept for its user alone, and of the same number the last", () => {
  const { request, files, path } = aTurn();
  expect(promptOf({ request })).toBe("");
  keepPrompt(files, "before");
  keepPrompt(files, "Do it. €");
  expect(promptOf({ request })).toBe("Do it. €");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a prompt that cannot be kept is not there, and nothing fails", () => {
  const { request, files, path } = aTurn();
  mkdirSync(path);
  keepPrompt(files, "Do it.");
  expect(promptOf({ request })).toBe("");
  rmSync(files.dir, { recursive: true });
  keepPrompt(files, "Do it.");
  expect(promptOf({ request })).toBe("");
});

test("no link is followed", () => {
  const { request, files, path } = aTurn();
  const other = join(files.dir, "other");
  writeFileSync(other, "mine");
  symlinkSync(other, path);
  expect(promptOf({ request })).toBe("");
  keepPrompt(files, "Do it.");
  expect([promptOf({ request }), readFileSync(other, "utf8")]).toEqual(["Do it.", "mine"]);
});

test("of a long one the beginning is read, in whole characters", () => {
  const { request, files } = aTurn();
  keepPrompt(files, "€".repeat(100_000));
  expect(promptOf({ request })).toBe("€".repeat(Math.floor((64 * 1024) / 3)));
});
