import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type LiveMessage, snapshotOf } from "@quasar/page/live";
import { expect, onTestFinished, test } from "vitest";
import { aRun } from "../../../test/cockpit/facts.ts";
import type { Feed, Known } from "./feed.ts";
import { streamTo } from "./stream.ts";

/** How often something happens, and how many events each time: more than sockets hold. */
const [STEPS, EACH] = [12, 8];

/** A run of so many events, each of 100 KB. */
function after(count: number): Known {
  const events = Array.from({ length: count }, (_, n) => {
    return { at: "", type: "x", turnId: "", text: `${n + 1} ${"x".repeat(100_000)}` };
  });
  const facts = { kind: "run", run: aRun({ events }) } as const;
  const snapshot = snapshotOf({ facts, decisions: [], redactionDigest: "" });
  return { kind: "snapshot", snapshot };
}

test("a reader that is slower than what happens has each event once, and no message for each", async () => {
  const listeners = new Set<(known: Known) => void>();
  const feed: Pick<Feed, "listen"> = {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const server = createServer((_, response) => streamTo(response, feed, ""));
  server.listen(0, "127.0.0.1");
  onTestFinished(() => server.closeAllConnections());
  await once(server, "listening");
  const asked = get({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  for (let step = 1; step <= STEPS; step += 1) {
    const known = after(step * EACH);
    for (const listener of listeners) listener(known);
  }
  const seen: number[] = [];
  let messages = 0;
  let rest = "";
  for await (const piece of response.setEncoding("utf8") as AsyncIterable<string>) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    // Without comments, which keep a connection alive.
    for (const block of blocks.filter((each) => each !== ":")) {
      const { from, events } = JSON.parse(block.split("\ndata: ")[1] ?? "") as LiveMessage;
      expect(from).toBe(seen.length);
      messages += 1;
      seen.push(...events.map(({ text }) => Number.parseInt(text, 10)));
    }
    if (seen.length === STEPS * EACH) break;
  }
  expect(seen).toEqual(Array.from({ length: STEPS * EACH }, (_, n) => n + 1));
  expect(messages).toBeLessThan(STEPS);
  await expect.poll(() => listeners.size).toBe(0);
});
