import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderOfRun } from "@quasar/vitest/folder";
import { expect, test } from "vitest";
import { ownerOf } from "../release/owner.ts";

test("a release names its owner, and nobody where there is none", () => {
  const root = folderOfRun();
  expect(ownerOf(root)).toEqual({});
  const owner = {
    repository: "git+https://host/o/n.git",
    homepage: "https://o",
    bugs: "https://b",
  };
  writeFileSync(join(root, "owner.json"), JSON.stringify({ ...owner, name: "another" }));
  expect(ownerOf(root)).toEqual(owner);
});

test("an owner who says half of it stops the release", () => {
  const root = folderOfRun();
  writeFileSync(
    join(root, "owner.json"),
    JSON.stringify({ homepage: "https://o", repository: "" }),
  );
  expect(() => ownerOf(root)).toThrow('owner.json does not say "repository"');
});
