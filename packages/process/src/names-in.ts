import { readdirSync } from "node:fs";
import { hasErrno } from "./errno.ts";

/** The names in a folder; none where there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return [];
    throw error;
  }
}
