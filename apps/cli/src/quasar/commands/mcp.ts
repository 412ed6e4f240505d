import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { clientEntry, CLIENTS } from "@quasar/mcp/config";
import { openWorkspace } from "@quasar/runs/internal";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { readVersion } from "../../shared/version.ts";
import { type McpFlags, mcpOptions } from "../mcp/options.ts";
import type { McpConfigLine } from "../schemas/mcp.ts";

export interface McpGiven extends McpFlags {
  readonly printConfig?: string | undefined;
  readonly json?: true | undefined;
}

/** `quasar mcp`: serves runs and nebulae to the agent that has started it, or prints an agent's entry for it. */
export async function mcpCommand(dir: string | undefined, given: McpGiven): Promise<ExitCode> {
  const options = mcpOptions(given);
  if (given.printConfig !== undefined) return printConfig(given.printConfig, dir, given);
  if (given.json === true) {
    throw new CliError("ERR_USAGE", "--json is for --print-config: a server prints its protocol", {
      next: ["quasar mcp --print-config claude --json"],
    });
  }
  if (process.stdin.isTTY) process.stderr.write(HINT);
  const { root } = await openWorkspace(dir ?? process.cwd());
  const { serveMcp } = await import("@quasar/mcp");
  const commands = { quasar: commandAt("main.js"), atlas: commandAt("atlas.js") };
  const { limitsIn } = await import("../nebula/limits.ts");
  const served = { root, version: readVersion(), commands, nebulaLimits: limitsIn };
  await serveMcp({ ...served, ...options });
  return EXIT.ok;
}

const HINT =
  "quasar mcp speaks with the agent that starts it, and waits for one. An agent's entry for it: quasar mcp --print-config claude\n";

/** The built commands are beside each other. */
function commandAt(name: string): readonly [string, string] {
  return [process.execPath, fileURLToPath(new URL(name, import.meta.url))];
}

function printConfig(
  named: string,
  dir: string | undefined,
  { allow = [], budgetCap, maxRunning, maxPerHour, json }: McpGiven,
): ExitCode {
  const client = CLIENTS.find((each) => each === named);
  if (client === undefined) {
    const message = `--print-config must be ${CLIENTS.join(", ")}, not ${cleanLine(named)}`;
    throw new CliError("ERR_USAGE", message);
  }
  const flags = [
    ...allow.flatMap((each) => ["--allow", each]),
    ...typed("--budget-cap", budgetCap),
    ...typed("--max-running", maxRunning),
    ...typed("--max-per-hour", maxPerHour),
  ];
  const folder = dir === undefined ? undefined : resolve(dir);
  const entry = clientEntry(client, { command: "quasar", args: ["mcp", ...flags], folder });
  const line = result("mcp_config", entry, EXIT.ok) satisfies McpConfigLine;
  process.stdout.write(json === true ? jsonLine(line) : entry.text);
  return EXIT.ok;
}

function typed(flag: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [flag, value];
}
