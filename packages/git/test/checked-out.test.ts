import { join } from "node:path";
import { rmSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { asCheckedOut } from "../src/checked-out.ts";
import { landedSince } from "../src/landed.ts";
import { openRepository } from "../src/repository.ts";
import { aRepository, git, headOf, read, write } from "./fixture.ts";

async function checkOut(root: string, from: string): Promise<unknown> {
  const { files } = await landedSince(root, from, headOf(root));
  const repository = await openRepository(root);
  const config = new Map([["core.autocrlf", "input"]]);
  return asCheckedOut({ repository, algorithm: "sha1", config, files });
}

function aConvertedFile(): { readonly root: string; readonly base: string } {
  const root = aRepository();
  const base = headOf(root);
  git(root, "config", "core.autocrlf", "input");
  write(root, "data.csv", "a\r\nb\r\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "data");
  return { root, base };
}

test("a file that git has converted is written as a checkout gives it, once", async () => {
  const { root, base } = aConvertedFile();
  const converted = { converted: ["data.csv"], notExecutable: [] };
  expect(await checkOut(root, base)).toEqual(converted);
  expect(read(root, "data.csv")).toBe("a\nb\n");
  expect(git(root, "status", "--porcelain")).toBe("");
  expect(await checkOut(root, base)).toEqual({ converted: [], notExecutable: [] });
});

test.for<[string, (root: string) => void]>([
  ["changed since", (root) => write(root, "data.csv", "a\r\nc\r\n")],
  ["removed since", (root) => rmSync(join(root, "data.csv"))],
  [
    "a link by now",
    (root) => {
      rmSync(join(root, "data.csv"));
      symlinkSync("a.txt", join(root, "data.csv"));
    },
  ],
])("a file that was %s stays as it is", async ([, change]) => {
  const { root, base } = aConvertedFile();
  change(root);
  const before = git(root, "status", "--porcelain");
  expect(await checkOut(root, base)).toEqual({ converted: [], notExecutable: [] });
  expect(git(root, "status", "--porcelain")).toBe(before);
});
