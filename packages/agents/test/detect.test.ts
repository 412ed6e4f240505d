import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
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
