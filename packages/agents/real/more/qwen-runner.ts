// A runner of one turn of Qwen Code, to be killed: qwen-runner.ts <root of a place> <stub> <request>
import type { AgentRequest } from "../../src/agent.ts";
import { qwenIn } from "./qwen.ts";

const [root = "", url = "", request = ""] = process.argv.slice(2);
await qwenIn(root, url).invoke(JSON.parse(request) as AgentRequest, {
  onStart: (agent) =>
    new Promise((resolve) => {
      process.stdout.write(`${JSON.stringify(agent)}\n`, () => resolve());
    }),
});
