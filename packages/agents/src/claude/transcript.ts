import { closeSync, readdirSync, readSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { parseLine } from "../json-line.ts";
import { createLineSplitter } from "../line-splitter.ts";
import { isSessionId } from "../session-id.ts";
import { hasCode, openTurnFile } from "../turn-files.ts";

const MAX_LINE_BYTES = 16 * 2 ** 20;
const CHUNK_BYTES = 2 ** 16;

/** What somebody has said. Claude Code writes down much else before. */
const Said = v.object({ type: v.picklist(["user", "assistant"]) });

/** Claude Code's own folder, by the environment and the working directory that it is started with. */
export function claudeConfigDir(
  env: Readonly<Record<string, string | undefined>>,
  workDir: string,
): string {
  const dir = env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? homedir(), ".claude");
  return resolve(workDir, dir.normalize("NFC"));
}

/**
 * Whether Claude Code has anything on record to go on from in a session, in whatever work tree. What
 * cannot be looked at may be there.
 *
 * @see SPEC.md, "Sessions of Claude Code"
 */
export function isOnRecord(configDir: string, sessionId: string): boolean {
  if (!isSessionId(sessionId)) return false;
  const projects = join(configDir, "projects");
  try {
    return readdirSync(projects).some((project) =>
      hasSaid(join(projects, project, `${sessionId}.jsonl`)),
    );
  } catch (error) {
    return !hasCode(error, "ENOENT");
  }
}

/** Reads up to the first entry that counts: the rest may be long. */
function hasSaid(path: string): boolean {
  const file = openTurnFile(path);
  if (file === undefined) return false;
  let said = 0;
  const lines = createLineSplitter(MAX_LINE_BYTES, (line) => {
    if (parseLine(Said, line) !== undefined) said += 1;
  });
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const bytes = readSync(file, chunk, 0, CHUNK_BYTES, null);
      lines.push(chunk.subarray(0, bytes));
      // The last line may lack its break; one that was cut off is no JSON.
      if (bytes === 0) lines.end();
      if (bytes === 0 || said > 0) return said > 0;
    }
  } finally {
    closeSync(file);
  }
}
