import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** What a test's model answers a request with; `hang` never does. */
export type ModelReply = { readonly status?: number; readonly body?: object } | "hang" | "drop";

export interface AskedStep {
  readonly header: string | undefined;
  readonly body: {
    readonly v: number;
    readonly session: string;
    readonly role: string;
    readonly step: number;
    readonly turn: number;
    readonly prompt_sha256: string;
  };
}

/** A model server on loopback, which a scripted agent is pointed at; it goes with the test. */
export async function aModelServer(
  reply: (step: number, asked: readonly AskedStep[]) => ModelReply | Promise<ModelReply>,
): Promise<{ readonly url: string; readonly asked: readonly AskedStep[] }> {
  const asked: AskedStep[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await text(request)) as AskedStep["body"];
    asked.push({ header: request.headers["x-quasar-turn"]?.toString(), body });
    const said = await reply(body.step, asked);
    if (said === "drop") {
      request.socket.destroy();
    } else if (said !== "hang") {
      response.writeHead(said.status ?? 200, { "content-type": "application/json" });
      response.end(JSON.stringify(said.body ?? {}));
    }
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/step`, asked };
}
