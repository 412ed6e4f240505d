import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scriptedWire } from "../model/scripted.ts";
import type { Place } from "@quasar/torture";
import type { TorturedAgent } from "./agent.ts";

/** What the scripted agents do: a finding in the first cycle, approved in the second. */
const TURNS = [
  {
    role: "coder",
    match: "needs the second",
    says: [{ text: "Fixing it", files: { "work.txt": "half of the second\n" } }],
    files: { "work.txt": "second\n", "more.txt": "more\n" },
    text: "Fixed.",
  },
  {
    role: "coder",
    says: [{ text: "Writing it", files: { "work.txt": "half of the first\n" } }],
    files: { "work.txt": "first\n" },
    text: "Written.",
  },
  {
    role: "reviewer",
    match: "PRIOR FINDINGS",
    says: ["Reading it again"],
    text: "APPROVED: it is the second.\n\nREPORT:\nSATISFACTION: high\nRISK: low\nNEEDS_HUMAN_REVIEW: no\nSUMMARY: Good.\n",
  },
  {
    role: "reviewer",
    says: ["Reading it"],
    text: "ISSUE:\nSEVERITY: major\nDESCRIPTION: it needs the second\n",
  },
];

const RESPONSE_USD = 0.05;
/**
 * As with real models, a response costs less than it may. The model answers at once here, so an agent can be
 * killed in a second response before its supervisor has read the first: both fit in.
 */
const BOUND_USD = 2 * RESPONSE_USD;

const scriptPath = (place: Place): string => join(place.root, "script.json");

/** The scripted agent of `@quasar/agents`, which does its work in these turns. */
export function scriptedAgent(turns: readonly object[]): TorturedAgent {
  return {
    nameIn: (place) => `scripted:${scriptPath(place)}`,
    flags: [],
    responseUsd: RESPONSE_USD,
    boundUsd: BOUND_USD,
    envOf: () => ({}),
    prepare(place, url) {
      const sessions = join(place.root, "sessions");
      mkdirSync(sessions);
      const model = `${url}/scripted`;
      const script = { turns, model, sessions, responseUsd: BOUND_USD };
      writeFileSync(scriptPath(place), JSON.stringify(script));
    },
    wireOf: () => scriptedWire(RESPONSE_USD),
  };
}

export const SCRIPTED: TorturedAgent = scriptedAgent(TURNS);
