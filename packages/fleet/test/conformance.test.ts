import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { PortKit } from "@quasar/nebula/testing";
import { onTestFinished } from "vitest";
import { createFleetPort, type FleetPort } from "../src/index.ts";
import { describeEveryCase } from "./every-case.ts";
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

describeEveryCase("a server of this process", aKit);
