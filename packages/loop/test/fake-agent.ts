import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInvoker, AgentRequest, AgentResult, InvokeOptions } from "@quasar/agents";

export type Reply = Partial<AgentResult> | string;
export type Answer = (request: AgentRequest, options: InvokeOptions) => Reply | Promise<Reply>;

export interface FakeAgent extends AgentInvoker {
  readonly requests: readonly AgentRequest[];
}

/** An agent that answers one request after the other as it is told; the last answer repeats. */
export function fakeAgent(
  answers: readonly (Answer | Reply)[],
  capabilities: Partial<AgentInvoker["capabilities"]> = {},
): FakeAgent {
  const requests: AgentRequest[] = [];
  return {
    name: "fake",
    capabilities: {
      structuredOutput: false,
      choosesSessionId: false,
      reportsCost: true,
      streamsUsage: true,
      resumesSession: false,
      ...capabilities,
    },
    requests,
    async invoke(request, options = {}) {
      const answer = answers[Math.min(requests.length, answers.length - 1)] ?? "";
      requests.push(request);
      const reply = typeof answer === "function" ? await answer(request, options) : answer;
      return resultOf(reply);
    },
  };
}

export function resultOf(reply: Reply): AgentResult {
  const partial = typeof reply === "string" ? { text: reply } : reply;
  return { text: "", costUsd: 0.1, costSource: "reported", durationMs: 5, ...partial };
}

/** A coder that adds a line to a file in each turn. */
export function writingCoder(file = "work.txt"): FakeAgent {
  let turns = 0;
  return fakeAgent([
    ({ workTree }) => {
      turns += 1;
      appendFileSync(join(workTree, file), `turn ${turns}\n`);
      return `wrote line ${turns}`;
    },
  ]);
}

export const APPROVAL =
  "APPROVED: well done\n\nREPORT:\nSATISFACTION: high\nRISK: low\nNEEDS_HUMAN_REVIEW: no\nSUMMARY: fine\n";

export function issue(description: string, severity = "major"): string {
  return `ISSUE:\nSEVERITY: ${severity}\nDESCRIPTION: ${description}\n`;
}
