import { expect, test } from "vitest";
import { checkRevision, checkSha } from "./revision.ts";

const refusal: unknown = expect.objectContaining({ name: "GitError", code: "ERR_BAD_REVISION" });

test.for(["HEAD", "a".repeat(40), "0".repeat(64), "refs/heads/main", "refs/heads/-x/ü"])(
  "accepts %s",
  (revision) => {
    expect(checkRevision(revision)).toBe(revision);
  },
);

test.for([
  "",
  "-x",
  "main",
  "HEAD^",
  "a".repeat(39),
  "a".repeat(41),
  "A".repeat(40),
  "refs/",
  "refs/heads/a b",
  "refs/heads/a..b",
  "refs/heads/a~1",
  "refs/heads/a@{1}",
  "refs/heads/a:b",
  "refs/heads/a\n",
  "refs/heads/a.lock",
])("refuses %j", (revision) => {
  expect(() => checkRevision(revision)).toThrow(refusal);
  expect(() => checkSha(revision)).toThrow(refusal);
});
