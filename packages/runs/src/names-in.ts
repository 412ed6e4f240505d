import { readdirSync } from "node:fs";
import { codeOf } from "./errors.ts";

/** What a folder holds; nothing where there is none. */
export function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
