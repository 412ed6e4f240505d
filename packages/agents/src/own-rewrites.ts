import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { isDeepStrictEqual } from "node:util";

/** A file of the work tree, in JSON, into which an agent writes a key of its own when it starts: data, as it goes to another process. */
export interface OwnRewrite {
  readonly path: string;
  /** What the file holds before. */
  readonly text: string;
  readonly key: string;
}

const MAX_BYTES = 2 ** 20;
const { O_RDONLY, O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;

/** What an agent may write a key into; nothing where there is no such file, or it holds no object. */
export function ownRewrites(path: string, key: string): readonly OwnRewrite[] {
  const text = withFile(path, O_RDONLY, textOf);
  return text === undefined || objectIn(text) === undefined ? [] : [{ path, text, key }];
}

/** Gives a file back what it held, if nothing else of it has changed. */
export function undoRewrite({ path, text, key }: OwnRewrite): void {
  withFile(path, O_RDWR, (fd) => {
    const now = textOf(fd);
    if (now === text || !isDeepStrictEqual(without(key, now), without(key, text))) return;
    ftruncateSync(fd);
    writeSync(fd, text, 0);
  });
}

/** `undefined` for what is no regular file, or cannot be had: no link is followed, no pipe waited for. */
function withFile<T>(path: string, flags: number, act: (fd: number) => T): T | undefined {
  try {
    const fd = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() && stat.size <= MAX_BYTES ? act(fd) : undefined;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return undefined;
    throw error;
  }
}

const textOf = (fd: number): string => readFileSync(fd, "utf8");

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What else a text holds; a text that holds no object equals none. */
function without(key: string, text: string): unknown {
  const entries = Object.entries(objectIn(text) ?? { [text]: text });
  return Object.fromEntries(entries.filter(([name]) => name !== key));
}
