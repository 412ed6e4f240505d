import { join } from "node:path";
import { anOffer, aWorker } from "@quasar/nebula/testing";
import { expect, test } from "vitest";
import { fleetPlace } from "./fleet-place.ts";
import { git, place, quasar, write } from "./harness.ts";
import { keepKey, memoryFleet, sceneAt } from "./memory-fleet.ts";

/** A server with the key, and a place of a user who has it too. */
async function aFleet() {
  const { key, ingress, port } = await memoryFleet();
  const at = fleetPlace();
  keepKey(at, key);
  return { ingress, at, scene: sceneAt(port) };
}

test("it shows the nebulae, and which machine works on what", async () => {
  const { ingress, at, scene } = await aFleet();
  const none = await quasar(at, ["fleet", "status", "--fleet", ingress.url]);
  expect(none.stdout).toContain("no nebula was given to this fleet yet\n");
  await scene.begun(anOffer("a"));
  const lease = await scene.take("any", aWorker("w1"));
  const env = { QUASAR_FLEET: ingress.url };
  const { stdout, code } = await quasar(at, ["fleet", "status"], { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^ {2}demo +${scene.id} +unfinished$`, "mu"));
  expect(stdout).toMatch(/^ {2}demo +\(lane\) +1 {2}machine of conductor$/mu);
  expect(stdout).toMatch(new RegExp(`^ {2}demo +${lease.work} +1 {2}machine of w1$`, "mu"));
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  const json = await quasar(at, ["fleet", "status", "--json"], { env });
  const line = JSON.parse(json.stdout) as { readonly nebulae: readonly unknown[] };
  expect(line.nebulae).toMatchObject([
    { id: scene.id, isFinished: false, holders: [{ epoch: 1 }, { epoch: 1 }] },
  ]);
});

test.for([
  ["another key", { key: "0".repeat(64) }, 6, "ERR_DENIED", "has another fleet key than"],
  ["no server", { url: "http://127.0.0.1:1" }, 1, "ERR_UNREACHABLE", "does not answer"],
  ["a server of something else", { refuse: 404 }, 1, "ERR_STATE", "is no fleet's server"],
] as const)("%s is named", async ([, wrong, exit, code, why]) => {
  const { ingress, at } = await aFleet();
  if ("key" in wrong) keepKey(at, wrong.key);
  if ("refuse" in wrong) ingress.refuse(2, wrong.refuse);
  const url = "url" in wrong ? wrong.url : ingress.url;
  const shown = await quasar(at, ["fleet", "status", "--json", "--fleet", url]);
  const line = JSON.parse(shown.stdout) as Readonly<Record<string, unknown>>;
  expect(line).toMatchObject({ type: "error", code, exit, next: ["quasar fleet doctor"] });
  expect(line["message"]).toContain(why);
  const doctor = await quasar(at, ["fleet", "doctor", "--fleet", url]);
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toContain("1 problem\n");
});

test("without a key it says which file to copy from where, and asks no server", async () => {
  const { ingress } = await aFleet();
  const at = fleetPlace();
  const refused = await quasar(at, ["fleet", "status", "--fleet", ingress.url]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain(`there is no fleet key here: ${at.keyFile}`);
  expect(refused.stderr).toContain(`scp SERVER:.config/quasar/fleet.key ${at.keyFile}`);
  expect(ingress.counts.size).toBe(0);
});

test("a repository names no fleet", async () => {
  const { ingress } = await aFleet();
  const at = place();
  const url = `[fleet]\nurl = "${ingress.url}"\nkey_file = "/etc/passwd"\ndepots = ["/tmp"]\n`;
  write(at.repo, { ".quasar/config.toml": url });
  const refused = await quasar(at, ["fleet", "status"]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("no fleet is configured");
  const { stdout } = await quasar(at, ["fleet", "doctor", "--json"]);
  expect(stdout).not.toContain(ingress.url);
  expect(stdout).not.toContain("/etc/passwd");
  expect(stdout).not.toContain("depot");
});

test("doctor looks at the server, the key, each depot and restate-server", async () => {
  const { ingress, at } = await aFleet();
  const depot = join(at.outside, "depot.git");
  git(at, "init", "--quiet", "--bare", depot);
  const missing = join(at.outside, "missing.git");
  const config = `[fleet]\nurl = "${ingress.url}"\ndepots = ["${depot}", "${missing}"]\n`;
  write(join(at.outside, "home/.config/quasar"), { "config.toml": config });
  const found = await quasar(at, ["fleet", "doctor"]);
  expect(found.code).toBe(1);
  expect(found.stdout).toContain("1 problem\n");
  expect(found.stdout).toContain(`server   ${ingress.url} answers\n`);
  expect(found.stdout).toContain("key      the server has the key of ");
  expect(found.stdout).toContain("restate-server 9.9.9: ");
  expect(found.stdout).toMatch(/depot +\S*\/depot\.git answers/u);
  expect(found.stdout).toMatch(/problem: \S*\/missing\.git: /u);
  expect(found.stdout).toContain(`git ls-remote ${missing} `);
});
