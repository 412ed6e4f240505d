import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { endMarked } from "@quasar/process";
import { expect, onTestFinished, test } from "vitest";
import { AGENTS } from "./first-task.ts";
import { MAIN } from "./fleet-demo/machine.ts";
import { installedServer, startServer } from "./fleet-demo/server.ts";
import { asked, IDS, landedIn, nebulaPlace, phaseOf, treeOf } from "./nebula-place.ts";
import { startProgram } from "./place.ts";

// With the server that `npm ci --prefix packages/fleet/real --ignore-scripts` has installed, or one that is named.

/** Ends all that was ever started on a machine, at once. */
async function powerOff(home: string): Promise<void> {
  await endMarked({ name: "HOME", value: home }, { signal: "SIGKILL", graceMs: 0 });
}

test("by Claude Code on two machines a nebula lands, and one that is lost costs its turn", async () => {
  const claude = AGENTS.find(({ program }) => program === "claude");
  if (claude === undefined) throw new Error("Claude Code is no agent");
  const at = await nebulaPlace(claude);
  onTestFinished(at.remove);
  const { HOME: home = "" } = at.env;
  onTestFinished(() => powerOff(home));
  const serverEnv = { ...at.env, QUASAR_RESTATE_SERVER: installedServer() };
  const { url, keyPath } = await startServer(join(at.root, "server"), serverEnv);
  const depot = join(at.root, "depot.git");
  await at.start("depot", "init", depot).finished;

  const machines = ["one", "two"].map((name) => join(at.root, name));
  for (const machine of machines) {
    cpSync(home, machine, { recursive: true });
    mkdirSync(join(machine, ".config/quasar"), { recursive: true, mode: 0o700 });
    cpSync(keyPath, join(machine, ".config/quasar/fleet.key"));
    const env = { ...at.env, HOME: machine, CLAUDE_CONFIG_DIR: join(machine, ".claude") };
    const args = ["worker", "--fleet", url, "--depot", depot, "--ttl", "5"];
    startProgram(MAIN, args, { cwd: machine, env });
    onTestFinished(() => powerOff(machine));
  }
  const { script } = at.stub;
  const lost = Promise.withResolvers<void>();
  at.stub.script = (request) => {
    const turn = script(request);
    if (phaseOf(request) !== "three" || request.step !== 1) return turn;
    at.stub.script = script;
    const machine = machines.find((each) => treeOf(request).startsWith(`${each}/`));
    if (machine === undefined) lost.reject(new Error(`${treeOf(request)} is on no machine`));
    else powerOff(machine).then(lost.resolve, lost.reject);
    return { ...turn, after: lost.promise };
  };
  const apply = ["apply", "nebula", "--auto", "--trust-config", "--depot", depot];
  const given = await at.start("nebula", ...apply, "--fleet", url).finished;
  expect(given.code, given.stdout + given.stderr).toBe(0);
  await lost.promise;
  const landed = () => landedIn(at, depot);
  await expect.poll(landed, { timeout: 120_000, interval: 500 }).toEqual(IDS);
  const requests = asked(at);
  const again = requests.filter((each, n) => requests.indexOf(each) !== n);
  expect(again).toContain("three coder 0");
  expect(again.filter((each) => !each.startsWith("three coder "))).toEqual([]);
  const fetched = await at.start("nebula", "fetch", "real", "--fleet", url).finished;
  expect(fetched.code, fetched.stderr).toBe(0);
  expect(landedIn(at, at.repo)).toEqual(IDS);
});
