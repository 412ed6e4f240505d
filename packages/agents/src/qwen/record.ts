import { homedir } from "node:os";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { linesOf, recordsOf } from "../claude/transcript.ts";
import { parseLine } from "../json-line.ts";
import { mapTokens, NO_TOKENS, sumOf, type Tokens } from "../prices.ts";
import { isSessionId } from "../session-id.ts";
import { hasCode } from "../turn-files.ts";
import { qwenTokens } from "./event.ts";

/** What Qwen Code has on record of a session. */
export interface QwenRecord {
  /** All that it has used. */
  readonly used: Tokens;
  /** What its next request is sent of what was said before, at most. */
  readonly promptTokens: number;
}

/** Where Qwen Code keeps sessions, by the environment and the working directory that it is started with. */
export function qwenDir(
  env: Readonly<Record<string, string | undefined>>,
  workTree: string,
): string {
  const own = env["QWEN_RUNTIME_DIR"] ?? env["QWEN_HOME"];
  return resolve(workTree, own ?? join(env["HOME"] ?? homedir(), ".qwen"));
}

const count = v.optional(v.pipe(v.number(), v.finite(), v.minValue(0)), 0);

/** A response, to any request of the session. */
const Response = v.object({
  subtype: v.literal("ui_telemetry"),
  systemPayload: v.object({
    uiEvent: v.object({
      "event.name": v.literal("qwen-code.api_response"),
      input_token_count: count,
      output_token_count: count,
      cached_content_token_count: count,
      total_token_count: count,
    }),
  }),
});

/** The record of a session; `undefined` where there is none. @throws What the system says of one that cannot be read. */
export function readQwenRecord(dir: string, sessionId: string): QwenRecord | undefined {
  if (!isSessionId(sessionId)) return undefined;
  try {
    return recordsOf(dir, sessionId, "chats")
      .map(recordIn)
      .find((record) => record !== undefined);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function recordIn(path: string): QwenRecord | undefined {
  let [used, promptTokens, lines] = [NO_TOKENS, 0, 0];
  for (const { line, bytes } of linesOf(path)) {
    lines += 1;
    promptTokens += bytes;
    const response = parseLine(Response, line)?.systemPayload.uiEvent;
    if (response === undefined) continue;
    const tokens = qwenTokens({
      input: response.input_token_count,
      output: response.output_token_count,
      read: response.cached_content_token_count,
      total: response.total_token_count,
    });
    const before = used;
    used = mapTokens((key) => before[key] + tokens[key]);
    promptTokens = sumOf(tokens);
  }
  return lines === 0 ? undefined : { used, promptTokens };
}
