import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { ATLAS } from "./atlas/harness.ts";
import { type Finished, MAIN, type Place } from "./harness.ts";

/** A folder of links to programs that are here, and to no others. */
export function linksTo(bin: string, programs: readonly string[]): string {
  mkdirSync(bin, { recursive: true });
  for (const program of programs) {
    const file = execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();
    symlinkSync(file, join(bin, program));
  }
  return bin;
}

/** The same place, whose user has both commands on the PATH. */
export function withCommands<P extends Place>(at: P): P & { readonly bin: string } {
  const bin = join(at.outside, "bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(MAIN, join(bin, "quasar"));
  symlinkSync(ATLAS, join(bin, "atlas"));
  const { PATH = "" } = at.env;
  const path = [bin, dirname(process.execPath), PATH].join(delimiter);
  return { ...at, bin, env: { ...at.env, PATH: path } };
}

/** Types a line in a shell, as it stands. */
export function type(
  at: Place,
  line: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const begun = performance.now();
  const child = spawn("sh", ["-c", line], {
    cwd: at.repo,
    env: { ...at.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  onTestFinished(() => void child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      resolve({ code, signal, stdout, stderr, ms: performance.now() - begun });
    });
  });
}

/** What a command says to type next, as a person takes it: without what stands in parentheses behind it. */
export function advised({
  stdout,
  stderr,
}: Pick<Finished, "stdout" | "stderr">): readonly string[] {
  const lines = (stdout + stderr).split("\n");
  const first = lines.findIndex((line) => line.startsWith("  next     "));
  if (first < 0) return [];
  const after = lines.slice(first + 1);
  const end = after.findIndex((line) => !line.startsWith(" ".repeat(11)));
  return [lines[first] ?? "", ...after.slice(0, end < 0 ? after.length : end)].map((line) =>
    line.slice(11).replace(/ +\([^()]*(?:\([^()]*\)[^()]*)*\)$/u, ""),
  );
}

/** The one advice that begins so. @param text - What a person writes in the place of `…`. */
export function advice(
  said: Pick<Finished, "stdout" | "stderr">,
  beginning: string,
  text: string = "Write",
): string {
  const found = advised(said).filter((line) => line.startsWith(beginning));
  expect(found, said.stdout + said.stderr).toHaveLength(1);
  return (found[0] ?? "").replace("…", text);
}
