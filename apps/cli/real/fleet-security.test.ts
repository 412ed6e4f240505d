import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { FleetPlace } from "../test/fleet-place.ts";
import { quasar } from "../test/harness.ts";
import { aFleet, aMachine } from "./fleet-machines.ts";

// With the server that `npm ci --prefix packages/fleet/real --ignore-scripts` has installed, or one that is named.

/** Known by the name of the variable that has it. */
const NAMED = `value-${"0123456789abcdef".repeat(2)}-of-a-key`;

/** Known by its form, whoever prints it. */
const FORMED = ["gh", "p_", "a1B2c3D4e5F6".repeat(3)].join("");

const SECRETS = [NAMED, FORMED];

const SAID = SECRETS.join(" and ");

/** What a depot has that any ref reaches, as it was before it was packed. */
function objectsOf(depot: string): string {
  const options = { cwd: depot, maxBuffer: 1 << 28 };
  const listed = execFileSync("git", ["rev-list", "--objects", "--all"], options).toString();
  const ids = listed.split("\n").map((line) => line.split(" ")[0] ?? "");
  const input = `${ids.filter((id) => id !== "").join("\n")}\n`;
  return execFileSync("git", ["cat-file", "--batch"], { ...options, input }).toString("latin1");
}

function filesUnder(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .map((name) => join(dir, name))
    .filter((path) => statSync(path).isFile());
}

/** What the server has in its files, where it is compressed, as text. */
async function queried(admin: string, query: string): Promise<string> {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const body = JSON.stringify({ query });
  const answer = await fetch(`${admin}/query`, { method: "POST", headers, body });
  return answer.text();
}

const statusOf = async (user: FleetPlace, url: string): Promise<{ readonly stdout: string }> =>
  quasar(user, ["nebula", "status", "demo", "--fleet", url, "--json"]);

test("a secret of a worker's environment stays on its machine", async () => {
  const manifest = `[execution]\nverify = ["node -e \\"console.log('gh' + 'p_' + 'a1B2c3D4e5F6'.repeat(3))\\""]\n`;
  const fleet = await aFleet({ manifest, phases: ["good", "bad"] });
  const { user, depot, data, url, admin } = fleet;
  const turns = [
    {
      ...{ role: "coder", match: "Body of good", says: [`Found ${SAID}`] },
      files: { "good.txt": "good\n" },
      text: `Done with ${SAID}.\n\nCOMMIT: Add good, for ${SAID}`,
    },
    {
      ...{ role: "coder", match: "Body of bad", says: [`Found ${SAID}`] },
      failure: { kind: "refusal", message: `refused for ${SAID}` },
    },
    { role: "reviewer", says: [`Read ${SAID}`], text: `APPROVED: it does not have ${SAID}.` },
  ];
  const env = { MY_API_KEY: NAMED, OTHER: FORMED };
  const machine = aMachine({ user, name: "one", turns, env });
  const worker = machine.work("--fleet", url, "--depot", depot);
  expect(await fleet.submit()).toMatchObject({ code: 0 });
  const settled = async (): Promise<readonly unknown[]> => {
    const { stdout } = await statusOf(user, url);
    const { phases } = JSON.parse(stdout) as { phases: { phaseId: string; status: string }[] };
    return phases.map(({ phaseId, status }) => [phaseId, status]);
  };
  await expect.poll(settled, { timeout: 90_000, interval: 1000 }).toEqual(
    expect.arrayContaining([
      ["good", "done"],
      ["bad", "failed"],
    ]),
  );
  worker.child.kill("SIGTERM");
  await worker.finished;
  const log = await quasar(user, ["nebula", "log", "demo", "--fleet", url, "--json"]);
  const status = await statusOf(user, url);
  const places = new Map([
    ["depot", objectsOf(depot)],
    ["status", status.stdout],
    ["log", log.stdout + log.stderr],
    ["server's state", await queried(admin, "select key, value_utf8 from state")],
    ["worker", worker.stdout()],
    ...filesUnder(data).map((path) => [path, readFileSync(path, "latin1")] as const),
  ]);
  // What surrounds the secrets is there.
  expect(places.get("depot")).toContain("Add good, for ");
  expect(places.get("depot")).toContain("it does not have ");
  expect(places.get("depot")).toContain("Found ");
  expect(places.get("status")).toContain("refused for ");
  expect(places.get("server's state")).toContain("refused for ");
  const found = [...places]
    .filter(([, text]) => SECRETS.some((secret) => text.includes(secret)))
    .map(([name]) => name);
  expect(found).toEqual([]);
});

test("a worker takes nothing of a nebula whose depot it is not given", async () => {
  const fleet = await aFleet({ phases: ["good"] });
  const { user, url } = fleet;
  expect(await fleet.submit()).toMatchObject({ code: 0 });
  const before = await statusOf(user, url);
  const other = join(user.outside, "other.git");
  await quasar(user, ["depot", "init", other]);
  const { home, work } = aMachine({ user, name: "one" });
  const worker = work("--fleet", url, "--depot", other);
  await sleep(8000);
  expect(worker.child.exitCode).toBeNull();
  expect(await statusOf(user, url)).toMatchObject({ stdout: before.stdout });
  worker.child.kill("SIGTERM");
  expect(await worker.finished).toMatchObject({ code: 143, stdout: "" });
  expect(filesUnder(home).filter((path) => /\.(?:git|md)\b/u.test(path))).toEqual([]);
});

test("a worker with another key ends, and says why", async () => {
  const { user, url, depot } = await aFleet({ phases: ["good"] });
  const machine = aMachine({ user, name: "one", key: randomBytes(32).toString("hex") });
  const ended = await machine.work("--fleet", url, "--depot", depot).finished;
  expect(ended).toMatchObject({ code: 6 });
  expect(ended.stderr + ended.stdout).toContain("has another fleet key than ");
  expect(ended.stderr).not.toContain("is started again");
});

/** Answers everything with 200. @returns Its URL, and what it was asked. */
async function agreeableServer() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.end("{}\n");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test("a server that is none of the fleet is refused, and gets nothing", async () => {
  const fleet = await aFleet({ phases: ["good"] });
  const { user, depot } = fleet;
  const { url, asked } = await agreeableServer();
  const machine = aMachine({ user, name: "one" });
  const worker = await machine.work("--fleet", url, "--depot", depot).finished;
  const commands = [
    ["fleet", "status", "--fleet", url],
    ["nebula", "status", "--fleet", url],
    ["nebula", "log", "--fleet", url],
  ];
  const ended = [
    worker,
    await fleet.submit({ url }),
    ...(await Promise.all(commands.map((args) => quasar(user, args)))),
  ];
  for (const { code, stderr, stdout } of ended) {
    expect(code).toBe(6);
    expect(stderr + stdout).toContain("has another fleet key than ");
  }
  expect(worker.stderr).not.toContain("is started again");
  expect(asked.length).toBeGreaterThan(0);
  // The nebula was not given away: the same command works once the server is right.
  expect(execFileSync("git", ["for-each-ref"], { cwd: depot, encoding: "utf8" })).toBe("");
  expect(await fleet.submit()).toMatchObject({ code: 0 });
});
