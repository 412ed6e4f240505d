import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { QUASAR } from "../blackbox/place.ts";
import { root as workspace } from "../workspace.ts";
import { signalAll } from "./processes.ts";

/** The server of a fleet with the object behind it: `quasar fleet up`. */
export interface Server {
  /** Of the ingress: the same each time. */
  readonly port: () => number;
  readonly keyFile: string;
  /** Resolves as soon as it takes calls. */
  start(): Promise<void>;
  /** Ends all of it at once. */
  kill(): Promise<void>;
}

/** @throws Where it was not installed. */
export function restateProgram(): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
  const installed = join(workspace, "packages/fleet/real/node_modules", name);
  const program = process.env["QUASAR_RESTATE_SERVER"] ?? installed;
  if (existsSync(program)) return program;
  throw new Error(
    "there is no restate-server: npm ci --prefix packages/fleet/real --ignore-scripts",
  );
}

export function makeServer(
  trial: string,
  given: Readonly<Record<string, string>>,
  program: string,
): Server {
  const root = join(trial, "server", "/");
  const home = join(root, "home");
  for (const each of [home, join(root, "tmp")]) mkdirSync(each, { recursive: true });
  const env = {
    ...{ ...given, HOME: home, TMPDIR: join(root, "tmp") },
    QUASAR_RESTATE_SERVER: program,
  };
  let port = 0;
  return {
    port: () => port,
    keyFile: join(home, ".config/quasar/fleet.key"),
    async start() {
      const args = [QUASAR, "fleet", "up", "--port", `${port}`, "--json"];
      const up = spawn(process.execPath, args, {
        ...{ cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true },
      });
      port = await portOf(up, join(root, "up.log"));
    },
    kill: () => signalAll(root, "SIGKILL"),
  };
}

function portOf(up: ChildProcess, log: string): Promise<number> {
  return new Promise((done, fail) => {
    up.once("exit", (code) =>
      fail(new Error(`quasar fleet up has ended with ${code}: see ${log}`)),
    );
    for (const stream of [up.stdout, up.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        appendFileSync(log, `${line}\n`);
        if (!line.startsWith("{")) return;
        const { type, url } = JSON.parse(line) as { type: string; url?: string };
        if (type === "fleet_up") done(Number(new URL(url ?? "").port));
      });
    }
  });
}
