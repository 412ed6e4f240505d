import { chooseNebula, stopEngine } from "@quasar/nebula/internal";
import { openWorkspace } from "@quasar/runs/internal";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import { hasEngine } from "../nebula/choose.ts";
import { nextOf } from "../nebula/next.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import type { NebulaStopLine } from "../schemas/nebula-care.ts";

export interface NebulaStopOptions {
  readonly fleet?: string | undefined;
  readonly now?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula stop`: has the engine that works on a nebula end, from any shell. */
export async function nebulaStopCommand(
  named: string | undefined,
  { fleet, now, json }: NebulaStopOptions,
): Promise<ExitCode> {
  refuseAgents("stop");
  if (fleet !== undefined) {
    const what = now === true ? "cancel" : "stop";
    return (await import("../fleet/signal.ts")).signalOverFleet(what, named, { fleet });
  }
  const workspace = await openWorkspace(process.cwd());
  const { repositoryId } = workspace;
  const isNow = now === true;
  const state = chooseNebula(repositoryId, named, {
    step: (id) => `quasar nebula stop ${id}${isNow ? " --now" : ""}`,
    isFor: hasEngine(repositoryId),
  });
  const { id: nebulaId, name: nebula } = state;
  if (stopEngine(repositoryId, state, { isNow }) === "idle") {
    const message = `nothing works on the nebula ${cleanLine(nebula)}`;
    const next = await nextOf(workspace, state);
    throw new CliError("ERR_NOTHING_TO_RESUME", message, { next });
  }
  const next = [`quasar nebula status ${nebulaId}`];
  if (json === true) {
    const facts = { nebulaId, nebula, isNow };
    const line = result("nebula_stop", facts, EXIT.ok, next) satisfies NebulaStopLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const how = isNow
    ? "now; the turns in flight are cut off and resumed later"
    : "after the turns in flight";
  write(process.stdout, [
    `nebula ${cleanLine(nebula)} stops ${how}`,
    ...nextLines(next, viewOf(process.stdout)),
  ]);
  return EXIT.ok;
}
