// A runner of one turn of OpenCode, to be killed: opencode-runner.ts <root of a place> <stub> <request>
import type { AgentRequest } from "../../src/agent.ts";
import { opencodeIn } from "./opencode.ts";

const [root = "", url = "", request = ""] = process.argv.slice(2);
await opencodeIn(root, url).invoke(JSON.parse(request) as AgentRequest, {
  onStart: (agent) =>
    new Promise((resolve) => {
      process.stdout.write(`${JSON.stringify(agent)}\n`, () => resolve());
    }),
});
