import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startModelServer } from "../model/server.ts";
import {
  makeScratch,
  type Place,
  torture,
  type Tortured,
  type TortureOptions,
} from "@quasar/torture";
import { scriptedAgent } from "../quasar/scripted-agent.ts";
import { strike } from "./clock.ts";
import { makeAtlasFixture } from "./fixture.ts";
import { atlasSubject } from "./subject.ts";

/** What the scripted agents do: analyse, fix in two parts, approve. */
const TURNS = [
  { role: "coder", match: "Step: analyze", text: "The cause is found." },
  {
    role: "coder",
    says: [{ text: "Fixing it", files: { "work.txt": "half of it\n" } }],
    files: { "work.txt": "all of it\n" },
    text: "Fixed.",
  },
  {
    role: "reviewer",
    says: ["Reading it"],
    text: "APPROVED: it is fixed.\n\nREPORT:\nSATISFACTION: high\nRISK: low\nNEEDS_HUMAN_REVIEW: no\nSUMMARY: Good.\n",
  },
];

/** When the timers go off: while the coder is at work, and half of it is there. */
const STRIKE = "coder 1, step 1";

/** Of one command: it starts some two hundred processes, and the machine may have more to do. */
const LONGEST_MS = 240_000;

/** The promises that are checked, by which deviations are counted. */
export const ATLAS_LAWS: readonly string[] = [
  "repeated",
  "skipped",
  "steps",
  "commits",
  "published",
  "tree",
  "receipts",
  "record",
  "history",
  "stale",
  "ledger",
  "left",
  "refused",
];

export interface TortureAtlasOptions extends TortureOptions {
  /** Path of the program `atlas`, a module. */
  readonly atlas: string;
}

/** Tortures `atlas`: a bugfix from its start to its approval, against a model on loopback. */
export async function tortureAtlas({ atlas, ...options }: TortureAtlasOptions): Promise<Tortured> {
  const agent = scriptedAgent(TURNS);
  const folder = makeScratch();
  mkdirSync(join(folder, "fixture"));
  const places = new Map<string, Place>();
  const struck = new Set<string>();
  const server = await startModelServer([agent.wireOf(places)], async (account, step, { key }) => {
    const place = places.get(account);
    if (place === undefined) return;
    if (step === "asked" && key === STRIKE && !struck.has(account)) {
      struck.add(account);
      await strike(place);
    }
    await place.reach(step, key);
  });
  try {
    const made = makeAtlasFixture(join(folder, "fixture"));
    const subject = atlasSubject({ atlas, agent, made, server, places, budgetUsd: 6 });
    return await torture(subject, { timeoutMs: LONGEST_MS, ...options });
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
