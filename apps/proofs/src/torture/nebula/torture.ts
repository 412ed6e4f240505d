import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  type Command,
  makeScratch,
  type Place,
  torture,
  type Tortured,
  type TortureOptions,
} from "@quasar/torture";
import { startModelServer } from "../model/server.ts";
import { scriptedAgent } from "../quasar/scripted-agent.ts";
import { fivePhases } from "./five-phases.ts";
import { makeNebulaFixture } from "./fixture.ts";
import { nebulaSubject } from "./subject.ts";
import type { TorturedNebula } from "./tortured-nebula.ts";

/** Of one command: it starts some hundreds of processes, and the machine may have more to do. */
const LONGEST_MS = 240_000;

/** A nebula that waits three times for a person is seven commands without a kill; a killed approval is two more. */
const MOST_COMMANDS = 12;

/**
 * The promises that are checked, by which deviations are counted.
 *
 * @see TORTURE.md, "Laws of a nebula"
 */
export const NEBULA_LAWS: readonly string[] = [
  "repeated",
  "skipped",
  "landings",
  "phases",
  "sound",
  "refs",
  "user",
  "left",
  "ledger",
  "disk",
  "refused",
];

export interface TortureNebulaOptions extends TortureOptions {
  /** How `quasar` is started: `node` and the path of its `main.js`. */
  readonly quasar: Command;
  /** @default five phases that land in the order of the plan */
  readonly nebula?: TorturedNebula | undefined;
}

/** Tortures `quasar nebula apply`, against a model on loopback. */
export async function tortureNebula({
  quasar,
  nebula = fivePhases("plan"),
  ...options
}: TortureNebulaOptions): Promise<Tortured> {
  const agent = scriptedAgent(nebula.turns);
  const folder = makeScratch();
  mkdirSync(join(folder, "fixture"));
  const places = new Map<string, Place>();
  const server = await startModelServer([agent.wireOf(places)], async (account, step, { key }) =>
    places.get(account)?.reach(step, key),
  );
  try {
    const fixture = makeNebulaFixture(join(folder, "fixture"), nebula);
    const subject = nebulaSubject({ quasar, agent, fixture, nebula, server, places });
    // One that is killed again and again has as many lives as it takes.
    const maxLives = options.everyMs === undefined ? MOST_COMMANDS : undefined;
    return await torture(subject, { timeoutMs: LONGEST_MS, maxLives, ...options });
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
