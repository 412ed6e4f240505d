// A runner of a turn of a fake agent, to be killed: acp-keeper.ts <request> <arguments of the agent>, in JSON. Prints
// the process that supervises it.
import { createAcpAgent } from "../src/acp.ts";
import type { AgentRequest } from "../src/agent.ts";

const [request = "", args = ""] = process.argv.slice(2);
const agent = createAcpAgent({
  name: "fake",
  file: process.execPath,
  args: JSON.parse(args) as string[],
});
await agent.invoke(JSON.parse(request) as AgentRequest, {
  onStart: async (owner) => void process.stdout.write(`${JSON.stringify(owner)}\n`),
});
