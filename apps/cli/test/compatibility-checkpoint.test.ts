import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastRecord, place, quasar } from "./harness.ts";
import { agents, oneCycle } from "./scripts.ts";

test("a run is approved with 0 also where its compatibility checkpoint cannot be removed, and says what to remove", async () => {
  const at = place();
  const path = join(at.repo, ".quasar", "checkpoint.toml");
  mkdirSync(join(path, "x"), { recursive: true });
  const done = await quasar(at, ["run", "Write", "--accept-dirty", ...agents(at, oneCycle())]);
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(done.stdout).toContain("approved after 1 cycle");
  expect(done.stderr).toContain(`\n         rm -r ${path}\n`);
  const status = lastRecord(await quasar(at, ["status", "--json"]));
  expect(status).toMatchObject({ runs: [{ status: "approved" }] });
});
