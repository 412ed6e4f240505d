import { createHash } from "node:crypto";
import type { WatchPlan } from "./watcher.ts";

/** What differs from run to run in the names of files: ids, times, random endings. */
export const CHANCE: WatchPlan["chance"] = [
  [String.raw`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "*"],
  [String.raw`\d{8}-\d{6}-[0-9a-f]{6}`, "*"],
  [String.raw`\d{4}-\d\d-\d\dT[\d.:-]+Z?`, "*"],
  [String.raw`[0-9a-f]{8,}`, "*"],
  [String.raw`-[A-Za-z0-9]{6}(?=/|$)`, "-*"],
];

/** A number in [0, 1) that a text determines: what is chosen does not depend on the order of trials. */
export function chanceOf(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE() / 2 ** 32;
}
