import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createFleetPort, type FleetPort, registerFleet } from "../src/index.ts";
import { type RestateServer, restateServer } from "./restate-server.ts";

/** A server with the object behind it, each a process of its own. */
export interface Fleet {
  readonly server: RestateServer;
  readonly key: string;
  port(patienceMs?: number): FleetPort;
  /** Sets the object's clock forward, or back. */
  jump(ms: number): Promise<void>;
  killObject(): Promise<void>;
  startObject(): Promise<void>;
  /** Stops the object's process, or has it continue. */
  signalObject(signal: "SIGSTOP" | "SIGCONT"): void;
  close(): Promise<void>;
}

export async function aFleet(): Promise<Fleet> {
  const server = await restateServer();
  const key = randomBytes(32).toString("hex");
  const ports: FleetPort[] = [];
  let [objectPort, skewMs] = ["0", 0];
  let object: ChildProcess | undefined;

  const next = (child: ChildProcess): Promise<unknown> =>
    new Promise((done, fail) => {
      child.once("message", done);
      child.once("exit", () => fail(new Error("the object's process has ended")));
    });

  const setClock = async (child: ChildProcess): Promise<void> => {
    const set = next(child);
    child.send(skewMs);
    await set;
  };

  const fleet: Fleet = {
    ...{ server, key },
    port(patienceMs) {
      const port = createFleetPort({ url: server.ingress, key, patienceMs });
      ports.push(port);
      return port;
    },
    async jump(ms) {
      skewMs += ms;
      if (object !== undefined) await setClock(object);
    },
    async killObject() {
      const ended = object;
      if (ended === undefined) return;
      object = undefined;
      const isOver = new Promise((done) => ended.once("exit", done));
      ended.kill("SIGKILL");
      await isOver;
    },
    async startObject() {
      object = fork(join(import.meta.dirname, "object-program.ts"), [objectPort], {
        execArgv: ["--conditions=@quasar/source"],
        env: { ...process.env, FLEET_KEY: key },
      });
      const url = String(await next(object));
      objectPort = new URL(url).port;
      await setClock(object);
    },
    signalObject: (signal) => void object?.kill(signal),
    async close() {
      for (const each of ports) each.close();
      await fleet.killObject();
      await server.close();
    },
  };
  await fleet.startObject();
  await registerFleet({ admin: server.admin, url: `http://127.0.0.1:${objectPort}` });
  return fleet;
}
