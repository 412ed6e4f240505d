import { isUnfinished, type NebulaState } from "@quasar/nebula";
import {
  chooseNebula,
  continueNebula,
  nebulaHome,
  nebulaNow,
  pauseEnds,
  pauseNebula,
} from "@quasar/nebula/internal";
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
import type { NebulaPauseLine } from "../schemas/nebula-care.ts";

export interface NebulaPauseOptions {
  readonly fleet?: string | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula pause`: no turn and no phase of a nebula begins until it is continued. */
export async function nebulaPauseCommand(
  named: string | undefined,
  { fleet, json }: NebulaPauseOptions,
): Promise<ExitCode> {
  refuseAgents("pause");
  if (fleet !== undefined) {
    return (await import("../fleet/signal.ts")).signalOverFleet("pause", named, { fleet });
  }
  const workspace = await openWorkspace(process.cwd());
  const { repositoryId } = workspace;
  const state = chooseNebula(repositoryId, named, {
    step: (id) => `quasar nebula pause ${id}`,
    prefers: [hasEngine(repositoryId)],
  });
  if (!isUnfinished(state)) {
    const message = `the nebula ${cleanLine(state.name)} has ended`;
    const next = await nextOf(workspace, state);
    throw new CliError("ERR_NOTHING_TO_RESUME", message, { next });
  }
  const isNew = pauseNebula(repositoryId, state, new Date());
  const standing = hasEngine(repositoryId)(state) ? "working" : "idle";
  const words = isNew ? PAUSED[standing] : "is paused already";
  report(state, { isPaused: true, words, next: [`quasar nebula continue ${state.id}`] }, json);
  return EXIT.ok;
}

const PAUSED = {
  working: "is paused: turns in flight end, what is approved lands",
  idle: "is paused: nothing works on it, and a resume begins no turn before you continue it",
} as const;

/** `quasar nebula continue`: ends a pause. */
export async function nebulaContinueCommand(
  named: string | undefined,
  { fleet, json }: NebulaPauseOptions,
): Promise<ExitCode> {
  refuseAgents("continue");
  if (fleet !== undefined) {
    return (await import("../fleet/signal.ts")).signalOverFleet("continue", named, { fleet });
  }
  const workspace = await openWorkspace(process.cwd());
  const { repositoryId } = workspace;
  const isPaused = (each: NebulaState): boolean =>
    pauseEnds(nebulaHome(repositoryId, each.id), each).length > 0;
  const state = chooseNebula(repositoryId, named, {
    step: (id) => `quasar nebula continue ${id}`,
    isFor: isPaused,
    prefers: [hasEngine(repositoryId)],
  });
  const wasPaused = continueNebula(repositoryId, state);
  const left = pauseEnds(nebulaHome(repositoryId, state.id), state);
  const name = cleanLine(state.name);
  if (left.length > 0) {
    const message = `a file in its folder pauses the nebula ${name}, too`;
    throw new CliError("ERR_PERSON", message, { next: left });
  }
  const now = await nebulaNow(repositoryId, state);
  const next = await nextOf(workspace, state, { now });
  if (!wasPaused) {
    throw new CliError("ERR_NOTHING_TO_RESUME", `the nebula ${name} is not paused`, { next });
  }
  const words = now.pid === undefined ? "is not paused any more" : "continues within a second";
  report(state, { isPaused: false, words, next }, json);
  return EXIT.ok;
}

function report(
  { id: nebulaId, name: nebula }: NebulaState,
  {
    isPaused,
    words,
    next,
  }: { readonly isPaused: boolean; readonly words: string; readonly next: readonly string[] },
  json: true | undefined,
): void {
  if (json === true) {
    const facts = { nebulaId, nebula, isPaused };
    const line = result("nebula_pause", facts, EXIT.ok, next) satisfies NebulaPauseLine;
    process.stdout.write(jsonLine(line));
    return;
  }
  write(process.stdout, [
    `nebula ${cleanLine(nebula)} ${words}`,
    ...nextLines(next, viewOf(process.stdout)),
  ]);
}
