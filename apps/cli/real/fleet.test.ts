import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { createFleetPort } from "@quasar/fleet";
import { anOffer, aWorker, Scene } from "@quasar/nebula/testing";
import { listProcesses } from "@quasar/process";
import { expect, test } from "vitest";
import { type FleetPlace, up } from "../test/fleet-place.ts";
import { quasar } from "../test/harness.ts";
import { realFleetPlace } from "./real-fleet-place.ts";

// With the server that `npm ci --prefix packages/fleet/real --ignore-scripts` has installed, or one that is named.

function sceneAt(at: FleetPlace, url: string) {
  const key = readFileSync(at.keyFile, "utf8").trim();
  const port = createFleetPort({ url, key });
  const nothing = () => Promise.resolve();
  const scene = new Scene({
    ...{ port, second: () => port, pass: nothing, jump: nothing, restart: nothing },
    prepare: (state) => state,
  });
  return { port, scene };
}

test("a fleet that is stopped, or killed, continues with its data at the same address", async () => {
  const at = realFleetPlace();
  const dir = join(at.outside, "data");
  const first = await up(at, "--dir", dir);
  const { url = "" } = first.line;
  const { port, scene } = sceneAt(at, url);
  await scene.begun(anOffer("a"));
  await scene.take("any", aWorker("w1"));
  const ends = [
    ["SIGINT", 130],
    ["SIGKILL", null],
  ] as const;
  let { running } = first;
  for (const [signal, code] of ends) {
    running.child.kill(signal);
    expect(await running.finished).toMatchObject({ code });
    const next = await up(at, "--dir", dir);
    expect(next.line).toEqual(first.line);
    ({ running } = next);
    const shown = await quasar(at, ["fleet", "status", "--fleet", url, "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      nebulae: [{ id: scene.id, holders: [{ epoch: 1 }, { epoch: 1, phase: "a" }] }],
    });
  }
  const doctor = await quasar(at, ["fleet", "doctor", "--fleet", url]);
  expect(doctor).toMatchObject({ code: 0 });
  expect(doctor.stdout).toContain("healthy\n");
  port.close();
  running.child.kill("SIGTERM");
  expect(await running.finished).toMatchObject({ code: 143 });
  expect(serversOf(dir)).toEqual([]);
});

test.runIf(process.platform === "linux")("nothing of it listens but on loopback", async () => {
  const at = realFleetPlace();
  const dir = join(at.outside, "data");
  const { running } = await up(at, "--dir", dir);
  const pids = [...serversOf(dir), running.child.pid ?? 0];
  const addresses = pids.flatMap(listenersOf);
  // The server's three, and the object.
  expect(addresses.length).toBeGreaterThanOrEqual(4);
  expect([...new Set(addresses)]).toEqual(["0100007F"]);
});

/** The processes of the server that has its data in a folder. */
function serversOf(dir: string): readonly number[] {
  const commandLine = (pid: number): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return "";
    }
  };
  return (listProcesses() ?? [])
    .map(({ pid }) => pid)
    .filter((pid) => commandLine(pid).includes(`${dir}/data`));
}

/** Addresses at which a process listens, as the kernel writes them. */
function listenersOf(pid: number): readonly string[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/u.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ["tcp", "tcp6"].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/u))
      .filter(([, , , state, , , , , , inode = ""]) => state === "0A" && sockets.has(inode))
      .map(([, local = ""]) => local.split(":")[0] ?? ""),
  );
}
