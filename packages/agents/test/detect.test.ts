import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identityOf, isAlive, sendSignal } from "@quasar/process";
import { expect, onTestFinished, test, vi } from "vitest";
import { detectAgents } from "../src/detect.ts";
import { aDirectory } from "./request.ts";

test("finds the agents on the PATH, with their versions", async () => {
  const dir = aDirectory();
  writeFileSync(join(dir, "claude"), "#!/bin/sh\necho '2.1.329 (Claude Code)'\n");
  chmodSync(join(dir, "claude"), 0o700);
  vi.stubEnv("PATH", `${dir}:/bin`);
  expect(await detectAgents()).toEqual([{ kind: "claude", version: "2.1.329" }]);
  writeFileSync(join(dir, "codex"), "#!/bin/sh\nexit 1\n");
  chmodSync(join(dir, "codex"), 0o700);
  expect(await detectAgents()).toContainEqual({ kind: "codex", version: "" });
  vi.unstubAllEnvs();
});

test("does not wait for what an agent's program leaves running, and ends it", async () => {
  const dir = aDirectory();
  const script = `#!/bin/sh\nsleep 600 &\necho $! > ${dir}/pid\necho '2.1.329 (Claude Code)'\n`;
  writeFileSync(join(dir, "claude"), script, { mode: 0o700 });
  vi.stubEnv("PATH", `${dir}:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await detectAgents()).toEqual([{ kind: "claude", version: "2.1.329" }]);
  const left = identityOf(Number(readFileSync(join(dir, "pid"), "utf8")));
  onTestFinished(() => sendSignal(left.pid, "SIGKILL"));
  await expect.poll(() => isAlive(left)).toBe(false);
});
