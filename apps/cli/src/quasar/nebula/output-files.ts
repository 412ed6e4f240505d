import { readFileSync } from "node:fs";
import { listReceipts, receiptPaths } from "@quasar/receipts";

/**
 * The files with the outputs that findings show a part of, by the finding: those of the last command of that text whose
 * output has the finding's last line.
 *
 * @param dir - Of the nebula's receipts.
 */
export function outputFiles(dir: string, findings: readonly string[]): ReadonlyMap<string, string> {
  const failed = listReceipts(dir)
    .filter(({ exitCode }) => exitCode !== 0)
    .toReversed();
  return new Map(
    findings.flatMap((finding) => {
      const last = finding.trimEnd().split("\n").at(-1) ?? "";
      const paths = failed
        .filter(({ command }) => finding.includes(`[verify] ${command} `))
        .flatMap(({ receiptId }) => {
          const { stdout, stderr } = receiptPaths(dir, receiptId);
          return [stderr, stdout];
        });
      const path = paths.find((each) => textOf(each).includes(last));
      return path === undefined ? [] : [[finding, path] as const];
    }),
  );
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
