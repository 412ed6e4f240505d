import type { Left } from "../../cockpit/cockpit.tsx";
import { withFleetNebula } from "./nebula.ts";

/** `quasar watch --fleet`: the cockpit on a nebula that other machines work on. */
export async function watchOverFleet(named: string | undefined, fleet: string): Promise<Left> {
  // It takes longer to load than a server to answer.
  const cockpit = import("../../cockpit/open.ts");
  cockpit.catch(() => undefined);
  const step = (id: string): string => `quasar watch ${id} --fleet ${fleet}`;
  return withFleetNebula({ fleet, named, step }, async (nebula) =>
    (await cockpit).openOnFleet(nebula),
  );
}
