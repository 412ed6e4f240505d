import type { Readable } from "node:stream";
import { type Program, runProgram } from "@quasar/process";

/** A program to be run to its end, and its output kept. */
export interface ProcessSpec extends Omit<Program, "file"> {
  /** What it reads from its stdin, which is closed otherwise. */
  readonly input: string | Readable | undefined;
  /** Ends it when aborted. */
  readonly signal: AbortSignal | undefined;
  readonly encoding: "utf8" | "latin1";
  /** Of either output that is kept, in bytes: it is ended when it writes more. */
  readonly maxOutput: number;
  /** Takes stdout piece by piece, whatever its size: none of it is kept. It throws nothing. @default it is kept */
  readonly onStdout?: ((chunk: Buffer) => void) | undefined;
  /** It may leave something running that holds its outputs open: they are not waited for then. */
  readonly leavesOthers: boolean;
  /** False: it can ask nobody for anything, and is stopped with all that it has started. @default true */
  readonly hasTerminal?: boolean | undefined;
}

/** How a program ended. */
export interface ProcessEnd {
  /** `undefined` where it has no code of its own: it never began, or was killed. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** What went wrong about the process, whatever its code is. */
  readonly problem: NodeJS.ErrnoException | undefined;
}

function passOn(take: (chunk: Buffer) => void): (chunk: Buffer) => undefined {
  return (chunk) => {
    take(chunk);
  };
}

/** Runs a program to its end, without a shell. Never rejects. */
export async function runProcess(file: string, spec: ProcessSpec): Promise<ProcessEnd> {
  const { args, cwd, env, input, signal, encoding, maxOutput, leavesOthers, hasTerminal } = spec;
  const { onStdout } = spec;
  const keep = (chunks: Buffer[]) => {
    let size = 0;
    return (chunk: Buffer): "output" | undefined => {
      size += chunk.length;
      if (size > maxOutput) return "output";
      chunks.push(chunk);
      return undefined;
    };
  };
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  const end = await runProgram<"output">(
    { file, args, cwd, env },
    {
      input,
      signal,
      stdout: onStdout === undefined ? keep(stdout) : passOn(onStdout),
      stderr: keep(stderr),
      readUntil: leavesOthers ? "exit" : "close",
      group: hasTerminal === false ? "left" : "shared",
    },
  );
  const text = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString(encoding);
  const said = { stdout: text(stdout), stderr: text(stderr) };
  if (end.kind === "not-started") return { exitCode: undefined, ...said, problem: end.error };
  const { exitCode, exitSignal, stopped, problem } = end;
  const why =
    stopped === "output"
      ? `it wrote more than ${maxOutput} bytes`
      : exitSignal && `it was ended by ${exitSignal}`;
  return {
    exitCode,
    ...said,
    problem: problem ?? (why === undefined ? undefined : new Error(why)),
  };
}
