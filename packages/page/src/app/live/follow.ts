import { type Assembled, assemble } from "../../live/assemble.ts";
import { createEventParser, type ServerSentEvent } from "../../live/event-stream.ts";
import type { LiveMessage } from "../../live/protocol.ts";
import type { Server } from "./server.ts";

/** How the page is connected. `refused`: its token is not the server's. */
export type Link = "connecting" | "live" | "lost" | "refused";

export interface Followed {
  readonly onFacts: (assembled: Assembled) => void;
  readonly onLink: (link: Link) => void;
  /** Why the facts cannot be read now; `""`: they can again. */
  readonly onProblem: (words: string) => void;
}

/** Milliseconds: the first wait before it connects again, the longest, and a silence that no server keeps. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS, SILENCE_MS] = [250, 4000, 45_000];

/** Follows the facts for as long as the page is there, over servers that end and computers that sleep. */
export async function follow(server: Server, followed: Followed): Promise<void> {
  let assembled: Assembled | undefined;
  let waitMs = FIRST_WAIT_MS;

  function take({ type, id, data }: ServerSentEvent): void {
    if (type === "problem") return followed.onProblem(JSON.parse(data) as string);
    assembled = assemble(assembled, id, JSON.parse(data) as LiveMessage);
    if (assembled === undefined) throw new Error("the stream does not follow on what is here");
    followed.onFacts(assembled);
  }

  async function readStream(): Promise<"refused" | "ended"> {
    const silence = createSilence();
    const response = await server.openEvents(assembled?.revision ?? "", silence.signal);
    if (response.status === 401 || response.status === 403) return "refused";
    if (!response.ok || response.body === null) return "ended";
    followed.onLink("live");
    followed.onProblem("");
    waitMs = FIRST_WAIT_MS;
    const parse = createEventParser();
    const pieces = response.body.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (;;) {
        const { done, value } = await pieces.read();
        if (done) return "ended";
        silence.broken();
        parse(value).forEach(take);
      }
    } finally {
      silence.end();
    }
  }

  for (;;) {
    const end = await readStream().catch(() => "ended" as const);
    followed.onLink(end === "refused" ? "refused" : "lost");
    if (end === "refused") return;
    await waitOrWake(waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** Aborts what nothing is heard of: a connection may be dead after a sleep without anybody saying so. */
function createSilence() {
  const controller = new AbortController();
  const begin = () => setTimeout(() => controller.abort(), SILENCE_MS);
  let timer = begin();
  return {
    signal: controller.signal,
    broken() {
      clearTimeout(timer);
      timer = begin();
    },
    end: () => clearTimeout(timer),
  };
}

/** Shorter where a reader comes back to the page. */
async function waitOrWake(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    document.addEventListener("visibilitychange", over);
  });
}
