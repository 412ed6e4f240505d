import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test, vi } from "vitest";
import { runTask } from "../src/loop.ts";
import { APPROVAL, fakeAgent, issue, writingCoder } from "./fake-agent.ts";
import { aFolder, harness } from "./harness.ts";

test("a cycle starts at most six git processes", async () => {
  const bin = aFolder();
  const log = join(bin, "log");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho x >> '${log}'\nexec '${real}' "$@"\n`);
  chmodSync(join(bin, "git"), 0o755);
  const count = async (cycles: number): Promise<number> => {
    const reviews = [...Array<string>(cycles - 1).fill(issue("bad")), APPROVAL];
    const { options } = harness({ coder: writingCoder(), reviewer: fakeAgent(reviews) });
    writeFileSync(log, "");
    vi.stubEnv("PATH", `${bin}${delimiter}${process.env["PATH"] ?? ""}`);
    await runTask({ title: "Do it" }, { ...options, maxCycles: 3 });
    vi.unstubAllEnvs();
    return readFileSync(log, "utf8").length / 2;
  };
  const [one, three] = [await count(1), await count(3)];
  expect((three - one) / 2).toBeLessThanOrEqual(6);
  expect(one).toBeGreaterThan(2);
});
