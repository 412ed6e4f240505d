import { closeSync, readdirSync, readSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { parseLine } from "../json-line.ts";
import { createLineSplitter } from "../line-splitter.ts";
import { isSessionId } from "../session-id.ts";
import { promptOf } from "../prices.ts";
import { hasCode, openTurnFile } from "../turn-files.ts";
import { Usage } from "./event.ts";

const MAX_LINE_BYTES = 16 * 2 ** 20;
const CHUNK_BYTES = 2 ** 16;

/** What somebody has said. Claude Code writes down much else before. */
const Said = v.object({ type: v.picklist(["user", "assistant"]) });

/** Claude Code's own folder, by the environment and the working directory that it is started with. */
export function claudeConfigDir(
  env: Readonly<Record<string, string | undefined>>,
  workTree: string,
): string {
  const dir = env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? homedir(), ".claude");
  return resolve(workTree, dir.normalize("NFC"));
}

/**
 * Whether Claude Code has anything on record to continue from in a session, in whatever work tree. What
 * cannot be read may be there.
 *
 * @see SPEC.md, "Sessions of Claude Code"
 */
export function isOnRecord(configDir: string, sessionId: string, within?: string): boolean {
  if (!isSessionId(sessionId)) return false;
  try {
    return recordsOf(configDir, sessionId, within).some(hasSaid);
  } catch (error) {
    return !hasCode(error, "ENOENT");
  }
}

/**
 * Where a session may be on record: each work tree has a folder of its own.
 *
 * @param within - The folder in that.
 */
export function recordsOf(
  configDir: string,
  sessionId: string,
  within: string = "",
): readonly string[] {
  const projects = join(configDir, "projects");
  return readdirSync(projects).map((name) => join(projects, name, within, `${sessionId}.jsonl`));
}

function hasSaid(path: string): boolean {
  for (const { line } of linesOf(path)) if (parseLine(Said, line) !== undefined) return true;
  return false;
}

/** A response, in one line or in several with its id; a subagent's are in a side chain. */
const Response = v.object({
  type: v.literal("assistant"),
  isSidechain: v.optional(v.boolean(), false),
  message: v.object({ id: v.string(), usage: Usage }),
});

/**
 * How many tokens the next request of a session is sent of what was said before, at most: what the last
 * response was sent and has said, and a token for each byte on record since that response began. 0 where
 * nothing is on record, infinite where that cannot be read.
 */
export function tokensOnRecord(configDir: string, sessionId: string): number {
  if (!isSessionId(sessionId)) return 0;
  try {
    return Math.max(0, ...recordsOf(configDir, sessionId).map(tokensOf));
  } catch (error) {
    return hasCode(error, "ENOENT") ? 0 : Number.POSITIVE_INFINITY;
  }
}

function tokensOf(path: string): number {
  let tokens = 0;
  let last = "";
  for (const { line, bytes } of linesOf(path)) {
    const response = parseLine(Response, line);
    if (response?.isSidechain === false && response.message.id !== last) {
      const { id, usage } = response.message;
      last = id;
      tokens = promptOf(usage) + usage.output;
    }
    tokens += bytes;
  }
  return tokens;
}

/** The lines of a file, read only as far as they are asked for. @throws RangeError - One is too long to be read. */
export function* linesOf(
  path: string,
): Generator<{ readonly line: string; readonly bytes: number }> {
  const file = openTurnFile(path);
  if (file === undefined) return;
  let read: string[] = [];
  const lines = createLineSplitter(MAX_LINE_BYTES, (line, isCut) => {
    if (isCut) throw new RangeError(`${path}: a line is too long`);
    read.push(line);
  });
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    for (let isEnd = false; !isEnd; ) {
      const bytes = readSync(file, chunk, 0, CHUNK_BYTES, null);
      isEnd = bytes === 0;
      lines.push(chunk.subarray(0, bytes));
      // The last line may lack its break; one that was cut off is no JSON.
      if (isEnd) lines.end();
      for (const line of read) yield { line, bytes: Buffer.byteLength(line) };
      read = [];
    }
  } finally {
    closeSync(file);
  }
}
