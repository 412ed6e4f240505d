// A runner of one turn, to be killed: runner.ts <gemini|copilot> <root of a place> <stub> <request>
import type { AgentRequest } from "../../src/agent.ts";
import { type AcpName, createRealAcpAgent } from "./acp-place.ts";

const [name, root = "", url = "", said = ""] = process.argv.slice(2);
const request = JSON.parse(said) as AgentRequest;
await createRealAcpAgent(name as AcpName, request.role, root, url).invoke(request, {
  onStart: (agent) =>
    new Promise((resolve) => {
      process.stdout.write(`${JSON.stringify(agent)}\n`, () => resolve());
    }),
});
