import type { AgentEvent } from "@quasar/agents";
import type { Redactor } from "@quasar/agents/environment";
import { watchTurn } from "@quasar/agents/turns";
import { type RunFolders, storedTurn } from "../look/turn.ts";
import { loadRun } from "../store.ts";
import { cutText } from "../text/cut.ts";
import { storesIn } from "../tree/stores.ts";

/** What of an agent's work is for a reader: what it said and did. */
export type SaidEvent = Exclude<AgentEvent, { readonly type: "session" | "usage" }>;

/** What an agent said and did in a turn. */
export interface TranscriptFacts {
  readonly turnId: string;
  /** Whether the run knows the turn, and what its agent printed is still there. */
  readonly isKept: boolean;
  /** What it was asked, or the beginning of that; `""`: not kept. Not cleaned. */
  readonly prompt: string;
  /** Oldest first; the last of them where there are more than may be. Texts are not cleaned. */
  readonly events: readonly SaidEvent[];
  /** How many were before them. */
  readonly omittedCount: number;
}

export interface TranscriptOptions {
  /** The most that the texts of all events have, in UTF-16 code units; a longer event is cut. @default 256 Ki */
  readonly maxLength?: number | undefined;
}

const MOST = 256 * 1024;

/**
 * What the agent of a turn has said and done so far, or did. Takes no lock and writes nothing.
 *
 * @param turnId - `<run id>.<n>`.
 * @throws {CheckpointError} Where the run's state cannot be read.
 */
export async function readTranscript(
  folders: RunFolders,
  turnId: string,
  { maxLength = MOST }: TranscriptOptions = {},
): Promise<TranscriptFacts> {
  const { loaded } = await loadRun(storesIn(folders.dir, {}));
  const turn = loaded && storedTurn(folders, loaded.checkpoint, turnId);
  const kept = new Kept(maxLength);
  let prompt = "";
  const onPrompt = (text: string): void => void (prompt = text);
  const onEvent = (event: AgentEvent): void => kept.add(event);
  const isKept = turn !== undefined && (await watchTurn(turn, { onEvent, onPrompt }));
  return { turnId, isKept, prompt, ...kept.read() };
}

/** The same with secrets taken out of its texts. */
export function redactTranscript(transcript: TranscriptFacts, redact: Redactor): TranscriptFacts {
  const events = transcript.events.map((event) => mapTexts(event, redact));
  return { ...transcript, prompt: redact(transcript.prompt), events };
}

/** The newest events that fit. */
class Kept {
  readonly #most: number;
  readonly #events: SaidEvent[] = [];
  #omitted = 0;
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(event: AgentEvent): void {
    if (event.type === "session" || event.type === "usage") return;
    const added = mapTexts(event, (text) => cutText(text, this.#most));
    this.#events.push(added);
    this.#length += lengthOf(added);
    while (this.#length > this.#most && this.#events.length > 1) {
      const [first] = this.#events.splice(0, 1);
      this.#length -= first === undefined ? 0 : lengthOf(first);
      this.#omitted += 1;
    }
  }

  read(): Pick<TranscriptFacts, "events" | "omittedCount"> {
    return { events: this.#events, omittedCount: this.#omitted };
  }
}

function lengthOf(event: SaidEvent): number {
  let length = 0;
  mapTexts(event, (text) => {
    length += text.length;
    return text;
  });
  return length;
}

function mapTexts(event: SaidEvent, change: (text: string) => string): SaidEvent {
  switch (event.type) {
    case "text":
      return { ...event, text: change(event.text) };
    case "tool":
      return { ...event, name: change(event.name), detail: change(event.detail) };
    case "denied":
      return { ...event, what: change(event.what) };
    case "unpriced":
      return { ...event, model: change(event.model) };
    case "retry":
      return { ...event, message: change(event.message) };
  }
}
