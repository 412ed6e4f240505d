import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A server of this machine's own: nobody else reaches it, and its data goes with it. */
export interface RestateServer {
  readonly ingress: string;
  readonly admin: string;
  /** Where its data is. */
  readonly dir: string;
  /** Ends it, and waits until it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it with the data that it has, and waits until it takes calls. */
  start(): Promise<void>;
  /** Ends it, and removes its data. */
  close(): Promise<void>;
}

const PLATFORM_PACKAGE = `@restatedev/restate-server-${process.platform}-${process.arch}`;

/** The program: as the environment names it, on the PATH, or as `npm ci` has installed it here. */
function findProgram(): string {
  const named = process.env["QUASAR_RESTATE_SERVER"];
  const onPath = (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((dir) => join(dir, "restate-server"));
  const installed = join(
    import.meta.dirname,
    "node_modules",
    PLATFORM_PACKAGE,
    "bin/restate-server",
  );
  const found = [...(named === undefined ? onPath : [named]), installed].find((path) =>
    existsSync(path),
  );
  if (found !== undefined) return found;
  throw new Error("there is no restate-server: npm ci --prefix packages/fleet/real");
}

/** Starts a server with data of its own. */
export async function restateServer(): Promise<RestateServer> {
  const program = findProgram();
  const dir = mkdtempSync(join(realpathSync(tmpdir()), "quasar-restate-"));
  const [node, ingress, admin] = await freePorts(3);
  const env = {
    ...{ RESTATE_DISABLE_TELEMETRY: "true", DO_NOT_TRACK: "1", RESTATE_LISTEN_MODE: "tcp" },
    // Small, for a machine that does more than this.
    ...{ RESTATE_DEFAULT_NUM_PARTITIONS: "4", RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256MB" },
    ...addresses("RESTATE_", node),
    ...addresses("RESTATE_INGRESS__", ingress),
    ...addresses("RESTATE_ADMIN__", admin),
  };
  const log = join(dir, "server.log");
  let child: ChildProcess | undefined;

  const urls = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
  const server: RestateServer = {
    ...{ ...urls, dir },
    async kill(signal) {
      const ended = child;
      if (ended === undefined) return;
      child = undefined;
      const isOver = new Promise((done) => ended.once("exit", done));
      // Whatever is on the PATH may be a small program that starts the server: they are one group.
      if (ended.exitCode === null && ended.pid !== undefined) process.kill(-ended.pid, signal);
      await isOver;
    },
    async start() {
      const args = ["--no-logo", "--node-name", "quasar-test", "--cluster-name", "quasar-test"];
      const out = openSync(log, "a");
      child = spawn(program, [...args, "--base-dir", join(dir, "data")], {
        env: { PATH: process.env["PATH"], HOME: dir, ...env },
        stdio: ["ignore", out, out],
        detached: true,
      });
      await healthy(`${urls.admin}/health`, log);
      await healthy(`${urls.ingress}/restate/health`, log);
    },
    async close() {
      await server.kill("SIGKILL");
      rmSync(dir, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

function addresses(prefix: string, port: number): Record<string, string> {
  return {
    [`${prefix}BIND_ADDRESS`]: `127.0.0.1:${port}`,
    [`${prefix}ADVERTISED_ADDRESS`]: `http://127.0.0.1:${port}/`,
  };
}

async function healthy(url: string, log: string): Promise<void> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const isUp = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await sleep(50);
  }
  throw new Error(`${url} does not answer: ${readFileSync(log, "utf8").slice(-2000)}`);
}

/** Ports that are free now, all at once, so that none is given twice. */
async function freePorts(count: number): Promise<readonly [number, number, number]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((done) => {
          server.listen(0, "127.0.0.1", () => done((server.address() as AddressInfo).port));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports as unknown as readonly [number, number, number];
}
