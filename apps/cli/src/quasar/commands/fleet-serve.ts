import { registerFleet } from "@quasar/fleet";
import { jsonLine, shellWord } from "@quasar/runs/text";
import { whole } from "../../shared/config/kinds.ts";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { EXIT } from "../../shared/exit-codes.ts";
import { listenForInterrupts } from "../../shared/interrupts.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { numberOf } from "../../shared/typed-number.ts";
import { ensureFleetKey } from "../fleet/key.ts";
import { fleetSettings, requireUrl } from "../fleet/settings.ts";
import type { FleetServeLine } from "../schemas/fleet.ts";

export interface FleetServeOptions {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  readonly identityKey?: readonly string[] | undefined;
  readonly admin?: string | undefined;
  readonly json?: true | undefined;
}

const LOOPBACK = "127.0.0.1";
/** Where Restate's own tools look for what a server calls. */
const PORT = 9080;

/** `quasar fleet serve`: the object that a Restate server calls, until it is interrupted. */
export async function fleetServeCommand(options: FleetServeOptions): Promise<ExitCode> {
  const { host = LOOPBACK, identityKey: identityKeys = [], json } = options;
  const port = numberOf("--port", options.port, whole(0, 65_535)) ?? PORT;
  const admin = options.admin === undefined ? undefined : requireUrl("--admin", options.admin);
  if (admin !== undefined && isEverywhere(host)) throw noAddress(host);
  for (const each of identityKeys) requireIdentityKey(each);
  const { keyFile } = fleetSettings();
  const key = ensureFleetKey(keyFile);
  const ended = Promise.withResolvers<void>();
  const interrupts = listenForInterrupts(() => ended.resolve());
  try {
    const { serveFleet } = await import("@quasar/fleet/serve");
    const serving = { key, host, port, identityKeys };
    const object = await serveFleet(serving).catch((error: unknown) => orTaken(error, host, port));
    try {
      const { url } = object;
      if (admin !== undefined) await registerFleet({ admin, url });
      tell({ url, isRegistered: admin !== undefined, keyPath: keyFile }, json);
      if (host !== LOOPBACK && identityKeys.length === 0) write(process.stderr, [OPEN]);
      await ended.promise;
    } finally {
      await object.close();
    }
  } finally {
    interrupts.stop();
  }
  return interrupts.exitCode() ?? EXIT.ok;
}

const OPEN =
  "Without --identity-key it listens to everybody who reaches it, not only to the server.";

function isEverywhere(host: string): boolean {
  return ["0.0.0.0", "::", ""].includes(host);
}

function noAddress(host: string): CliError {
  const message = `at ${host === "" ? "no address" : host} no server can call it: register one that the server reaches`;
  return new CliError("ERR_USAGE", message, { next: ["quasar fleet serve --help"] });
}

function requireIdentityKey(key: string): void {
  if (/^publickeyv1_\w{20,100}$/u.test(key)) return;
  throw new CliError("ERR_USAGE", "--identity-key must be a server's public key: publickeyv1_…");
}

/** @throws What is not about the address. */
function orTaken(error: unknown, host: string, port: number): never {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (!["EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND"].includes(code)) throw error;
  const message = `${shellWord(host)} port ${port} is taken, or may not be used (${code})`;
  throw new CliError("ERR_LOCKED", message, {
    cause: error,
    next: ["quasar fleet serve --port 0"],
  });
}

type Told = Omit<FleetServeLine, "v" | "type">;

function tell(told: Told, json: true | undefined): void {
  if (json === true) {
    const line: FleetServeLine = { v: JSON_VERSION, type: "fleet_serve", ...told };
    process.stdout.write(jsonLine(line));
    return;
  }
  const { url, isRegistered, keyPath } = told;
  const view = viewOf(process.stdout);
  const next = isRegistered
    ? ["quasar fleet doctor --fleet http://SERVER:8080"]
    : [`restate deployments register ${url}   # or quasar fleet serve --admin URL`];
  write(process.stdout, [
    view.paint("bold", `serves the fleet at ${url}${isRegistered ? ", registered" : ""}`),
    ...labelled(view, "key", shellWord(keyPath)),
    ...nextLines(next, view),
  ]);
}
