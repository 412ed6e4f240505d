import { PortError } from "@quasar/nebula/port";
import { GitError } from "@quasar/git";
import { askRemote } from "@quasar/git/internal";
import { runProgram } from "@quasar/process";
import { messageOf } from "@quasar/runs/internal";
import { cleanLine, fit, shellWord } from "@quasar/runs/text";
import { type Finding, ok, problem, unknown, warning } from "../../shared/doctor/finding.ts";
import { tried } from "../../shared/doctor/tried.ts";
import { translate } from "../translate.ts";
import { existingKey, copySteps } from "./key.ts";
import { NO_FLEET_STEPS, openFleet } from "./open.ts";
import { findRestateServer, INSTALL_STEP, missingServer } from "./restate-program.ts";
import type { FleetSettings } from "./settings.ts";

const PATIENCE_MS = 5000;
const DEPOT_MS = 15_000;

/** What of a fleet can be used from this machine, and what helps where it cannot. */
export async function examineFleet(settings: FleetSettings): Promise<readonly Finding[]> {
  const found = await Promise.all([
    lookAtServer(settings),
    Promise.all(settings.depots.map(lookAtDepot)),
    lookAtProgram(),
  ]);
  return found.flat();
}

/** The key, and the server that has to have the same. */
async function lookAtServer(settings: FleetSettings): Promise<readonly Finding[]> {
  const { url, keyFile } = settings;
  const key = await tried("key", translate, () => existingKey(keyFile));
  const missing = problem("key", `there is no fleet key here: ${keyFile}`, copySteps(keyFile));
  const ofKey = key.value === undefined && key.findings.length === 0 ? [missing] : key.findings;
  if (url === undefined) {
    return [problem("server", "no fleet is configured", NO_FLEET_STEPS), ...ofKey];
  }
  if (ofKey.length > 0) {
    return [unknown("server", `${url} is not asked without a key`), ...ofKey];
  }
  const port = openFleet(settings, { patienceMs: PATIENCE_MS });
  try {
    await port.list();
    return [serverFinding(url), ok("key", `the server has the key of ${keyFile}`)];
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return refusalFindings(error, url, keyFile);
  } finally {
    port.close();
  }
}

function serverFinding(url: string): Finding {
  const { protocol, hostname } = new URL(url);
  const isOpen = protocol === "http:" && !["127.0.0.1", "[::1]", "localhost"].includes(hostname);
  if (!isOpen) return ok("server", `${url} answers`);
  const message = `${url} answers, without TLS: who listens on the network reads all that goes there`;
  return warning("server", message, ["put a proxy with TLS before it, and use its https: address"]);
}

function refusalFindings(error: PortError, url: string, keyFile: string): readonly Finding[] {
  switch (error.code) {
    case "ERR_DENIED":
      return [ok("server", `${url} answers`), problem("key", error.message, copySteps(keyFile))];
    case "ERR_UNREACHABLE":
      return [
        problem("server", error.message, [
          "quasar fleet up   # on its machine, where it was started so",
          "export QUASAR_FLEET=http://SERVER:8080   # where it is another one",
        ]),
      ];
    case "ERR_PROTOCOL":
    case "ERR_NOT_FOUND":
    case "ERR_CONFLICT":
    case "ERR_USAGE":
    case "ERR_TOO_LARGE":
      return [
        problem("server", error.message, [
          "quasar fleet serve --admin http://127.0.0.1:9070   # on its machine, with the quasar of this one",
        ]),
      ];
  }
}

/** Whether git gets an answer there. */
async function lookAtDepot(depot: string): Promise<Finding> {
  const name = fit(cleanLine(depot), 60);
  try {
    await askRemote(depot, { signal: AbortSignal.timeout(DEPOT_MS) });
    return ok("depot", `${name} answers`);
  } catch (error) {
    if (!(error instanceof GitError || isTimeout(error))) throw error;
    const next = [`git ls-remote ${shellWord(depot)}   # shows why`];
    return problem("depot", `${name}: ${fit(cleanLine(messageOf(error)), 200)}`, next);
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** Only the machine of the server needs it. */
async function lookAtProgram(): Promise<Finding> {
  const path = findRestateServer(process.env);
  if (path === undefined) {
    const next = [`${INSTALL_STEP}   # only on the machine of quasar fleet up`];
    return warning("restate", missingServer(process.env), next);
  }
  let text = "";
  const { PATH, HOME } = process.env;
  const program = { file: path, args: ["--version"], cwd: "/", env: { PATH, HOME } };
  const ended = await runProgram(program, {
    stdout(chunk) {
      if (text.length < 1000) text += chunk.toString();
      return undefined;
    },
    timeoutMs: 10_000,
  });
  const version = fit(cleanLine(text.trim()), 100);
  if (ended.kind === "ended" && version !== "") return ok("restate", `${version}: ${path}`);
  return warning("restate", `${path} does not say its version`, [`${shellWord(path)} --version`]);
}
