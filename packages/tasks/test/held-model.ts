import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A model for scripted agents, of whom the coder waits after his first step until he is released. */
export interface HeldModel {
  readonly url: string;
  dispose(): void;
}

/** The first step of a turn costs 0.25, the others nothing. */
export async function aHeldModel(): Promise<HeldModel> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const answer = async (request: IncomingMessage): Promise<string> => {
    const asked = JSON.parse(await text(request)) as { role: string; step: number };
    if (asked.step > 0 && asked.role === "coder") await promise;
    return JSON.stringify({ costUsd: asked.step > 0 ? 0 : 0.25 });
  };
  const server = createServer((request, response) => {
    void answer(request).then((body) => response.end(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    resolve();
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, dispose: resolve };
}
