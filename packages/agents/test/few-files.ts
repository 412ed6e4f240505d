// A runner of scripted turns that has fewer and fewer file descriptors: few-files.ts <request> in JSON.
// To be started with a low limit of them. Prints each turn's failure and cost, line by line.
import { closeSync, openSync } from "node:fs";
import type { AgentRequest } from "../src/agent.ts";
import { createScriptedAgent } from "../src/scripted.ts";

const request = JSON.parse(process.argv[2] ?? "") as AgentRequest;
const agent = createScriptedAgent({ turns: [{ role: "coder", text: "done", costUsd: 0.5 }] });
let n = 0;
const invoke = async (): Promise<void> => {
  n += 1;
  const { failure, costUsd } = await agent.invoke({ ...request, turnId: `${request.runId}.${n}` });
  process.stdout.write(`${JSON.stringify({ failure: failure?.message ?? "", costUsd })}\n`);
};
await invoke(); // what is loaded and opened once
const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  for (const fd of taken.splice(-3)) closeSync(fd);
}
await invoke();
for (const fd of taken) closeSync(fd);
await invoke();
