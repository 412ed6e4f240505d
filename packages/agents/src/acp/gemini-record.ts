import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { linesOf } from "../claude/transcript.ts";
import { parseLine } from "../json-line.ts";
import { isOfSystem } from "../patience.ts";
import { NO_TOKENS, type Tokens } from "../prices.ts";
import { isSessionId } from "../session-id.ts";
import { hasCode } from "../turn-files.ts";

/** A response, as Gemini CLI has written it down when it was whole. */
export interface GeminiResponse {
  readonly model: string;
  readonly tokens: Tokens;
}

/** What Gemini CLI has on record of a session. */
export interface GeminiRecord {
  readonly responses: readonly GeminiResponse[];
  /** Bytes on record since the last response; of all that is, where there was none. */
  readonly bytesSince: number;
  /** Whether what was said last to the model is answered. */
  readonly isAnswered: boolean;
}

const count = v.fallback(v.pipe(v.number(), v.finite(), v.minValue(0)), 0);

/** A message: of a person, of a tool, or of the model, whose uses of tools have no tokens of their own. */
const Message = v.object({
  id: v.string(),
  timestamp: v.string(),
  type: v.string(),
  model: v.fallback(v.string(), ""),
  tokens: v.nullish(
    v.object({
      input: count,
      output: count,
      cached: count,
      thoughts: count,
      tool: count,
      total: count,
    }),
  ),
});
type Message = v.InferOutput<typeof Message> & { readonly bytes: number };

/**
 * The record of a session; `undefined` where there is none that can be read.
 *
 * @param records - The folder of all: `<project>/chats/session-<minute>-<8 characters of the id>.jsonl`.
 * @see SPEC.md, "Cost of Gemini CLI"
 */
export function readGeminiRecord(records: string, sessionId: string): GeminiRecord | undefined {
  if (!isSessionId(sessionId)) return undefined;
  try {
    // Gemini CLI begins another one each time that it loads a session.
    const read = recordsOf(records, sessionId).map((path) => messagesIn(path, sessionId));
    return read.every((messages) => messages === undefined)
      ? undefined
      : recordOf(read.flatMap((messages) => messages ?? []));
  } catch (error) {
    // One that is too long to be read says nothing either.
    if (!isOfSystem(error) && !(error instanceof RangeError)) throw error;
    return undefined;
  }
}

function recordsOf(records: string, sessionId: string): readonly string[] {
  const ending = `-${sessionId.slice(0, 8)}.jsonl`;
  return namesIn(records).flatMap((project) => {
    const chats = join(records, project, "chats");
    return namesIn(chats)
      .filter((name) => name.startsWith("session-") && name.endsWith(ending))
      .map((name) => join(chats, name));
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, "ENOENT") || hasCode(error, "ENOTDIR")) return [];
    throw error;
  }
}

const Head = v.object({ sessionId: v.string() });

/** `undefined` for the record of another session whose id begins alike. */
function messagesIn(path: string, sessionId: string): readonly Message[] | undefined {
  const messages: Message[] = [];
  let isOfSession = false;
  for (const { line, bytes } of linesOf(path)) {
    isOfSession ||= parseLine(Head, line)?.sessionId === sessionId;
    if (!isOfSession) return undefined;
    const message = parseLine(Message, line);
    if (message !== undefined) messages.push({ ...message, bytes });
  }
  return isOfSession ? messages : undefined;
}

function recordOf(messages: readonly Message[]): GeminiRecord {
  // A message is written again when more is known of it.
  const responses = new Map<string, GeminiResponse & Pick<Message, "timestamp">>();
  for (const { id, timestamp, type, model, tokens } of messages) {
    if (type !== "gemini" || !tokens) continue;
    responses.set(id, { model, tokens: tokensOf(tokens), timestamp });
  }
  const inOrder = [...responses.values()].toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
  const last = inOrder.at(-1)?.timestamp ?? "";
  const since = messages.filter(({ timestamp }) => timestamp >= last);
  return {
    responses: inOrder,
    bytesSince: since.reduce((sum, { bytes }) => sum + bytes, 0),
    isAnswered: last !== "" && !since.some(isAsked(last)),
  };
}

/** Whether something was said to the model after a time. */
const isAsked =
  (last: string) =>
  ({ type, timestamp }: Message): boolean =>
    type === "user" && timestamp > last;

type Said = NonNullable<Message["tokens"]>;

/** Input holds what came from the cache; thoughts are beside the output, and billed like it. */
function tokensOf({ input, output, cached, thoughts, tool, total }: Said): Tokens {
  const sent = input + tool;
  return {
    ...NO_TOKENS,
    input: Math.max(0, sent - cached),
    cacheRead: Math.min(cached, sent),
    output: Math.max(output + thoughts, total - sent),
  };
}
