import { setFlagsFromString } from "node:v8";

/** From so many bytes on, memory matters more than time. */
const MUCH = 120 * 1024 * 1024;

/** Has V8 give new objects no more room than they have: a burst of events would double it several times, for good. */
export function keepMemorySmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Has V8 tidy this process's memory often, or seldom. Often while much happens, and while there is much of it; an
 * idle screen may not cost so much time.
 */
export function tidyMemory(isMuchNew: boolean): void {
  const isOften = isMuchNew || process.memoryUsage.rss() > MUCH;
  setFlagsFromString(isOften ? "--optimize-for-size" : "--no-optimize-for-size");
}
