import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentInvoker } from "@quasar/agents";
import { onTestFinished, vi } from "vitest";

/** Of an agent in the program's own process. */
export const capabilities: AgentInvoker["capabilities"] = {
  structuredOutput: false,
  choosesSessionId: false,
  reportsCost: true,
  streamsUsage: false,
  resumesSession: false,
};

/** A repository without a commit, and folders of the user's, for one test. */
export function aRepository(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "runs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  vi.stubEnv("HOME", folder);
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const repo = join(folder, "repo");
  execFileSync("git", ["init", "-q", "-b", "main", repo]);
  execFileSync("git", ["config", "user.name", "A"], { cwd: repo });
  execFileSync("git", ["config", "user.email", "a@example.org"], { cwd: repo });
  return repo;
}
