import { closeSync, readSync } from "node:fs";
import { isAlive } from "@quasar/durable";
import type { AgentProcess } from "@quasar/loop";
import type { ChildOutcome } from "./child.ts";
import { readExitRecord } from "./exit-record.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { openTurnFile, type TurnFiles } from "./turn-files.ts";

export interface FollowOptions {
  readonly onLine: (line: string) => unknown;
  /** Has its listener called when there is more to read. @default looked for every 50 ms */
  readonly onPoke?: ((listener: () => void) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Has the agent stopped. */
  readonly cancel: () => void;
}

/** How a followed turn ended; `recorded`: as its supervisor has written it down. */
export type FollowedOutcome = ChildOutcome & { readonly recorded: boolean };

const LOOK_MS = 50;
const CHUNK_BYTES = 1 << 20;
/** More than any limit lets a supervisor write as one line. */
const MAX_LINE_BYTES = 256 * 2 ** 20;

/** Reads a turn's output on from where it was, line by line. */
interface OutputReader {
  readOn(): void;
  close(): void;
}

function openOutput(path: string, onLine: (line: string) => unknown): OutputReader | undefined {
  const fd = openTurnFile(path);
  if (fd === undefined) {
    return undefined;
  }
  const lines = createLineSplitter(MAX_LINE_BYTES, onLine);
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let at = 0;
  return {
    readOn() {
      for (;;) {
        const size = readSync(fd, chunk, 0, chunk.length, at);
        if (size === 0) return;
        at += size;
        if (!lines.push(Buffer.from(chunk.subarray(0, size)))) return;
      }
    },
    close: () => closeSync(fd),
  };
}

/** Reads all whole lines that are there; `undefined`: no agent was ever started. */
export function readOutput(path: string, onLine: (line: string) => unknown): true | undefined {
  const output = openOutput(path, onLine);
  output?.readOn();
  output?.close();
  return output && true;
}

/**
 * Reads a turn's output to its end, as it comes. Resolves when the turn has ended, however.
 *
 * A listener that throws has the turn cancelled; its error is thrown on when that has ended.
 */
export async function follow(
  files: TurnFiles,
  owner: AgentProcess | undefined,
  { onLine, onPoke, signal, cancel }: FollowOptions,
): Promise<FollowedOutcome> {
  let output: OutputReader | undefined;
  const startedAt = performance.now();
  let wake = (): void => undefined;
  let thrown: { readonly error: unknown } | undefined;
  const read = (line: string): void => {
    if (thrown) return;
    try {
      onLine(line);
    } catch (error) {
      thrown = { error };
      cancel();
    }
  };
  onPoke?.(() => wake());
  const onAbort = () => cancel();
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) cancel();
  try {
    for (;;) {
      // In this order: what ends a turn is looked for before its output is read for the last time.
      const isDead = owner === undefined || isAlive(owner) === false;
      const record = readExitRecord(files.path("exit"));
      output ??= openOutput(files.path("out"), read);
      output?.readOn();
      if (thrown && (record || isDead)) throw thrown.error;
      if (record !== undefined) {
        return { ...record, recorded: true };
      }
      if (isDead) {
        return {
          started: output !== undefined,
          exitCode: null,
          exitSignal: "SIGKILL",
          stderrTail: "",
          durationMs: Math.round(performance.now() - startedAt),
          orphansEnded: 0,
          recorded: false,
        };
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    output?.close();
    signal?.removeEventListener("abort", onAbort);
  }
}
