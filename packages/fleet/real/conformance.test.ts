import { setTimeout as sleep } from "node:timers/promises";
import type { PortKit } from "@quasar/nebula/testing";
import { afterAll, beforeAll } from "vitest";
import type { FleetPort } from "../src/index.ts";
import { describeEveryCase } from "../test/every-case.ts";
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

describeEveryCase("a real server", aKit);
