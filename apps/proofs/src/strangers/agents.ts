// Agents of somebody else's program. Each says that it was asked; the one that HANG names never answers.
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInvoker, AgentRequest } from "@quasar/agents";

const capabilities = {
  structuredOutput: false,
  choosesSessionId: false,
  reportsCost: true,
  streamsUsage: false,
  resumesSession: false,
};

function agent(name: string, work: (request: AgentRequest) => string): AgentInvoker {
  return {
    name,
    capabilities,
    async invoke(request) {
      appendFileSync(process.env["ASKED"] ?? "", `${name}\n`);
      if (process.env["HANG"] === name) await new Promise(() => setInterval(() => {}, 1000));
      return { text: work(request), costUsd: 0.01, costSource: "reported", durationMs: 1 };
    },
  };
}

export const coder = agent("coder", ({ workTree }) => {
  writeFileSync(join(workTree, "work.txt"), "done\n");
  return "Wrote work.txt.";
});

export const reviewer = agent("reviewer", () => "APPROVED: it is there");
