import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { parseLine } from "../json-line.ts";
import { createLineSplitter } from "../line-splitter.ts";
import { NO_TOKENS, sumOf, type Tokens, tokensBetween } from "../prices.ts";
import { CodexUsage } from "./event.ts";

/** A response, as Codex has written it down. */
export interface CodexResponse {
  readonly model: string | undefined;
  readonly tokens: Tokens;
  /** Tokens of the whole thread so far. */
  readonly total: number;
}

/** What Codex writes down of a thread itself, response by response, so that a kill loses little. */
export interface CodexLedger {
  readonly model?: string | undefined;
  /** Of the whole thread, over all turns. */
  readonly tokens?: Tokens | undefined;
  readonly responses: readonly CodexResponse[];
  /** Of what was written down after the last response. */
  readonly bytesSince: number;
}

const MAX_LINE_BYTES = 16 * 2 ** 20;
const CHUNK_BYTES = 2 ** 16;

const Entry = v.variant("type", [
  v.object({ type: v.literal("turn_context"), payload: v.object({ model: v.string() }) }),
  v.object({
    type: v.literal("token_usage_record"),
    payload: v.object({ usage: v.nullish(CodexUsage), thread_token_usage: CodexUsage }),
  }),
]);

/** Where the record of a thread is; `undefined` when there is none. */
export function findRollout(codexHome: string, threadId: string): string | undefined {
  const sessions = join(codexHome, "sessions");
  try {
    const names = readdirSync(sessions, { recursive: true, encoding: "utf8" });
    const name = names.find((each) => each.endsWith(`-${threadId}.jsonl`));
    return name === undefined ? undefined : join(sessions, name);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

/** Reads a record that grows: each time what is new of it. */
export interface RolloutReader {
  readonly ledger: CodexLedger;
  /** Reads on to the record's present end. */
  readOn(): void;
}

export function createRolloutReader(path: string): RolloutReader {
  const responses: CodexResponse[] = [];
  const ledger: { -readonly [K in keyof CodexLedger]: CodexLedger[K] } = {
    responses,
    bytesSince: 0,
  };
  const lines = createLineSplitter(MAX_LINE_BYTES, (line) => {
    const entry = parseLine(Entry, line);
    if (entry?.type === "turn_context") {
      ledger.model = entry.payload.model;
    } else if (entry) {
      const { usage, thread_token_usage: whole } = entry.payload;
      const tokens = usage ?? tokensBetween(ledger.tokens ?? NO_TOKENS, whole);
      responses.push({ model: ledger.model, tokens, total: sumOf(whole) });
      Object.assign(ledger, { tokens: whole, bytesSince: 0 });
      return;
    }
    ledger.bytesSince += Buffer.byteLength(line);
  });
  let at = 0;
  return {
    ledger,
    readOn() {
      const file = openSync(path, "r");
      try {
        const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        for (;;) {
          const bytes = readSync(file, chunk, 0, CHUNK_BYTES, at);
          at += bytes;
          if (bytes === 0) {
            return;
          }
          // What is kept of a line that is too long is noise.
          lines.push(chunk.subarray(0, bytes));
        }
      } finally {
        closeSync(file);
      }
    },
  };
}

/**
 * Reads the record of a thread, the part of it that is there.
 *
 * @param codexHome - Codex's own folder, `~/.codex` by default.
 * @see SPEC.md, "Cost of Codex"
 */
export function readCodexLedger(codexHome: string, threadId: string): CodexLedger {
  const path = findRollout(codexHome, threadId);
  if (path === undefined) {
    return { responses: [], bytesSince: 0 };
  }
  const reader = createRolloutReader(path);
  reader.readOn();
  return reader.ledger;
}
