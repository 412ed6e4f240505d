import { runProgram } from "@quasar/process";
import { cleanLine } from "./clean.ts";

/** An agent's program that was found. */
export interface DetectedAgent {
  readonly kind: "claude" | "codex";
  /** As it says itself: `2.1.329`; `""` when it does not answer. */
  readonly version: string;
}

const PROGRAMS = ["claude", "codex"] as const;
const TIMEOUT_MS = 10_000;
/** What it says of its version is at the beginning. */
const MAX_BYTES = 1 << 16;
const NOT_THERE: ReadonlySet<string | undefined> = new Set(["ENOENT", "EACCES"]);

async function detect(
  kind: DetectedAgent["kind"],
  signal: AbortSignal | undefined,
): Promise<DetectedAgent | undefined> {
  let said = "";
  const stdout = (chunk: Buffer): "enough" | undefined => {
    said += chunk.toString("latin1");
    return said.length > MAX_BYTES ? "enough" : undefined;
  };
  const program = { file: kind, args: ["--version"], cwd: process.cwd(), env: process.env };
  const end = await runProgram<"enough">(program, { stdout, timeoutMs: TIMEOUT_MS, signal });
  signal?.throwIfAborted();
  if (end.kind === "not-started") {
    return NOT_THERE.has(end.error.code) ? undefined : { kind, version: "" };
  }
  const version =
    end.exitCode === 0 ? /\d+\.\d+\.\d+[\w.-]*/.exec(cleanLine(said))?.[0] : undefined;
  return { kind, version: version ?? "" };
}

/** Which agents are installed: on the PATH of this process, with the versions they say they are. */
export async function detectAgents(
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly DetectedAgent[]> {
  const found = await Promise.all(PROGRAMS.map((kind) => detect(kind, options.signal)));
  return found.filter((agent) => agent !== undefined);
}
