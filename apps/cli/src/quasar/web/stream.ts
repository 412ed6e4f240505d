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
export function streamTo(
  response: ServerResponse,
  feed: Pick<Feed, "listen">,
  revision: string,
): void {
  let sent = revision;
  let problem = "";
  let waiting: Known | undefined;

  function send(known: Known): void {
    waiting = response.writableNeedDrain ? known : undefined;
    if (waiting !== undefined || known.kind === "nothing") return;
    tellProblem(known.kind === "problem" ? known.words : "");
    if (known.kind === "problem") return;
    const message = messageSince(known.snapshot, sent);
    sent = known.snapshot.revision;
    if (message !== "") response.write(message);
  }

  /** Also that there is none any more. */
  function tellProblem(words: string): void {
    if (words !== problem) response.write(`event: problem\ndata: ${JSON.stringify(words)}\n\n`);
    problem = words;
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
