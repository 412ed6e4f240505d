// A runner of an agent that waits to be released by a FIFO, `go`, in the folder; it is to be killed while
// that waits: runner.ts <run id> <dir>
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createCommandAgent } from "../src/command.ts";

const [runId = "", workTree = ""] = process.argv.slice(2);
mkdirSync(join(workTree, "turns"), { recursive: true });
execFileSync("mkfifo", [join(workTree, "go")]);
const command = "echo one; read line < go; echo late > late.txt";
await createCommandAgent({ command }).invoke(
  {
    runId,
    turnId: `${runId}.1`,
    role: "coder",
    prompt: "",
    systemPrompt: "",
    workTree,
    access: "write",
    turnsDir: join(workTree, "turns"),
  },
  {
    onStart: async (owner) => void process.stdout.write(`${JSON.stringify(owner)}\n`),
    onEvent: (event) => process.stdout.write(`${JSON.stringify(event)}\n`),
  },
);
