import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { nodeFileSystem as fs } from "@quasar/durable";
import type { OutputVerdict } from "./receipt.ts";
import type { ReceiptPaths } from "./receipt-id.ts";

/** What a command wrote to one of its outputs. */
export interface OutputDigest {
  readonly sha256: string;
  readonly bytes: number;
}

/** A receipt's claim; a receipt of the seed's format says nothing of sizes. */
type Claim = { readonly sha256: string; readonly bytes?: number | undefined };

const CHUNK_BYTES = 2 ** 18;

/** The digest of a whole file, however large; `undefined` where there is none, or a link or folder. */
export function digestOutput(path: string): OutputDigest | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  if (fs.lstat(path)?.kind !== "file") return undefined;
  const fd = fs.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const sha256 = createHash("sha256");
    const chunk = new Uint8Array(CHUNK_BYTES);
    let bytes = 0;
    for (;;) {
      const count = fs.read(fd, chunk, 0, CHUNK_BYTES);
      if (count === 0) return { sha256: sha256.digest("hex"), bytes };
      sha256.update(chunk.subarray(0, count));
      bytes += count;
    }
  } finally {
    fs.close(fd);
  }
}

/** Whether the kept outputs are those that were hashed; the worse of the two. */
export function judgeOutputs(paths: ReceiptPaths, stdout: Claim, stderr: Claim): OutputVerdict {
  const verdicts = [judgeOutput(paths.stdout, stdout), judgeOutput(paths.stderr, stderr)];
  return (["modified", "missing"] as const).find((bad) => verdicts.includes(bad)) ?? "matches";
}

function judgeOutput(path: string, claim: Claim): OutputVerdict {
  const stat = fs.lstat(path);
  if (stat === undefined) return "missing";
  if (claim.bytes !== undefined && claim.bytes !== stat.size) return "modified"; // unread
  return digestOutput(path)?.sha256 === claim.sha256 ? "matches" : "modified";
}
