import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { fleetPlace, modeOf, up } from "./fleet-place.ts";
import { emptyPlace, quasar, start } from "./harness.ts";

test("without restate-server it says how to install one, exits with 6 and makes nothing", async () => {
  const at = emptyPlace();
  const env = { PATH: "/nowhere" };
  const refused = await quasar(at, ["fleet", "up"], { env });
  expect(refused).toMatchObject({ code: 6, stdout: "" });
  expect(refused.stderr).toContain("there is no restate-server on the PATH");
  expect(refused.stderr).toContain("next     npm i -g @restatedev/restate-server\n");
  const named = { QUASAR_RESTATE_SERVER: "restate-server" };
  expect((await quasar(at, ["fleet", "up"], { env: named })).stderr).toContain("absolute path");
  expect(existsSync(join(at.outside, "home/.config"))).toBe(false);
  expect(existsSync(join(at.outside, "home/.local"))).toBe(false);
});

test("it registers what it serves, says what to type, and Ctrl-C ends the server first", async () => {
  const at = fleetPlace();
  const running = start(at, ["fleet", "up"]);
  expect(await running.sees("fleet status")).toBe(true);
  const text = running.stdout();
  const [, url = ""] = /^fleet (http:\/\/127\.0\.0\.1:\d+)$/mu.exec(text) ?? [];
  expect(text).toContain(`quasar worker --fleet ${url} `);
  expect(text).toContain(`quasar nebula apply DIR --auto --fleet ${url} `);
  expect(text).toContain(at.keyFile);
  expect(readFileSync(at.keyFile, "utf8")).toMatch(/^[0-9a-f]{64}\n$/u);
  expect(modeOf(at.keyFile)).toBe("600");
  running.child.kill("SIGINT");
  const { code, stderr } = await running.finished;
  expect(code).toBe(130);
  expect(stderr).toContain("Stopping the server");
  const dir = join(at.outside, "home/.local/state/quasar/fleet");
  expect(at.noted()).toEqual([
    `start --no-logo --node-name quasar --cluster-name quasar --base-dir ${dir}/data`,
    expect.stringMatching(/^registered \{"uri":"http:\/\/127\.0\.0\.1:\d+","force":true\}$/u),
    "SIGTERM",
  ]);
  expect(readFileSync(join(dir, "restate-server.log"), "utf8")).toBe("the server's own log\n");
  expect(modeOf(join(dir, "restate-server.log"))).toBe("600");
});

test("started again with the same folder it has the same data, ports and key", async () => {
  const at = fleetPlace();
  const dir = join(at.outside, "data of mine");
  const first = await up(at, "--dir", dir);
  first.running.child.kill("SIGTERM");
  expect(await first.running.finished).toMatchObject({ code: 143 });
  const key = readFileSync(at.keyFile, "utf8");
  const second = await up(at, "--dir", dir);
  expect(second.line).toEqual(first.line);
  expect(readFileSync(at.keyFile, "utf8")).toBe(key);
  const registered = at.noted().filter((line) => line.startsWith("registered"));
  expect(registered).toHaveLength(2);
  expect(registered[0]).toBe(registered[1]);
});

test("a server whose command was killed is ended by the next one", async () => {
  const at = fleetPlace();
  const first = await up(at);
  first.running.child.kill("SIGKILL");
  await first.running.finished;
  expect(at.noted()).not.toContain("SIGTERM");
  const second = await up(at);
  expect(at.noted()).toContain("SIGTERM");
  expect(second.line).toEqual(first.line);
});

test("a second command for the same folder is refused", async () => {
  const at = fleetPlace();
  await up(at);
  expect(await quasar(at, ["fleet", "up"])).toMatchObject({ code: 6, stdout: "" });
});

test("a second Ctrl-C ends a server that does not end", async () => {
  const at = fleetPlace(
    `process.removeAllListeners("SIGTERM"); process.on("SIGTERM", () => note("no"));`,
  );
  const { running } = await up(at);
  const begun = performance.now();
  running.child.kill("SIGINT");
  await expect.poll(() => at.noted()).toContain("no");
  running.child.kill("SIGINT");
  expect(await running.finished).toMatchObject({ code: 130 });
  expect(performance.now() - begun).toBeLessThan(8000);
});

test.for([
  ["before it takes calls", `process.exit(7);`, "exit code 7"],
  ["later", `setTimeout(() => process.kill(process.pid, "SIGKILL"), 1500);`, "SIGKILL"],
] as const)(
  "a server that ends by itself %s ends the command, which says so",
  async ([, first, how]) => {
    const at = fleetPlace(first);
    const ended = await quasar(at, ["fleet", "up"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`error: restate-server has ended: ${how}\n`);
    expect(ended.stderr).toMatch(/next {5}tail -n 20 .*restate-server\.log/u);
  },
);

test("a port that is taken is refused, and nothing is started", async () => {
  const at = fleetPlace();
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await new Promise((done) => taken.once("listening", done));
  const { port } = taken.address() as AddressInfo;
  const refused = await quasar(at, ["fleet", "up", "--port", String(port)]);
  expect(refused).toMatchObject({ code: 6, stdout: "" });
  expect(refused.stderr).toContain(`port ${port} is taken`);
  expect(at.noted()).toEqual([]);
});
