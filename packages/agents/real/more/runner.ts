// A runner of one turn, to be killed: runner.ts <agent> <root of a place> <stub> <request>
import type { AgentInvoker, AgentRequest } from "../../src/agent.ts";
import { ACP_AGENTS, type AcpName, createRealAcpAgent } from "./acp-place.ts";
import { opencodeIn } from "./opencode.ts";
import { qwenIn } from "./qwen.ts";

const AGENTS: Readonly<
  Record<string, (root: string, url: string, request: AgentRequest) => AgentInvoker>
> = {
  opencode: opencodeIn,
  qwen: qwenIn,
  ...Object.fromEntries(
    (Object.keys(ACP_AGENTS) as AcpName[]).map((name) => [
      name,
      (root: string, url: string, { role }: AgentRequest) =>
        createRealAcpAgent(name, role, root, url),
    ]),
  ),
};

const [name = "", root = "", url = "", said = ""] = process.argv.slice(2);
const request = JSON.parse(said) as AgentRequest;
await AGENTS[name]?.(root, url, request).invoke(request, {
  onStart: (agent) =>
    new Promise((resolve) => {
      process.stdout.write(`${JSON.stringify(agent)}\n`, () => resolve());
    }),
});
