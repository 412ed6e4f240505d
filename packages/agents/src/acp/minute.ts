import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const MINUTE_MS = 60_000;
/** Timers may be early. */
const SLACK_MS = 100;

/**
 * Waits until Gemini CLI may load a session: it begins a record of its own for one that it loads, named by the minute,
 * and writes over the session's where that was begun in the same minute.
 *
 * @param records - Its folder of records: `<project>/chats/session-2026-11-26T16-25-<8 characters of the id>.jsonl`.
 */
export async function untilLoadable(records: string, sessionId: string): Promise<void> {
  for (;;) {
    const now = Date.now();
    if (!(await hasRecord(records, recordOf(sessionId, now)))) return;
    await sleep(MINUTE_MS - (now % MINUTE_MS) + SLACK_MS);
  }
}

/** The name of a record that is begun now. */
function recordOf(sessionId: string, now: number): string {
  const minute = new Date(now).toISOString().slice(0, "2026-11-26T16:25".length);
  return `session-${minute.replaceAll(":", "-")}-${sessionId.slice(0, 8)}.jsonl`;
}

async function hasRecord(records: string, name: string): Promise<boolean> {
  const projects = await readdir(records).catch(() => []);
  const found = await Promise.all(
    projects.map((project) =>
      access(join(records, project, "chats", name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
