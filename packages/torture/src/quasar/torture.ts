import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../life.ts";
import { scriptedWire } from "../model/scripted.ts";
import { startModelServer } from "../model/server.ts";
import { makeScratch } from "../place.ts";
import { torture, type Tortured, type TortureOptions } from "../torture.ts";
import { makeFixture } from "./fixture.ts";
import { quasarSubject } from "./subject.ts";

export interface TortureQuasarOptions extends TortureOptions {
  /** How `quasar` is started: `node` and the path of its `main.js`. */
  readonly quasar: Command;
  /** US dollars that a run may cost. @default 6 */
  readonly budgetUsd?: number | undefined;
}

/** What one answer of the model costs, in US dollars. */
export const RESPONSE_USD = 0.05;

/** Tortures `quasar`: a run of two cycles with the scripted agent, against a model on loopback. */
export async function tortureQuasar(options: TortureQuasarOptions): Promise<Tortured> {
  const { quasar, budgetUsd = 6 } = options;
  const folder = makeScratch();
  mkdirSync(join(folder, "fixture"));
  const server = await startModelServer([scriptedWire(RESPONSE_USD)]);
  try {
    const fixture = makeFixture(join(folder, "fixture"));
    const responseUsd = RESPONSE_USD;
    const subject = quasarSubject({ quasar, fixture, server, budgetUsd, responseUsd });
    return await torture(subject, options);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
