import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFleetPort, type FleetPort } from "@quasar/fleet";
import type { NebulaState } from "@quasar/nebula";
import { Scene } from "@quasar/nebula/testing";
import { onTestFinished } from "vitest";
// @boundaries-ignore one server of a test's own for the tests of the port and of the command
import { memoryIngress } from "../../../packages/fleet/test/memory-ingress.ts";
import type { Place } from "./harness.ts";

/** A fleet's server in this process, until the test ends. */
export async function memoryFleet() {
  const key = randomBytes(32).toString("hex");
  const ingress = await memoryIngress("nebula", key);
  const port = createFleetPort({ url: ingress.url, key });
  onTestFinished(async () => {
    port.close();
    await ingress.close();
  });
  return { key, ingress, port };
}

/** Puts the fleet's key where the user of a place has it. */
export function keepKey({ outside }: Pick<Place, "outside">, key: string): void {
  const file = join(outside, "home/.config/quasar/fleet.key");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
}

/** A nebula of the fleet, by its port alone. @param prepare - What its first state has. @default as it comes */
export function sceneAt(
  port: FleetPort,
  prepare: (state: NebulaState) => NebulaState = (state) => state,
): Scene {
  const nothing = (): Promise<void> => Promise.resolve();
  return new Scene({
    ...{ port, second: () => port, pass: nothing, jump: nothing, restart: nothing, prepare },
  });
}
