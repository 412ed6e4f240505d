import * as v from "valibot";
import { mayHoldToken } from "../secrets/tokens.ts";

/** Joins what an agent says in pieces, so that a secret in pieces is one when it is searched for. */
export interface ChunkJoiner {
  /** @param message - What the line is; `undefined` for no JSON. @returns Lines to be kept, in their order. */
  add(line: string, message: Readonly<Record<string, unknown>> | undefined): readonly string[];
  /** @returns What was not whole yet. */
  end(): readonly string[];
}

const PIECES = ["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"] as const;

const Piece = v.looseObject({
  method: v.literal("session/update"),
  params: v.looseObject({
    sessionId: v.unknown(),
    update: v.looseObject({
      sessionUpdate: v.picklist(PIECES),
      messageId: v.optional(v.unknown()),
      content: v.looseObject({ type: v.literal("text"), text: v.string() }),
    }),
  }),
});
type Piece = v.InferOutput<typeof Piece>;

/** After these comes something else, whatever is said next. */
const PAUSES: ReadonlySet<unknown> = new Set(["tool_call", "tool_call_update"]);

const Update = v.object({
  method: v.literal("session/update"),
  params: v.object({ update: v.object({ sessionUpdate: v.string() }) }),
});

interface Held {
  readonly piece: Piece;
  text: string;
}

/**
 * @param isNotice - Whether a piece is whole, and no part of the text around it.
 * @param most - How many characters are held of one text; of a longer one a part is kept, up to a gap between words,
 *   as no secret has one.
 */
export function createChunkJoiner(
  most: number,
  isNotice: (text: string) => boolean = () => false,
): ChunkJoiner {
  // Insertion order: what began first is kept first.
  const held = new Map<string, Held>();
  const flush = (kind: string, length: number = Number.POSITIVE_INFINITY): readonly string[] => {
    const entry = held.get(kind);
    if (entry === undefined || length === 0) return [];
    const text = entry.text.slice(0, length);
    entry.text = entry.text.slice(text.length);
    if (entry.text === "") held.delete(kind);
    return [lineOf(entry.piece, text)];
  };
  const flushAll = (lengthOf: (text: string) => number = all): readonly string[] =>
    [...held].flatMap(([kind, { text }]) => flush(kind, lengthOf(text)));
  return {
    add(line, message) {
      const { success, output: piece } = v.safeParse(Piece, message);
      if (!success) return [...flushAll(LENGTHS[gapBy(message)]), line];
      const { sessionUpdate, content } = piece.params.update;
      if (isNotice(content.text)) return [...flush(sessionUpdate), line];
      const before = held.get(sessionUpdate);
      const isNext = before !== undefined && isSameText(before.piece, piece);
      const kept = before === undefined || isNext ? [] : flush(sessionUpdate);
      const entry = isNext ? before : { piece, text: "" };
      entry.text += content.text;
      held.set(sessionUpdate, entry);
      if (entry.text.length <= most) return kept;
      return [...kept, ...flush(sessionUpdate, gapIn(entry.text, most))];
    },
    end: () => flushAll(),
  };
}

const isSameText = ({ params: a }: Piece, { params: b }: Piece): boolean =>
  a.sessionId === b.sessionId && a.update.messageId === b.update.messageId;

function lineOf(piece: Piece, text: string): string {
  const { params } = piece;
  const update = { ...params.update, content: { ...params.update.content, text } };
  return JSON.stringify({ ...piece, params: { ...params, update } });
}

/** The last gap between words before a length; that length where there is none. */
function gapIn(text: string, most: number): number {
  const gap = text.slice(0, most).search(/\s\S*$/);
  return gap <= 0 ? most : gap;
}

/** What a message does to a text: nothing, as other updates come in the midst of it; an answer ends it. */
type Gap = "none" | "pause" | "end";

function gapBy(message: Readonly<Record<string, unknown>> | undefined): Gap {
  if (message === undefined) return "none";
  if ("id" in message) return "method" in message ? "pause" : "end";
  const { success, output } = v.safeParse(Update, message);
  return success && PAUSES.has(output.params.update.sessionUpdate) ? "pause" : "none";
}

const all = ({ length }: string): number => length;

/** How much of a text is kept then. The beginning of a token waits for its rest: half of one is not found. */
const LENGTHS: Readonly<Record<Gap, (text: string) => number>> = {
  none: () => 0,
  pause: (text) => {
    const word = text.search(/\s\S*$/u) + 1;
    return mayHoldToken(text.slice(word)) ? word : text.length;
  },
  end: all,
};
