// A runner of a command, given as a line of shell; it prints what its turn came to and the most memory that it had.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCommandAgent } from "../src/command.ts";

const [command = "", dir = mkdtempSync(join(tmpdir(), "quasar-flooded-"))] = process.argv.slice(2);
const request = {
  runId: "flooded",
  turnId: "flooded.1",
  role: "coder",
  prompt: "",
  systemPrompt: "",
  workTree: dir,
  access: "write",
  turnsDir: join(dir, "turns"),
} as const;
const print = (value: unknown) => void process.stdout.write(`${JSON.stringify(value)}\n`);
const { failure, text, notices } = await createCommandAgent({ command }).invoke(request, {
  onStart: async ({ pid }) => print(pid),
});
print({ failure, length: text.length, notices, peakKb: process.resourceUsage().maxRSS });
