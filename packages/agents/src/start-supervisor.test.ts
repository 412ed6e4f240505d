import { once } from "node:events";
import { readdirSync } from "node:fs";
import module from "node:module";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { aDirectory } from "../test/request.ts";
import { spawnSupervisor } from "./start-supervisor.ts";

test("a supervisor uses its runner's compile cache", async () => {
  const dir = aDirectory();
  const spy = vi.spyOn(module, "getCompileCacheDir").mockReturnValue(join(dir, "v24"));
  onTestFinished(() => spy.mockRestore());
  const child = spawnSupervisor({ runId: "r", turnId: "1", turnsDir: undefined });
  child.stdin.end();
  await once(child, "exit");
  const kept = readdirSync(dir, { recursive: true, withFileTypes: true });
  expect(kept.filter((entry) => entry.isFile())).not.toEqual([]);
});
