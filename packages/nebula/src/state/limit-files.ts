import { createHash } from "node:crypto";
import { join } from "node:path";
import { readWholeFile, removeFile, replaceFile } from "@quasar/durable";
import { makeFolders } from "@quasar/process/files";
import * as v from "valibot";

/** An agent's usage limit. */
export interface Limit {
  /** Milliseconds since 1970. */
  readonly until: number;
  /** How often it was met since a turn of the agent succeeded. */
  readonly tries: number;
}

/** Limits by the agent's name; a `Map` is one. */
export interface LimitStore {
  get(agent: string): Limit | undefined;
  set(agent: string, limit: Limit): void;
  delete(agent: string): void;
}

/** Milliseconds since 1970 of the last time that a date can be. */
const LAST_MS = 8.64e15;

const limit = v.object({
  agent: v.string(),
  until: v.pipe(v.number(), v.safeInteger(), v.maxValue(LAST_MS)),
  tries: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
});

/**
 * Usage limits that all engines of a user know, of whatever repository: a file for each agent. One that is not whole
 * counts as none.
 */
export class LimitFiles implements LimitStore {
  readonly #folder: string;

  /** @param stateFolder - The user's folder for state: `$XDG_STATE_HOME/quasar`. */
  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, "limits");
  }

  get(agent: string): Limit | undefined {
    try {
      const bytes = readWholeFile(this.path(agent), { maxBytes: 4096 });
      const text = Buffer.from(bytes ?? []).toString();
      return text === "" ? undefined : v.parse(limit, JSON.parse(text));
    } catch {
      return undefined;
    }
  }

  set(agent: string, { until, tries }: Limit): void {
    makeFolders(this.#folder);
    const text = `${JSON.stringify({ agent, until, tries })}\n`;
    replaceFile(this.path(agent), Buffer.from(text), { keepPrevious: false });
  }

  delete(agent: string): void {
    removeFile(this.path(agent));
  }

  /** Absolute path of an agent's file. */
  path(agent: string): string {
    const name = createHash("sha256").update(agent).digest("hex").slice(0, 16);
    return join(this.#folder, `${name}.json`);
  }
}
