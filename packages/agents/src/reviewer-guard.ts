import { readFileSync } from "node:fs";
import { readsOnly } from "./claude/reads-only.ts";

/** Claude Code asks a hook before each command; this code denies it. */
const DENIED = 2;

/** The command that Claude Code is about to run for a reviewer; `""` for what cannot be understood. */
function commandAsked(): string {
  try {
    const asked = JSON.parse(readFileSync(0, "utf8")) as { tool_input?: { command?: unknown } };
    const command = asked.tool_input?.command;
    return typeof command === "string" ? command : "";
  } catch {
    return ""; // which is denied
  }
}

if (!readsOnly(commandAsked())) {
  process.stderr.write(
    "You may only read. Use Read, Grep and Glob, or git status, diff, log, show and blame without redirections.\n",
  );
  process.exitCode = DENIED;
}
