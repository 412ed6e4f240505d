import { join, resolve } from "node:path";
import { registerFleet } from "@quasar/fleet";
import { openUser } from "@quasar/runs/internal";
import { jsonLine, shellWord } from "@quasar/runs/text";
import { whole } from "../../shared/config/kinds.ts";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { exitOfInterrupt, listenForInterrupts } from "../../shared/interrupts.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { numberOf } from "../../shared/typed-number.ts";
import { openFleetFolder } from "../fleet/folder.ts";
import { ensureFleetKey } from "../fleet/key.ts";
import { choosePorts, type Ports, type WantedPorts } from "../fleet/ports.ts";
import { requireRestateServer } from "../fleet/restate-program.ts";
import { endLeftServer, serverEnded, startRestateServer } from "../fleet/restate-server.ts";
import { fleetSettings } from "../fleet/settings.ts";
import type { FleetUpLine } from "../schemas/fleet.ts";

export interface FleetUpOptions {
  readonly dir?: string | undefined;
  readonly port?: string | undefined;
  readonly json?: true | undefined;
}

/** `quasar fleet up`: a server on this machine and the object that it calls, until it is interrupted. */
export async function fleetUpCommand(options: FleetUpOptions): Promise<ExitCode> {
  const typed = numberOf("--port", options.port, whole(0, 65_535));
  const program = requireRestateServer(process.env);
  const { keyFile } = fleetSettings();
  const key = ensureFleetKey(keyFile);
  const dir = resolve(options.dir ?? join(openUser().folders.state, "fleet"));
  const folder = openFleetFolder(dir);
  // The last first: what the server has begun to call, it can end.
  const closing: (() => void | Promise<void>)[] = [() => folder.close()];
  let killServer = (): void => {};
  const interrupts = listenForInterrupts(
    () => write(process.stderr, ["Stopping the server; press Ctrl-C again to exit now."]),
    async () => killServer(),
  );
  try {
    const { data, log, before } = folder;
    await endLeftServer(data);
    const ports = await portsOf(before, typed);
    folder.keep(ports);
    const { serveFleet } = await import("@quasar/fleet/serve");
    const object = await serveFleet({ key, port: ports.object });
    closing.push(() => object.close());
    const server = startRestateServer({ program, ports, data, log, env: process.env });
    killServer = () => server.kill();
    closing.push(() => server.stop());
    await server.ready(interrupts.signal);
    const url = `http://127.0.0.1:${ports.ingress}`;
    const admin = `http://127.0.0.1:${ports.admin}`;
    await registerFleet({ admin, url: object.url });
    tell({ url, admin, dir, log, keyPath: keyFile }, options.json);
    const how = await Promise.race([server.ended, aborted(interrupts.signal)]);
    if (!interrupts.signal.aborted) throw serverEnded(String(how), log);
    return exitOfInterrupt(interrupts, interrupts.signal.reason);
  } catch (error) {
    return exitOfInterrupt(interrupts, error);
  } finally {
    for (const close of closing.toReversed()) await close();
    interrupts.stop();
  }
}

/**
 * Those of the last time where they are free: workers call the same address, and the server finds the object.
 *
 * @param typed - The ingress's; 0: any that is free.
 */
async function portsOf(before: WantedPorts, typed: number | undefined): Promise<Ports> {
  const ports = await choosePorts({ ...before, ingress: typed ?? before.ingress });
  if (typed !== undefined && typed !== 0 && ports.ingress !== typed) throw portTaken(typed);
  return ports;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done());
  });
}

function portTaken(port: number): CliError {
  const next = ["quasar fleet up --port 0"];
  return new CliError("ERR_LOCKED", `port ${port} is taken, or may not be used`, { next });
}

type Told = Omit<FleetUpLine, "v" | "type">;

function tell(told: Told, json: true | undefined): void {
  if (json === true) {
    const line: FleetUpLine = { v: JSON_VERSION, type: "fleet_up", ...told };
    process.stdout.write(jsonLine(line));
    return;
  }
  const { url, dir, log, keyPath } = told;
  const view = viewOf(process.stdout);
  const depot = shellWord(join(dir, "depot.git"));
  const over = `--fleet ${url} --depot ${depot}`;
  const next = [
    `quasar depot init ${depot}   # once: over it machines exchange their work`,
    `quasar worker ${over}   # in another shell: it works on what is offered`,
    `quasar nebula apply DIR --auto ${over}   # in your repository`,
    `quasar fleet status --fleet ${url}   # who works on what`,
  ];
  write(process.stdout, [
    view.paint("bold", `fleet ${url}`),
    ...labelled(view, "key", shellWord(keyPath)),
    ...labelled(view, "data", shellWord(dir)),
    ...labelled(view, "log", shellWord(log)),
    ...nextLines(next, view),
  ]);
  write(process.stderr, ["Only this machine reaches it. Ctrl-C ends it; its data stays."]);
}
