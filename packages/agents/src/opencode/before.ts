import * as v from "valibot";
import type { AgentRequest } from "../agent.ts";
import { lineByLine } from "../line-splitter.ts";
import { openOutput } from "../output-reader.ts";
import { MAX_OUTPUT_TOKENS } from "../prices.ts";
import { contextOf, type TurnFiles, turnsBefore } from "../turn-files.ts";
import { createOpencodeMeter } from "./meter.ts";
import { createOpencodeReader } from "./reader.ts";

const Context = v.object({ firstPrompt: v.pipe(v.number(), v.minValue(0)) });

/** More than any model takes: where nothing is known of a session, the model's window is the limit. */
const UNKNOWN_TOKENS = 1e9;

/** How much a turn's first request sent at most, by what is kept with the turn. */
export function firstPromptIn(context: unknown): number {
  const parsed = v.safeParse(Context, context);
  return parsed.success ? parsed.output.firstPrompt : UNKNOWN_TOKENS;
}

/**
 * Tokens of the session that a turn is to continue, at most: what its last response was sent and said, and a token a
 * byte that its tools said since. The files of the run's earlier turns tell: OpenCode's own record is no text.
 */
export function tokensOfSession(request: AgentRequest): number {
  const { resumesSession = false, sessionId, turnsDir } = request;
  if (!resumesSession || sessionId === undefined) return 0;
  if (turnsDir === undefined) return UNKNOWN_TOKENS;
  for (const files of turnsBefore(turnsDir, request)) {
    const tokens = tokensIn(files, sessionId);
    if (tokens !== undefined) return tokens;
  }
  return UNKNOWN_TOKENS;
}

const nobody = () => undefined;

/** @returns `undefined` for a turn in another session, or in none. */
function tokensIn(files: TurnFiles, sessionId: string): number | undefined {
  const firstPrompt = firstPromptIn(contextOf(files));
  const meter = createOpencodeMeter({ maxOutput: MAX_OUTPUT_TOKENS, firstPrompt });
  const { reading, read } = createOpencodeReader(nobody, meter);
  const output = openOutput(files, { onLines: lineByLine(read) });
  if (output === undefined) return undefined;
  try {
    // Its first lines name a session, if it has one.
    while (output.readOn() && reading.sessionId === sessionId);
  } finally {
    output.close();
  }
  return reading.sessionId === sessionId ? meter.nextPrompt() : undefined;
}
