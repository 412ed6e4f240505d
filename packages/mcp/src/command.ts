import { runProgram } from "@quasar/process";
import { McpError } from "./errors.ts";

/** How the commands of this program are started: file and first arguments, without a shell. */
export interface OwnCommands {
  readonly quasar: Argv;
  readonly atlas: Argv;
}

export type Argv = readonly [file: string, ...args: string[]];

export interface AskOptions {
  /** The work tree. */
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

/** The line that a command prints last with `--json`. */
export type Answer = Readonly<Record<string, unknown>>;

/**
 * Asks a command that only reads, and gives what it says: also that it was refused.
 *
 * @throws {McpError} `ERR_COMMAND` where it says nothing that can be read
 */
export async function askCommand(
  [file, ...first]: Argv,
  args: readonly string[],
  { cwd, signal }: AskOptions,
): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const end = await runProgram<"long">(
    { file, args: [...first, ...args, "--json"], cwd, env: process.env },
    {
      stdout(chunk) {
        size += chunk.length;
        chunks.push(chunk);
        return size > MOST_BYTES ? "long" : undefined;
      },
      readUntil: "close",
      timeoutMs: 60_000,
      signal,
    },
  );
  const answer = end.kind === "ended" ? lastLine(Buffer.concat(chunks).toString()) : undefined;
  if (answer !== undefined) return answer;
  throw new McpError("ERR_COMMAND", `quasar ${args[0] ?? ""} gave no answer`);
}

const MOST_BYTES = 8 * 1024 * 1024;

/** The object that stands in the last line; `undefined`: none does. */
export function lastLine(text: string): Answer | undefined {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return parsed(line);
}

/** The object that a line is; `undefined`: it is none. */
export function parsed(line: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Answer) : undefined;
  } catch {
    return undefined;
  }
}
