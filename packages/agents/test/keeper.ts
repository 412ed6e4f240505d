// A runner of a scripted turn, to be killed: keeper.ts <request> <script> [stay], in JSON. Prints what
// it learns, line by line; with `stay` it never lets the agent begin.
import type { AgentRequest } from "../src/agent.ts";
import type { AgentScript } from "../src/agent-script.ts";
import { createScriptedAgent } from "../src/scripted.ts";

const [request = "", script = "", stay] = process.argv.slice(2);
const print = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`);
const agent = createScriptedAgent(JSON.parse(script) as AgentScript);
await agent.invoke(JSON.parse(request) as AgentRequest, {
  async onStart(owner) {
    print(owner);
    if (stay !== undefined) await new Promise(() => undefined);
  },
  onEvent: print,
});
