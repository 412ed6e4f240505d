import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunEvent } from "../events.ts";
import { openWorkspace } from "../workspace.ts";
import { freeGit } from "./git-locks.ts";
import type { Session } from "./session.ts";

test.runIf(process.platform === "linux")(
  "a lock of a git that is gone is set aside, by the process that drives alone",
  async () => {
    const repo = mkdtempSync(join(realpathSync(tmpdir()), "runs-"));
    onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
    execFileSync("git", ["init", "-q", repo]);
    const lock = join(repo, ".git/index.lock");
    writeFileSync(lock, "");
    const told: RunEvent[] = [];
    const workspace = await openWorkspace(repo);
    const tell = (event: RunEvent): void => void told.push(event);
    const free = (isHeld: boolean): Promise<void> =>
      freeGit({ workspace, tell, hold: { isHeld: () => isHeld } } as unknown as Session);
    await free(false);
    expect(existsSync(lock)).toBe(true);
    await free(true);
    expect(existsSync(lock)).toBe(false);
    const message = `${lock} was left by a git that is gone: it is set aside`;
    expect(told).toEqual([{ type: "notice", message }]);
  },
);
