import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:http2";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { fleetPlace, modeOf } from "./fleet-place.ts";
import { quasar, start } from "./harness.ts";

test("it serves the object, registers it and ends at a signal", async () => {
  const at = fleetPlace();
  const bodies: string[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    bodies.push(await text(request));
    response.end("{}");
  };
  const admin = createServer((request, response) => void take(request, response));
  admin.listen(0, "127.0.0.1");
  onTestFinished(() => void admin.close());
  await new Promise((done) => admin.once("listening", done));
  const { port } = admin.address() as AddressInfo;
  const args = ["--port", "0", "--json", "--admin", `http://127.0.0.1:${port}`];
  const running = start(at, ["fleet", "serve", ...args]);
  expect(await running.sees("\n")).toBe(true);
  const line = JSON.parse(running.stdout()) as Record<string, unknown>;
  expect(line).toMatchObject({ isRegistered: true, keyPath: at.keyFile });
  expect(bodies).toEqual([JSON.stringify({ uri: line["url"], force: true })]);
  expect(modeOf(at.keyFile)).toBe("600");
  const session = connect(String(line["url"]));
  const accept = "application/vnd.restate.endpointmanifest.v4+json";
  const stream = session.request({ ":path": "/discover", accept });
  const status = await new Promise((done) => stream.once("response", (h) => done(h[":status"])));
  expect(status).toBe(200);
  running.child.kill("SIGTERM");
  expect(await running.finished).toMatchObject({ code: 143 });
  session.destroy();
});

test.for([
  [["--admin", "nowhere"], "--admin must be the address of a server"],
  [["--admin", "http://127.0.0.1:1", "--host", "0.0.0.0"], "no server can call it"],
  [["--identity-key", "secret"], "--identity-key must be"],
  [["--port", "70000"], "--port must be"],
] as const)("%j is refused", async ([args, why]) => {
  const at = fleetPlace();
  const refused = await quasar(at, ["fleet", "serve", ...args]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain(why);
});

test("a server that does not answer is named, and nothing is left", async () => {
  const at = fleetPlace();
  const args = ["fleet", "serve", "--port", "0", "--admin", "http://127.0.0.1:1"];
  const refused = await quasar(at, args);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("http://127.0.0.1:1 does not answer");
});

test.for([
  ["others may read it", "0".repeat(64), 0o644, "others could reach it", "chmod 600"],
  ["it is none", "secret", 0o600, "holds no fleet key", "scp SERVER:"],
] as const)("a key is refused where %s", async ([, written, mode, why, next]) => {
  const at = fleetPlace();
  mkdirSync(dirname(at.keyFile), { recursive: true });
  writeFileSync(at.keyFile, written);
  chmodSync(at.keyFile, mode);
  for (const args of [
    ["fleet", "serve", "--port", "0"],
    ["fleet", "up"],
  ]) {
    const refused = await quasar(at, args);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(why);
    expect(refused.stderr).toContain(next);
  }
});
