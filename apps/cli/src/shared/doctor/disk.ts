import { shellWord, size } from "@quasar/runs/text";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** A file system that a run writes to. */
export interface DiskFacts {
  /** What of a run is on it, in words. */
  readonly holds: readonly string[];
  /** A folder on it. */
  readonly path: string;
  readonly freeBytes: number;
  /** How many files can still be made; `undefined`: as many as there is room for. */
  readonly freeFiles: number | undefined;
}

const MIB = 1024 ** 2;

/** What one turn may print is kept whole: the longest of them alone are larger than this. */
const FEW_BYTES = { problem: 64 * MIB, warning: 1024 * MIB };
/** A run makes some dozens of files a cycle; builds and installs of its agents make thousands. */
const FEW_FILES = { problem: 500, warning: 20_000 };

/** Whether there is room for what a run writes. */
export function diskFinding(disk: DiskFacts): Finding {
  const { holds, path, freeBytes, freeFiles = Number.POSITIVE_INFINITY } = disk;
  const what = holds.join(", ");
  const [bytes, files] = [size(freeBytes), freeFiles.toLocaleString("en-US")];
  const isIn = (few: "problem" | "warning"): boolean =>
    freeBytes < FEW_BYTES[few] || freeFiles < FEW_FILES[few];
  if (!isIn("warning")) return ok("disk", `${bytes} free: ${what}`);
  const isFewFiles = freeFiles < FEW_FILES.warning;
  const few = isFewFiles ? `only room for ${files} files` : `only ${bytes} free`;
  const message = `${freeBytes === 0 ? "full" : few}: ${what}`;
  const next = [`df -${isFewFiles ? "i" : "h"} ${shellWord(path)}`];
  return isIn("problem") ? problem("disk", message, next) : warning("disk", message, next);
}
