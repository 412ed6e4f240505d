import { system } from "./system.ts";

/**
 * How many files this process may have open, and what it starts: infinite where there is no limit, `undefined` where
 * nobody can know.
 */
export function openFilesLimit(): number | undefined {
  return system.openFiles();
}
