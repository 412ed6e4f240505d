/** Serves the object that a Restate server calls: the whole SDK is in this entry alone. */
import { createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { SERVICE } from "./client/port.ts";
import { type FleetKey, requireKey } from "./mac.ts";
import { fleetObject } from "./object/object.ts";

export interface ServeOptions {
  readonly key: FleetKey;
  /** @default an address of this machine that others do not reach */
  readonly host?: string | undefined;
  /** @default one that is free */
  readonly port?: number | undefined;
  /** What the object is called at the server. @default `nebula` */
  readonly service?: string | undefined;
  /** Public keys of the server (`publickeyv1_…`): nobody else is answered. @default all that reach it */
  readonly identityKeys?: readonly string[] | undefined;
}

export interface Served {
  /** Where the server reaches it: to be registered there. */
  readonly url: string;
  close(): Promise<void>;
}

/** @throws The system's error where the port is taken. */
export async function serveFleet(options: ServeOptions): Promise<Served> {
  const { key, host = "127.0.0.1", port = 0, service = SERVICE, identityKeys = [] } = options;
  requireKey(key);
  const handler = createEndpointHandler({
    services: [fleetObject(service, key)],
    // The messages of a call are its caller's.
    logger: () => {},
    ...(identityKeys.length > 0 ? { identityKeys: [...identityKeys] } : {}),
  });
  const server = createServer(handler);
  const sessions = new Set<{ destroy(): void; on(event: "close", done: () => void): unknown }>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(port, host, done);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${taken}`,
    close() {
      for (const session of sessions) session.destroy();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
