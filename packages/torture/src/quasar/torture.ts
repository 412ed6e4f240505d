import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../life.ts";
import { scriptedWire } from "../model/scripted.ts";
import { startModelServer } from "../model/server.ts";
import { makeScratch, type Place } from "../place.ts";
import { torture, type Tortured, type TortureOptions } from "../torture.ts";
import { makeFixture } from "./fixture.ts";
import { quasarSubject } from "./subject.ts";

export interface TortureQuasarOptions extends TortureOptions {
  /** How `quasar` is started: `node` and the path of its `main.js`. */
  readonly quasar: Command;
  /** US dollars that a run may cost. @default 6; with `random` 0.72 */
  readonly budgetUsd?: number | undefined;
}

/** What one answer of the model costs, in US dollars. */
export const RESPONSE_USD = 0.05;

/** Tortures `quasar`: a run of two cycles with the scripted agent, against a model on loopback. */
export async function tortureQuasar(options: TortureQuasarOptions): Promise<Tortured> {
  // By chance, so little that three lost turns use it up: what is reserved for one is a sixth of it.
  const { quasar, budgetUsd = options.random === undefined ? 6 : 0.72 } = options;
  const folder = makeScratch();
  mkdirSync(join(folder, "fixture"));
  const places = new Map<string, Place>();
  const server = await startModelServer(
    [scriptedWire(RESPONSE_USD)],
    async (account, step, { key }) => places.get(account)?.reach(step, key),
  );
  try {
    const fixture = makeFixture(join(folder, "fixture"));
    const responseUsd = RESPONSE_USD;
    const subject = quasarSubject({ quasar, fixture, server, places, budgetUsd, responseUsd });
    return await torture(subject, options);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
