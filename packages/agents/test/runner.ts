// A runner that starts a slow scripted agent, to be killed while that works: runner.ts <run id> <dir>
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createScriptedAgent } from "../src/scripted.ts";

const [runId = "", workDir = ""] = process.argv.slice(2);
mkdirSync(join(workDir, "turns"), { recursive: true });
const says = ["one", "two", "three", "four"];
const turn = { role: "coder", says, files: { "late.txt": "late\n" }, delayMs: 2000 } as const;
await createScriptedAgent({ turns: [turn] }).invoke(
  {
    runId,
    turnId: `${runId}.1`,
    role: "coder",
    prompt: "",
    systemPrompt: "",
    workDir,
    access: "write",
    turnsDir: join(workDir, "turns"),
  },
  {
    onStart: async (owner) => void process.stdout.write(`${JSON.stringify(owner)}\n`),
    onEvent: (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
  },
);
