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
import { rounded } from "../model/spending.ts";
import { startModelServer } from "../model/server.ts";
import type { TorturedAgent } from "./agent.ts";
import { makeFixture } from "./fixture.ts";
import { CLAUDE, CODEX } from "./real-agents.ts";
import { SCRIPTED } from "./scripted-agent.ts";
import { quasarSubject } from "./subject.ts";

const AGENTS = { scripted: SCRIPTED, claude: CLAUDE, codex: CODEX } as const;

/** Who codes and reviews in a torture of `quasar`. */
export type TorturedAgentName = keyof typeof AGENTS;

export const TORTURED_AGENTS: readonly TorturedAgentName[] = ["scripted", "claude", "codex"];

const LAWS = ["repeated", "skipped", "commits", "tree", "journal", "ledger", "cap", "refused"];

/**
 * The promises that are checked, by which deviations are counted.
 *
 * @see TORTURE.md, "Laws of a run of quasar"
 */
export function quasarLaws(agent: TorturedAgentName = "scripted"): readonly string[] {
  return agent === "scripted" ? LAWS : [...LAWS.slice(0, 2), "altered", ...LAWS.slice(2)];
}

export interface TortureQuasarOptions extends TortureOptions {
  /** How `quasar` is started: `node` and the path of its `main.js`. */
  readonly quasar: Command;
  /** Real agents, `claude` and `codex`, are those on the `PATH`. @default "scripted" */
  readonly agent?: TorturedAgentName | undefined;
  /** US dollars that a run may cost. @default 6; with `random` ten answers and four bounds of one */
  readonly budgetUsd?: number | undefined;
}

/** Tortures `quasar`: a run of two cycles, against a model on loopback. */
export async function tortureQuasar(options: TortureQuasarOptions): Promise<Tortured> {
  const { quasar } = options;
  const agent: TorturedAgent = AGENTS[options.agent ?? "scripted"];
  // By chance, so little that a few lost turns use it up.
  const small = rounded(10 * agent.responseUsd + 4 * agent.boundUsd);
  const { budgetUsd = options.random === undefined ? 6 : small } = options;
  const folder = makeScratch();
  mkdirSync(join(folder, "fixture"));
  const places = new Map<string, Place>();
  const server = await startModelServer([agent.wireOf(places)], async (account, step, { key }) =>
    places.get(account)?.reach(step, key),
  );
  try {
    const fixture = makeFixture(join(folder, "fixture"));
    const subject = quasarSubject({ quasar, agent, fixture, server, places, budgetUsd });
    return await torture(subject, options);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
