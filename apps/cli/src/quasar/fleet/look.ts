import { isUnfinished } from "@quasar/nebula";
import { stateOf } from "@quasar/nebula/fleet";
import { NOTHING_SPENT, recordedCost, sumOfCosts } from "@quasar/nebula/internal";
import { type Change, LANE } from "@quasar/nebula/port";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION, result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import { createTimeline } from "../../shared/output/timeline.ts";
import { engineFacts, spendingFacts } from "../facts/nebula-apply.ts";
import { engineLines } from "../nebula/engine-lines.ts";
import type { FleetNebulaLine } from "../schemas/fleet.ts";
import { blockedBy } from "./blocked.ts";
import { eventsThere } from "./events.ts";
import { withFleetNebula } from "./nebula.ts";
import { fleetNebulaLines, fleetSteps, machineOf, redBaseSteps } from "./nebula-lines.ts";

interface LookOptions {
  readonly fleet: string;
  readonly json?: true | undefined;
}

/** `quasar nebula status --fleet`: how a nebula stands, with the machine of each phase. */
export function statusOverFleet(
  named: string | undefined,
  { fleet, json }: LookOptions,
): Promise<ExitCode> {
  const step = (id: string): string => `quasar nebula status ${id} --fleet ${fleet}`;
  return withFleetNebula(
    { fleet, named, step, isForEnded: true },
    async ({ port, state, status, url, id }) => {
      const { events = [] } = (await eventsThere(port, id, 0)) ?? {};
      const blocked = blockedBy(events, state, machineOf(status, LANE) !== "");
      const isRed = blocked?.isRed === true;
      const next = isRed ? redBaseSteps(state, status, url) : fleetSteps(state, status, url);
      if (json === true) {
        const costs = state.phases.map(recordedCost);
        const phases = state.phases.map(({ id: phaseId, ref, status: is, attempt, reason }, n) => ({
          ...{ phaseId, status: is, attempt, reason, machine: machineOf(status, ref) },
          ...spendingFacts(costs[n] ?? NOTHING_SPENT),
        }));
        const { isPaused, stop } = status.orders;
        const { name: nebula, branch } = state;
        const facts = {
          nebulaId: id,
          nebula,
          branch,
          isPaused,
          stops: stop === "" ? undefined : stop,
          reason: blocked?.words ?? "",
          phases,
          ...spendingFacts(sumOfCosts(costs)),
        };
        const line = result("fleet_nebula", facts, EXIT.ok, next) satisfies FleetNebulaLine;
        process.stdout.write(jsonLine(line));
        return EXIT.ok;
      }
      const view = viewOf(process.stdout);
      write(process.stdout, [
        ...fleetNebulaLines(state, status, blocked?.words ?? "", view),
        ...nextLines(next, view),
      ]);
      return EXIT.ok;
    },
  );
}

/** `quasar nebula log --fleet`: what has happened, as far as the server has it. */
export function logOverFleet(
  named: string | undefined,
  { fleet, json, follow }: LookOptions & { readonly follow?: true | undefined },
): Promise<ExitCode> {
  const step = (id: string): string => `quasar nebula log ${id} --fleet ${fleet}`;
  return withFleetNebula({ fleet, named, step, isForEnded: true }, async ({ port, url, id }) => {
    const unread = new AbortController();
    process.stdout.once("error", () => unread.abort());
    const timeline = createTimeline(viewOf(process.stdout));
    let from = 0;
    const tell = ({ to, events }: Change): void => {
      from = to;
      for (const { at: time, ...event } of events) {
        if (json === true) {
          process.stdout.write(jsonLine({ v: JSON_VERSION, time, ...engineFacts(event) }));
        } else {
          timeline.tell(time, engineLines(event, timeline.view, url));
        }
      }
    };
    if (follow === true) {
      for await (const change of port.watch(id, from, unread.signal)) {
        tell(change);
        if (!isUnfinished(stateOf(await port.status(id)))) break;
      }
    }
    // With what has come since the last one of those: the state may be newer.
    const last = await eventsThere(port, id, from, unread.signal);
    if (last !== undefined) tell(last);
    return EXIT.ok;
  });
}
