import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aDirectory } from "./request.ts";

/** What a real agent printed, as lines. */
export function aSample(name: string): string[] {
  const file = new URL(`samples/${name}`, import.meta.url);
  return readFileSync(file, "utf8").trim().split("\n");
}

/** A program that ignores its arguments, prints the lines and ends with the exit code. */
export function aProgramThatPrints(
  lines: readonly string[],
  exitCode: number = 0,
  stderr: string = "",
): string {
  const dir = aDirectory();
  writeFileSync(join(dir, "out"), lines.map((line) => `${line}\n`).join(""));
  writeFileSync(join(dir, "err"), stderr);
  return aShellScript(`cat '${dir}/out'; cat '${dir}/err' >&2; exit ${exitCode}`);
}

/** A program of a line of shell. */
export function aShellScript(script: string): string {
  const file = join(aDirectory(), "agent");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o700);
  return file;
}
