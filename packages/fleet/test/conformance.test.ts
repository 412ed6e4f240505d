import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describeNebulaPort, type PortKit } from "@quasar/nebula/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { createFleetPort, type FleetPort } from "../src/index.ts";
import { memoryIngress } from "./memory-ingress.ts";

/** The object behind a server of this process, whose clock the suite moves. */
async function aKit(): Promise<PortKit> {
  const key = randomBytes(32).toString("hex");
  const ingress = await memoryIngress("nebula", key);
  const ports: FleetPort[] = [];
  const open = (): FleetPort => {
    const port = createFleetPort({ url: ingress.url, key });
    ports.push(port);
    return port;
  };
  let port = open();
  onTestFinished(async () => {
    for (const each of ports) each.close();
    await ingress.close();
  });
  return {
    get port() {
      return port;
    },
    second: open,
    async pass(ms) {
      ingress.clock.skewMs += ms;
      await sleep(1);
    },
    async jump(ms) {
      ingress.clock.skewMs += ms;
    },
    async restart() {
      port = open();
    },
    prepare: (state) => state,
  };
}

describe("the object, behind a server of this process", () => {
  const { count, leftOut } = describeNebulaPort({
    ...{ test, make: aKit },
    features: ["lane-expires", "leases-survive"],
  });

  test("takes all cases", () => {
    expect(leftOut).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(60);
  });
});
