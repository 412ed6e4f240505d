import { setTimeout as sleep } from "node:timers/promises";
import { describeNebulaPort, type PortKit } from "@quasar/nebula/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FleetPort } from "../src/index.ts";
import { aFleet, type Fleet } from "./fleet.ts";

let fleet: Fleet;
let port: FleetPort;
let second: FleetPort;

beforeAll(async () => {
  fleet = await aFleet();
  [port, second] = [fleet.port(), fleet.port()];
});

afterAll(() => fleet.close());

/** One server for all tests: each has a nebula of its own. Time passes as it does. */
function aKit(): PortKit {
  return {
    port,
    second: () => second,
    pass: (ms) => sleep(ms),
    jump: (ms) => fleet.jump(ms),
    async restart() {
      await fleet.server.kill("SIGKILL");
      await fleet.server.start();
    },
    prepare: (state) => state,
  };
}

describe("the object, behind a real server", () => {
  const { count, leftOut } = describeNebulaPort({
    ...{ test, make: aKit },
    features: ["lane-expires", "leases-survive"],
  });

  test("takes all cases", () => {
    expect(leftOut).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(60);
  });
});
