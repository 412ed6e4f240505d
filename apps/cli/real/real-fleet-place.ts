import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type FleetPlace, fleetPlace } from "../test/fleet-place.ts";

const INSTALLED = "../../../packages/fleet/real/node_modules/.bin/restate-server";

/** A place whose server is the one that `packages/fleet/real` has installed, or that is named. */
export function realFleetPlace(): FleetPlace {
  const named = process.env["QUASAR_RESTATE_SERVER"];
  const program = named ?? fileURLToPath(new URL(INSTALLED, import.meta.url));
  if (!existsSync(program)) throw new Error(`there is no ${program}`);
  const at = fleetPlace();
  return { ...at, env: { ...at.env, QUASAR_RESTATE_SERVER: program } };
}
