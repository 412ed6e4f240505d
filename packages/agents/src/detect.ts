import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { cleanLine } from "./clean.ts";

/** An agent's program that was found. */
export interface DetectedAgent {
  readonly kind: "claude" | "codex";
  /** As it says itself: `2.1.329`; `""` when it does not answer. */
  readonly version: string;
}

const PROGRAMS = ["claude", "codex"] as const;
const TIMEOUT_MS = 10_000;

async function detect(
  kind: DetectedAgent["kind"],
  signal: AbortSignal | undefined,
): Promise<DetectedAgent | undefined> {
  try {
    const options = { timeout: TIMEOUT_MS, maxBuffer: 1 << 16, signal };
    const { stdout } = await promisify(execFile)(kind, ["--version"], options);
    return { kind, version: /\d+\.\d+\.\d+[\w.-]*/.exec(cleanLine(stdout))?.[0] ?? "" };
  } catch (error) {
    signal?.throwIfAborted();
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" || code === "EACCES" ? undefined : { kind, version: "" };
  }
}

/** Which agents are installed: on the PATH of this process, with the versions they say they are. */
export async function detectAgents(
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly DetectedAgent[]> {
  const found = await Promise.all(PROGRAMS.map((kind) => detect(kind, options.signal)));
  return found.filter((agent) => agent !== undefined);
}
