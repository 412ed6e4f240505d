// A runner of an agent that waits to be released by a FIFO, `go`, in the folder; it is to be killed while
// that waits: runner.ts <run id> <dir>
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createCommandAgent } from "../src/command.ts";

const [runId = "", workDir = ""] = process.argv.slice(2);
mkdirSync(join(workDir, "turns"), { recursive: true });
execFileSync("mkfifo", [join(workDir, "go")]);
const command = "echo one; read line < go; echo late > late.txt";
await createCommandAgent({ command }).invoke(
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
