import type { ServerResponse } from "node:http";
import { messageSince } from "@quasar/page/live";
import type { Feed, Known } from "./feed.ts";

/** Milliseconds between two signs of life. */
const ALIVE_MS = 15_000;

/**
 * Sends a reader what it lacks, now and as it comes. A slow reader gets the newest facts once it is ready, and every event.
 *
 * @param revision - That the reader has; `""`: none.
 */
export function streamTo(response: ServerResponse, feed: Feed, revision: string): void {
  let sent = revision;
  let waiting: Known | undefined;

  function send(known: Known): void {
    waiting = response.writableNeedDrain ? known : undefined;
    if (waiting !== undefined || known.kind === "nothing") return;
    if (known.kind === "problem") {
      response.write(`event: problem\ndata: ${JSON.stringify(known.words)}\n\n`);
      return;
    }
    const message = messageSince(known.snapshot, sent);
    sent = known.snapshot.revision;
    if (message !== "") response.write(message);
  }

  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8" });
  response.flushHeaders();
  const alive = setInterval(() => response.write(":\n\n"), ALIVE_MS);
  const stop = feed.listen(send);
  response.on("drain", () => {
    if (waiting !== undefined) send(waiting);
  });
  response.on("close", () => {
    clearInterval(alive);
    stop();
  });
}
