import { lstatSync } from "node:fs";
import { join } from "node:path";
import { DurableError, readWholeFile } from "@quasar/durable";

const MAX_BYTES = 2 ** 20;

/**
 * The scripts of a work tree's package.json, by name. One that is no regular file, has more than 1 MiB or is no JSON
 * counts as none; nothing is run.
 */
export function packageScripts(workTree: string): ReadonlyMap<string, string> {
  try {
    const bytes = readWholeFile(join(workTree, "package.json"), { maxBytes: MAX_BYTES });
    const json: unknown = JSON.parse(Buffer.from(bytes ?? []).toString());
    const scripts = [...entriesOf(entriesOf(json).get("scripts"))];
    return new Map(
      scripts.flatMap(([name, script]) => (typeof script === "string" ? [[name, script]] : [])),
    );
  } catch (error) {
    if (error instanceof DurableError || error instanceof SyntaxError) return new Map();
    throw error;
  }
}

/** Its own members only. */
function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  const isObject = typeof value === "object" && value !== null;
  return new Map<string, unknown>(isObject ? Object.entries(value) : []);
}

const LOCKFILES = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
] as const;

/** Who runs the scripts, by the lockfile that lies beside package.json. @returns `npm` where none does */
export function packageManagerOf(workTree: string): string {
  const isThere = (name: string): boolean =>
    lstatSync(join(workTree, name), { throwIfNoEntry: false })?.isFile() === true;
  return LOCKFILES.find(([name]) => isThere(name))?.[1] ?? "npm";
}
