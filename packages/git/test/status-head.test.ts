import { expect, test } from "vitest";
import { statusHead } from "../src/status.ts";
import { aFolder, aRepository, git, headOf } from "./fixture.ts";

const told = (oid: string, branch: string): string =>
  `# branch.oid ${oid}\0# branch.head ${branch}\0`;

test("a branch that git status could not read is no branch, and no commit that it misses is missing", async () => {
  const root = aRepository();
  const head = headOf(root);
  const unread = { code: "ERR_GIT_FAILED" };

  await expect(statusHead(root, told(head, "(unknown)"), {})).rejects.toMatchObject(unread);
  await expect(statusHead(root, told("(initial)", "main"), {})).rejects.toMatchObject(unread);
  expect(await statusHead(root, told(head, "main"), {})).toEqual({ head, branch: "main" });
});

test("a branch without a commit has none", async () => {
  const root = aFolder();
  git(root, "init", "--quiet", "--initial-branch=main");

  expect(await statusHead(root, told("(initial)", "main"), {})).toEqual({
    head: "",
    branch: "main",
  });
});
