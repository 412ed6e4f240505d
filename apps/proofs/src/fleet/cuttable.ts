import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The way from one machine to a server, which can be cut. */
export interface Cuttable {
  readonly port: number;
  /** From now on nothing gets through, and nobody is warned: what is sent is not answered. */
  cut(): void;
  /** New connections get through; those of before are gone. */
  restore(): void;
  close(): Promise<void>;
}

/** Passes connections on to a port of this machine. */
export async function cuttable(target: number): Promise<Cuttable> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((from) => {
    keep(from);
    if (isCut) return;
    const to = connect(target, "127.0.0.1");
    keep(to);
    from.pipe(to).pipe(from);
    from.on("close", () => to.destroy());
    to.on("close", () => from.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const forget = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    restore() {
      isCut = false;
      forget();
    },
    async close() {
      server.close();
      forget();
      await once(server, "close");
    },
  };
}
