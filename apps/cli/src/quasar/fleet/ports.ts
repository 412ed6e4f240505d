import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";

/** What `quasar fleet up` listens on, all on this machine alone. */
export interface Ports {
  /** Where the server is called. */
  readonly ingress: number;
  readonly admin: number;
  /** Where the server's nodes would call each other. */
  readonly node: number;
  /** Where the server calls the fleet's object. */
  readonly object: number;
}

/** Those of them that somebody wants. */
export type WantedPorts = { readonly [Name in keyof Ports]?: number | undefined };

const LOOPBACK = "127.0.0.1";

/**
 * Ports that are free now: those that are wanted where they are.
 *
 * @returns Others than wanted where they are taken.
 */
export async function choosePorts(wanted: WantedPorts): Promise<Ports> {
  const held: Server[] = [];
  // All are held until the last is chosen, so that none is given twice.
  const choose = async (port: number | undefined): Promise<number> => {
    const server = (await hold(port ?? 0)) ?? (await hold(0));
    if (server === undefined) throw new Error("no port is free");
    held.push(server);
    return (server.address() as AddressInfo).port;
  };
  try {
    return {
      ingress: await choose(wanted.ingress),
      admin: await choose(wanted.admin),
      node: await choose(wanted.node),
      object: await choose(wanted.object),
    };
  } finally {
    await Promise.all(held.map((server) => new Promise((done) => server.close(done))));
  }
}

/** `undefined` where the port is taken, or not for this user. */
async function hold(port: number): Promise<Server | undefined> {
  const server = createServer();
  server.listen(port, LOOPBACK);
  try {
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}
