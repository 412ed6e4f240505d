import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { parseLine } from "../json-line.ts";
import { createLineSplitter } from "../line-splitter.ts";
import type { Tokens } from "../prices.ts";
import { CodexUsage } from "./event.ts";

/** What Codex writes down of a thread itself, response by response, so that a kill loses little. */
export interface CodexLedger {
  readonly model?: string | undefined;
  /** Of the whole thread, over all turns. */
  readonly tokens?: Tokens | undefined;
}

const MAX_LINE_BYTES = 16 * 2 ** 20;

const Entry = v.variant("type", [
  v.object({ type: v.literal("turn_context"), payload: v.object({ model: v.string() }) }),
  v.object({
    type: v.literal("token_usage_record"),
    payload: v.object({ thread_token_usage: CodexUsage }),
  }),
]);

/** Codex's own folder, by the environment that it is started with. */
export const codexHomeOf = (env: Readonly<Record<string, string | undefined>>): string =>
  env["CODEX_HOME"] ?? join(env["HOME"] ?? homedir(), ".codex");

async function findRollout(codexHome: string, threadId: string): Promise<string | undefined> {
  const sessions = join(codexHome, "sessions");
  try {
    const names = await readdir(sessions, { recursive: true });
    const name = names.find((each) => each.endsWith(`-${threadId}.jsonl`));
    return name === undefined ? undefined : join(sessions, name);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

/**
 * Reads the record of a thread, the part of it that is there.
 *
 * @param codexHome - Codex's own folder, `~/.codex` by default.
 * @see SPEC.md, "Cost of Codex"
 */
export async function readCodexLedger(codexHome: string, threadId: string): Promise<CodexLedger> {
  const path = await findRollout(codexHome, threadId);
  const ledger: { -readonly [K in keyof CodexLedger]: CodexLedger[K] } = {};
  if (path === undefined) {
    return ledger;
  }
  const lines = createLineSplitter(MAX_LINE_BYTES, (line) => {
    const entry = parseLine(Entry, line);
    if (entry?.type === "turn_context") {
      ledger.model = entry.payload.model;
    } else if (entry) {
      ledger.tokens = entry.payload.thread_token_usage;
    }
  });
  for await (const chunk of createReadStream(path)) {
    if (!lines.push(chunk as Buffer)) {
      break;
    }
  }
  return ledger;
}
