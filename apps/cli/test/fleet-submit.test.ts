import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { place, quasar } from "./harness.ts";

test("a repository's settings raise no budget of a nebula that goes to a fleet, unasked", async () => {
  const at = place();
  const dir = join(at.repo, ".nebulas/demo");
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "nebula.toml"), '[nebula]\nname = "demo"\n');
  writeFileSync(join(dir, "a.md"), '+++\nid = "a"\ntitle = "A"\n+++\nDo a.\n');
  mkdirSync(join(at.repo, ".quasar"), { recursive: true });
  writeFileSync(join(at.repo, ".quasar/config.toml"), "max_budget_usd = 1000\n");
  const to = ["--fleet", "http://127.0.0.1:1", "--depot", join(at.outside, "depot.git")];
  const refused = await quasar(at, ["nebula", "apply", dir, "--auto", ...to, "--json"]);
  expect(JSON.parse(refused.stdout)).toMatchObject({ type: "error", code: "ERR_UNTRUSTED_CONFIG" });
});
