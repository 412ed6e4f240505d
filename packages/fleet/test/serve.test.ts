import { connect } from "node:http2";
import { expect, onTestFinished, test } from "vitest";
import { serveFleet } from "../src/serve.ts";

const KEY = "0123456789abcdef".repeat(4);

/** What the object says of itself when a server registers it. */
async function discovered(identityKeys: readonly string[] = []): Promise<{
  readonly status: number;
  readonly text: string;
}> {
  const { url, close } = await serveFleet({ key: KEY, identityKeys });
  const session = connect(url);
  onTestFinished(async () => {
    session.destroy();
    await close();
  });
  const accept = "application/vnd.restate.endpointmanifest.v4+json";
  const stream = session.request({ ":path": "/discover", accept });
  const status = new Promise<number>((done) => {
    stream.once("response", (headers) => done(Number(headers[":status"])));
  });
  let text = "";
  for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString();
  return { status: await status, text };
}

interface Manifest {
  readonly services: readonly {
    readonly name: string;
    readonly handlers: readonly Readonly<Record<string, unknown>>[];
  }[];
}

test("no handler keeps a journal, and none is ever paused or given up", async () => {
  const { status, text } = await discovered();
  expect(status).toBe(200);
  const { services } = JSON.parse(text) as Manifest;
  expect(services.map(({ name }) => name)).toEqual(["nebula"]);
  const handlers = services[0]?.handlers ?? [];
  expect(handlers.length).toBe(14);
  for (const handler of handlers) {
    expect(handler).toMatchObject({
      journalRetention: 0,
      idempotencyRetention: 60_000,
      enableLazyState: true,
      retryPolicyMaxAttempts: 1_000_000_000,
      retryPolicyMaxInterval: 500,
    });
  }
});

test("what changes something is exclusive, the fence too; the index is written by the object alone", async () => {
  const { services } = JSON.parse((await discovered()).text) as Manifest;
  const handlers = services[0]?.handlers ?? [];
  const named = (isMeant: (handler: Readonly<Record<string, unknown>>) => boolean) =>
    new Set(handlers.filter(isMeant).map(({ name }) => name));
  expect(named(({ ty }) => ty === "SHARED")).toEqual(
    new Set(["status", "look", "events", "bell", "list"]),
  );
  expect(named(({ ingressPrivate }) => ingressPrivate === true)).toEqual(new Set(["enlist"]));
});

test("with the key of a server, nobody else is answered", async () => {
  const key = "publickeyv1_2G8dCQhArfvGpzPw5Vx2ALciR4xCLHfS5YaT93XjNxX9";
  expect((await discovered([key])).status).toBe(401);
});
