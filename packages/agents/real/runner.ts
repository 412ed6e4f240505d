// A runner of one turn, to be killed: runner.ts <claude|codex> <root of a place> <stub> <request>
import type { AgentRequest } from "../src/agent.ts";
import { createRealAgents } from "./place.ts";

const [name, root = "", url = "", request = ""] = process.argv.slice(2);
await createRealAgents(root, url)[name === "codex" ? "codex" : "claude"].invoke(
  JSON.parse(request) as AgentRequest,
  {
    onStart: (agent) =>
      new Promise((resolve) => {
        process.stdout.write(`${JSON.stringify(agent)}\n`, () => resolve());
      }),
  },
);
