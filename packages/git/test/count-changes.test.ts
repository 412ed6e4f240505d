import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitAll } from "../src/commit.ts";
import { countChanges } from "../src/count-changes.ts";
import { currentGitSha } from "../src/head.ts";
import { aRepository, write } from "./fixture.ts";

test("counts lines by file, and none of what is binary", async () => {
  const root = aRepository();
  const from = await currentGitSha(root);
  write(root, "new\tname.txt", "one\ntwo\n");
  writeFileSync(join(root, "image"), Buffer.from([0, 1, 2]));
  await commitAll(root, { subject: "first" });
  const middle = await currentGitSha(root);
  write(root, "new\tname.txt", "one\n");
  await commitAll(root, { subject: "second" });
  const to = await currentGitSha(root);
  expect(await countChanges(root, from, middle)).toEqual([
    { path: "image", added: undefined, removed: undefined },
    { path: "new\tname.txt", added: 2, removed: 0 },
  ]);
  expect(await countChanges(root, middle, to)).toEqual([
    { path: "new\tname.txt", added: 0, removed: 1 },
  ]);
  expect(await countChanges(root, from, from)).toEqual([]);
});
