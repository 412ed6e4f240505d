import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { TaskRecord } from "../task-record.ts";
import { BUILT_IN_TEMPLATES } from "../templates/built-in.ts";
import { publishingNotes } from "./publishing-notes.ts";

const BEFORE = "the pull request opens before your review: step git_pr, then review";
const ELSEWHERE =
  "the remote is not on GitHub: step git_pr will wait until you open the pull request there";

test.for([
  ["bugfix", "https://github.com/owner/name.git", [BEFORE]],
  ["task", "git@github.com:owner/name.git", [BEFORE]],
  ["bugfix", "https://gitlab.com/owner/name.git", [ELSEWHERE]],
  ["bugfix", "/srv/name.git", [ELSEWHERE]],
  ["bugfix", undefined, []],
  ["patch", "/srv/name.git", []],
] as const)("%s with the remote %s begins with %j", async ([id, url, notes]) => {
  const workTree = mkdtempSync(join(tmpdir(), "quasar-remote-"));
  onTestFinished(() => rmSync(workTree, { recursive: true }));
  execFileSync("git", ["init", "-q", "-b", "main", workTree]);
  if (url !== undefined) execFileSync("git", ["-C", workTree, "remote", "add", "origin", url]);
  const template = BUILT_IN_TEMPLATES.find((one) => one.id === id)?.steps;
  const task = { template, metadata: { branch: "main", worktreeDir: workTree } };
  expect(await publishingNotes(task as unknown as TaskRecord, {})).toEqual(notes);
});
