import { expect, test } from "vitest";
import type { RunningStep } from "../steps/step.ts";
import { commitWords } from "./commit-words.ts";

test("says in agents' commits what git_commit says in its own, and what was signed before them", () => {
  const sha256 = "ab".repeat(32);
  const task = {
    ...{ id: "task-1", workspaceId: "w", description: "fix it", templateId: "patch" },
    metadata: { branch: "patch/fix-it" },
  };
  const ports = { redact: (text: string) => text, keys: { head: () => ({ count: 2, sha256 }) } };
  const input = { task, ports, step: { name: "fix" }, attempt: 3, tell: () => {} };
  expect(commitWords(input as unknown as RunningStep)).toEqual({
    style: "auto",
    subject: "fix: fix it",
    trailers: {
      "Quasar-Step": "fix",
      "Quasar-Attempt": "3",
      "Quasar-Receipts": `2 ${sha256}`,
    },
  });
});
