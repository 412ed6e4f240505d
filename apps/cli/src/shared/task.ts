import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { CliError } from "./errors.ts";
import { decode, readInput } from "./read-input.ts";

/** More than a person writes, less than an agent's prompt may hold. */
export const MAX_TASK_BYTES = 256 * 1024;

export interface TaskSource {
  /** The command's argument; `-` is standard input. */
  readonly argument: string | undefined;
  /** Path given with `-f`; `-` is standard input. */
  readonly file: string | undefined;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  /** The command that is told to try again. @default "quasar run" */
  readonly command?: string | undefined;
}

/**
 * The text of the task.
 *
 * @throws {CliError} `ERR_TASK` when there is none, two, or one that no prompt can hold.
 */
export async function readTask(source: TaskSource): Promise<string> {
  const { argument, file, command = "quasar run" } = source;
  const next = [`${command} "Fix the login form"`, `${command} -f task.md`, `… | ${command} -`];
  if (argument !== undefined && file !== undefined) {
    throw new CliError("ERR_TASK", "give the task as text or with -f, not both", { next });
  }
  const given = file ?? argument;
  if (given === undefined) {
    throw new CliError("ERR_TASK", "which task? There is none to work on", { next });
  }
  if (given === "-") return checked(await readStream(source.stdin), next);
  if (file === undefined) return checked(given, next);
  if (file === "" || file.includes("\0")) {
    throw new CliError("ERR_TASK", "-f needs the path of a file", { next });
  }
  const path = resolve(source.cwd, file);
  const text = readInput(path, { maxBytes: MAX_TASK_BYTES, code: "ERR_TASK", followLink: true });
  if (text === undefined) {
    throw new CliError("ERR_TASK", `there is no file ${path}`, {
      next: [`${command} -f <a file that holds the task>`],
    });
  }
  return checked(text, next);
}

function checked(text: string, next: readonly string[]): string {
  const task = text.toWellFormed().replaceAll("\r\n", "\n").trim();
  if (task === "") throw new CliError("ERR_TASK", "the task is empty", { next });
  if (Buffer.byteLength(task) > MAX_TASK_BYTES) throw tooLarge();
  // oxlint-disable-next-line no-control-regex
  if (/\u0000/u.test(task)) throw new CliError("ERR_TASK", "the task holds a NUL character");
  return task;
}

async function readStream(stream: TaskSource["stdin"]): Promise<string> {
  if (stream.isTTY === true) process.stderr.write("Type the task, then Ctrl-D:\n");
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    total += bytes.length;
    if (total > MAX_TASK_BYTES) throw tooLarge();
    chunks.push(bytes);
  }
  const text = decode(Buffer.concat(chunks));
  if (text === undefined) throw new CliError("ERR_TASK", "standard input is not UTF-8 text");
  return text;
}

function tooLarge(): CliError {
  const message = `the task is larger than ${MAX_TASK_BYTES} bytes`;
  return new CliError("ERR_TASK", message, {
    next: ["put the long part into a file of the repository, and name that file in the task"],
  });
}
