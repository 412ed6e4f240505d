import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRepository } from "@quasar/git";
import { expect, onTestFinished, test } from "vitest";
import { freeGit } from "./git-locks.ts";

test.runIf(process.platform === "linux")(
  "a lock of a git that is gone is moved aside, by the process that drives alone",
  async () => {
    const repo = mkdtempSync(join(realpathSync(tmpdir()), "runs-"));
    onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
    execFileSync("git", ["init", "-q", repo]);
    const lock = join(repo, ".git/index.lock");
    writeFileSync(lock, "");
    const told: string[] = [];
    const repository = await openRepository(repo);
    const notice = (message: string): void => void told.push(message);
    const free = (isHeld: boolean): Promise<void> =>
      freeGit({ repository, holdsLock: () => isHeld, notice });
    await free(false);
    expect(existsSync(lock)).toBe(true);
    await free(true);
    expect(existsSync(lock)).toBe(false);
    expect(told).toEqual([`${lock} was left by a dead git process: quarantined`]);
  },
);
