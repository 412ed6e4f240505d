import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stateOf } from "@quasar/nebula/fleet";
import { expect, test } from "vitest";
import { place, quasar, write } from "./harness.ts";
import { keepKey, memoryFleet } from "./memory-fleet.ts";

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

test.for([
  ["as many phases as workers take", "", [], undefined],
  ["4", "[execution]\nmax_workers = 4\n", [], undefined],
  ["3", "[execution]\nmax_workers = 4\n", ["--max-workers", "3"], 3],
] as const)("it says how many are worked on at once: %s", async ([words, keys, typed, kept]) => {
  const { key, ingress, port } = await memoryFleet();
  const at = place();
  keepKey(at, key);
  const depot = join(at.outside, "depot.git");
  await quasar(at, ["depot", "init", depot]);
  write(at.repo, {
    "demo/nebula.toml": `[nebula]\nname = "demo"\n${keys}`,
    "demo/a.md": '+++\nid = "a"\ntitle = "A"\n+++\nDo a.\n',
  });
  const to = ["--fleet", ingress.url, "--depot", depot];
  const given = await quasar(at, ["nebula", "apply", "demo", "--auto", ...to, ...typed]);
  expect(given.stdout).toContain(`  workers  ${words} at once, on all machines together\n`);
  const [entry] = await port.list();
  const state = stateOf(await port.status(entry?.id ?? ""));
  expect(state.typedMaxWorkers).toBe(kept);
});

test("what agents are to work by is no matter of who gives a nebula to a fleet", async () => {
  const at = place();
  write(at.repo, {
    "demo/nebula.toml": '[nebula]\nname = "demo"\n',
    "demo/a.md": '+++\nid = "a"\ntitle = "A"\n+++\nDo a.\n',
  });
  const to = ["--fleet", "http://127.0.0.1:1", "--depot", join(at.outside, "depot.git")];
  const refused = await quasar(at, [
    ...["nebula", "apply", "demo", "--auto", ...to, "--coder", "command:true", "--json"],
  ]);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    ...{ type: "error", code: "ERR_USAGE" },
    message: "--coder: agents work by the settings of the machine that they run on",
  });
});

test("a worker whose agents are not installed does not start", async () => {
  const at = place();
  keepKey(at, randomBytes(32).toString("hex"));
  const args = ["worker", "--fleet", "http://127.0.0.1:1", "--depot", at.outside, "--json"];
  const bin = join(at.outside, "bin");
  mkdirSync(bin);
  const env = { PATH: bin, QUASAR_CODER: "codex", QUASAR_REVIEWER: "codex" };
  const refused = await quasar(at, args, { env });
  expect(JSON.parse(refused.stdout)).toMatchObject({
    ...{ type: "error", code: "ERR_NOT_INSTALLED" },
    message: "there is no program codex on the PATH",
  });
  expect(refused.stdout).not.toContain("quasar worker --coder");
});
