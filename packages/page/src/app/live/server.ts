import type { TranscriptFacts } from "@quasar/runs/facts";
import {
  type Decision,
  type DecisionMade,
  type DecisionNote,
  LIVE_PATHS,
} from "../../live/protocol.ts";
import type { ShownDiff } from "../../shown.ts";
import type { Source } from "../source.ts";

/** The server of the page: each request has the token. */
export interface Server extends Source {
  /** The change that a person is asked about, or why it is another one by now. */
  readChange(about: Decision): Promise<ShownDiff | DecisionNote>;
  decide(made: DecisionMade): Promise<DecisionNote>;
  /** @param revision - That the page has; `""`: none. */
  openEvents(revision: string, signal: AbortSignal): Promise<Response>;
}

export function serverOf(token: string): Server {
  const headers = { authorization: `Bearer ${token}` };

  async function get<Answer>(path: string, query: Record<string, string>): Promise<Answer> {
    const response = await fetch(`${path}?${new URLSearchParams(query)}`, { headers });
    // What is another one by now is answered with why.
    if (response.ok || response.status === 409) return (await response.json()) as Answer;
    throw new Error(`${path} was answered with ${response.status}`);
  }

  return {
    isLive: true,
    async readTranscript(turn) {
      const read = await get<TranscriptFacts | null>(LIVE_PATHS.transcript, { turn });
      return read ?? undefined;
    },
    async readDiff(sha) {
      return (await get<ShownDiff | null>(LIVE_PATHS.diff, { sha })) ?? undefined;
    },
    readChange: ({ phase, digest }) => get(LIVE_PATHS.change, { phase, digest }),
    async decide(made) {
      const sent = { "content-type": "application/json", ...headers };
      const body = JSON.stringify(made);
      const response = await fetch(LIVE_PATHS.decide, { method: "POST", headers: sent, body });
      return (await response.json()) as DecisionNote;
    },
    openEvents(revision, signal) {
      const known = revision === "" ? {} : { "last-event-id": revision };
      return fetch(LIVE_PATHS.events, { headers: { ...headers, ...known }, signal });
    },
  };
}
