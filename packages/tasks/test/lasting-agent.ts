import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInvoker, AgentRequest, AgentResult } from "@quasar/agents";

/** What a turn's agent says, and writes into the work tree. */
export type Answer = (request: AgentRequest) => Partial<AgentResult> | string;

export const APPROVAL =
  "APPROVED: well done\n\nREPORT:\nSATISFACTION: high\nRISK: low\nNEEDS_HUMAN_REVIEW: no\nSUMMARY: fine\n";
export const ISSUE = "ISSUE:\nSEVERITY: major\nDESCRIPTION: bad\n";

export interface LastingAgent extends AgentInvoker {
  /** Every request that was paid for, those of earlier drivers included. */
  readonly requests: readonly AgentRequest[];
}

/**
 * An agent in this process that, like one under its supervisor, outlives whoever drives it: what a turn
 * came to is found by the next. The last answer repeats.
 */
export function lastingAgent(answers: readonly (Answer | string)[]): LastingAgent {
  const requests: AgentRequest[] = [];
  const ends = new Map<string, AgentResult>();
  return {
    name: "lasting",
    requests,
    capabilities: {
      structuredOutput: false,
      choosesSessionId: false,
      reportsCost: true,
      streamsUsage: true,
      resumesSession: false,
    },
    async invoke(request, { onStart, onEvent } = {}) {
      await onStart?.({ pid: 1, startTime: 1, bootId: "gone", host: "elsewhere" });
      const answer = answers[Math.min(requests.length, answers.length - 1)] ?? "";
      requests.push(request);
      const said = typeof answer === "function" ? answer(request) : answer;
      const partial = typeof said === "string" ? { text: said } : said;
      const known = { costUsd: 0.25, costSource: "reported", durationMs: 5 } as const;
      const result: AgentResult = { text: "", ...known, ...partial };
      ends.set(request.turnId, result);
      onEvent?.({ type: "text", text: result.text });
      return result;
    },
    find: async ({ request }) => ({ state: ends.has(request.turnId) ? "ended" : "not-started" }),
    adopt: async ({ request }) => {
      const end = ends.get(request.turnId);
      if (end === undefined) throw new Error("there is no such turn");
      return end;
    },
    end: async () => undefined,
  };
}

/** A coder that adds a line to a file in each turn. */
export function writingCoder(file = "work.txt"): LastingAgent {
  let turns = 0;
  return lastingAgent([
    ({ workTree }) => {
      turns += 1;
      appendFileSync(join(workTree, file), `turn ${turns}\n`);
      return `wrote line ${turns}`;
    },
  ]);
}
