import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { FleetUpLine } from "../../src/quasar/schemas/fleet.ts";
import { CliError } from "../../src/shared/errors.ts";
import { MAIN } from "./machine.ts";

const INSTALLED = "../../../../packages/fleet/real/node_modules/.bin/restate-server";

/** The server that the lockfile of `packages/fleet/real` has, or the one that is named. @throws {CliError} `ERR_NO_SERVER` */
export function installedServer(): string {
  const named = process.env["QUASAR_RESTATE_SERVER"];
  const program = named ?? fileURLToPath(new URL(INSTALLED, import.meta.url));
  if (existsSync(program)) return program;
  const next = ["npm ci --prefix packages/fleet/real --ignore-scripts"];
  throw new CliError("ERR_NO_SERVER", `there is no ${program}`, { next });
}

/** Starts `quasar fleet up`. @returns What it says once it takes calls. */
export async function startServer(
  dir: string,
  env: Readonly<Record<string, string>>,
): Promise<FleetUpLine> {
  const args = [MAIN, "fleet", "up", "--port", "0", "--dir", dir, "--json"];
  const server = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let problem = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => {
    problem = text.trim();
  });
  const lines = createInterface({ input: server.stdout });
  const { value: line } = await lines[Symbol.asyncIterator]().next();
  if (line === undefined) throw new CliError("ERR_STATE", `quasar fleet up: ${problem}`);
  return JSON.parse(line) as FleetUpLine;
}
