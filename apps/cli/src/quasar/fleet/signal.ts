import type { Signal } from "@quasar/nebula/port";
import { cleanLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import { withFleetNebula } from "./nebula.ts";

const WORDS: Readonly<Record<Signal, string>> = {
  pause: "is paused: turns in flight end, what is approved lands",
  continue: "continues",
  stop: "stops after the turns in flight, on all machines, until it is continued",
  cancel: "stops now, on all machines, until it is continued",
};

/** `quasar nebula pause`, `continue` and `stop` with `--fleet`: for all machines that work on a nebula. */
export function signalOverFleet(
  what: Signal,
  named: string | undefined,
  { fleet }: { readonly fleet: string },
): Promise<ExitCode> {
  const verb = what === "cancel" ? "stop --now" : what;
  const step = (id: string): string => `quasar nebula ${verb} ${id} --fleet ${fleet}`;
  return withFleetNebula({ fleet, named, step }, async ({ port, id, state, url }) => {
    await port.signal(id, what);
    const then = what === "continue" ? "status" : "continue";
    write(process.stdout, [
      `nebula ${cleanLine(state.name)} ${WORDS[what]}`,
      ...nextLines([`quasar nebula ${then} ${id} --fleet ${url}`], viewOf(process.stdout)),
    ]);
    return EXIT.ok;
  });
}
