import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { place } from "../../test/harness.ts";
import { freeGit } from "./git-locks.ts";
import type { Session } from "./session.ts";
import { openWorkspace } from "../shared/workspace.ts";

test.runIf(process.platform === "linux")(
  "a lock of a git that is gone is set aside, by the process that drives alone",
  async () => {
    const { repo } = place();
    const lock = join(repo, ".git/index.lock");
    writeFileSync(lock, "");
    const told: string[] = [];
    const reporter = { report: ({ message }: { message: string }) => void told.push(message) };
    const workspace = await openWorkspace(repo);
    const free = (isHeld: boolean): Promise<void> =>
      freeGit({ workspace, reporter, hold: { isHeld: () => isHeld } } as unknown as Session);
    await free(false);
    expect(existsSync(lock)).toBe(true);
    await free(true);
    expect(existsSync(lock)).toBe(false);
    expect(told).toEqual([`${lock} was left by a git that is gone: it is set aside`]);
  },
);
