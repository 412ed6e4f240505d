import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { place } from "../test/harness.ts";
import { freeGit } from "./git-locks.ts";
import type { Session } from "./session.ts";
import { openWorkspace } from "./workspace.ts";

test.runIf(process.platform === "linux")("what is set aside is told", async () => {
  const { repo } = place();
  const lock = join(repo, ".git/index.lock");
  writeFileSync(lock, "");
  const told: string[] = [];
  const reporter = { report: ({ message }: { message: string }) => void told.push(message) };
  await freeGit({ workspace: await openWorkspace(repo), reporter } as unknown as Session);
  expect(existsSync(lock)).toBe(false);
  expect(told).toEqual([`${lock} was left by a git that is gone: it is set aside`]);
});
