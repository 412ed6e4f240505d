import { closeSync, type FSWatcher, readSync, watch } from "node:fs";
import { basename } from "node:path";
import { eachSecond, isAlive, type ProcessIdentity } from "@quasar/process";
import type { ChildOutcome } from "./child.ts";
import { type ExitRecord, readExitRecord } from "./exit-record.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { patiently } from "./patience.ts";
import { readSupervisorErrors } from "./supervisor-errors.ts";
import { openTurnFile, type TurnFiles } from "./turn-files.ts";

export interface FollowOptions {
  readonly onLine: (line: string) => unknown;
  /** Has its listener called when there is more to read. @default seen by the folder of the turn's files */
  readonly onPoke?: ((listener: () => void) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Has the agent stopped. Called again where the system fails it. */
  readonly cancel: () => void;
}

/** How a followed turn ended; `recorded`: as its supervisor has written it down. */
export type FollowedOutcome = ChildOutcome & {
  readonly recorded: boolean;
  /** How much of its output is not there any more. @default 0 */
  readonly lostBytes?: number | undefined;
  readonly workIsSynced?: boolean | undefined;
};

/** How long it is waited for more after a sign of new output, which may come line by line. */
const GATHER_MS = 50;
const CHUNK_BYTES = 1 << 20;
/** More than any limit lets a supervisor write as one line. */
const MAX_LINE_BYTES = 256 * 2 ** 20;

/** Reads a turn's output on from where it was, line by line. */
interface OutputReader {
  readOn(): void;
  /** How many bytes there were. */
  size(): number;
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
    size: () => at,
    close: () => closeSync(fd),
  };
}

/** Reads all whole lines that are there, and says how many bytes; `undefined`: no agent was ever started. */
export function readOutput(path: string, onLine: (line: string) => unknown): number | undefined {
  const output = openOutput(path, onLine);
  try {
    output?.readOn();
    return output?.size();
  } finally {
    output?.close();
  }
}

/** Why a supervisor ended before its agent, in a line, if it could say so. */
function readErrors(files: TurnFiles): string {
  const lines = readSupervisorErrors(files).split("\n");
  const said = lines.findLast((line) => /Error|FATAL/.test(line)) ?? lines.at(-1) ?? "";
  return said === "" ? "" : `its supervisor failed: ${said}`;
}

/** @param size - How many bytes of output there are; `undefined`: none. */
export function recordedOutcome(record: ExitRecord, size: number = 0): FollowedOutcome {
  const lostBytes = (record.outBytes ?? 0) - size;
  return { ...record, recorded: true, ...(lostBytes > 0 && { lostBytes }) };
}

/** What wakes the reader of a turn. */
interface Bell {
  /** Resolves at the next sign of something new, or within a second: not every file system gives one. */
  rings(): Promise<void>;
  ring(): void;
  close(): void;
}

/** Rings as the turn's files change. What comes before somebody waits is not kept: look, then wait. */
function createBell(files: TurnFiles): Bell {
  let wake = (): void => undefined;
  let gathering: NodeJS.Timeout | undefined;
  const ring = (): void => wake();
  const [out, exit] = ["out", "exit"].map((ending) => basename(files.path(ending)));
  const watcher = tryToWatch(files.dir, (name) => {
    if (name === exit) ring();
    else if (name === out) gathering ??= setTimeout(ring, GATHER_MS);
  });
  const endLooks = eachSecond(ring, { keepsAlive: true });
  return {
    ring,
    async rings() {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = () => undefined;
      clearTimeout(gathering);
      gathering = undefined;
    },
    close() {
      endLooks();
      clearTimeout(gathering);
      watcher?.close();
    },
  };
}

/** `undefined` where the system watches nothing for us: then it is looked from time to time. */
function tryToWatch(dir: string, onChange: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(dir, (_, name) => onChange(name));
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/**
 * Reads a turn's output to its end, as it comes. Resolves when the turn has ended, however.
 *
 * A listener that throws has the turn cancelled; its error is thrown on when that has ended.
 *
 * @throws {AgentsError} `ERR_TURN_UNREADABLE`: the turn may go on.
 */
export async function follow(
  files: TurnFiles,
  owner: ProcessIdentity | undefined,
  { onLine, onPoke, signal, cancel }: FollowOptions,
): Promise<FollowedOutcome> {
  let output: OutputReader | undefined;
  const startedAt = performance.now();
  let thrown: { readonly error: unknown } | undefined;
  let cancelling: "no" | "wanted" | "told" = "no";
  const read = (line: string): void => {
    if (thrown) return;
    try {
      onLine(line);
    } catch (error) {
      thrown = { error };
      cancelling = "wanted";
    }
  };
  const look = () => {
    // In this order: what ends a turn is looked for before its output is read for the last time.
    const isDead = owner === undefined || isAlive(owner) === false;
    const record = readExitRecord(files.path("exit"));
    output ??= openOutput(files.path("out"), read);
    output?.readOn();
    return { isDead, record };
  };
  const bell = createBell(files);
  onPoke?.(bell.ring);
  const onAbort = () => {
    cancelling = "wanted";
    bell.ring();
  };
  signal?.addEventListener("abort", onAbort);
  if (signal?.aborted) onAbort();
  const isCancelling = () => cancelling === "wanted";
  try {
    for (;;) {
      const { isDead, record } = await patiently(look);
      if (isCancelling()) {
        await patiently(cancel);
        cancelling = "told";
      }
      if (thrown && (record || isDead)) throw thrown.error;
      if (record !== undefined) {
        return recordedOutcome(record, output?.size());
      }
      if (isDead) {
        return {
          started: output !== undefined,
          exitCode: null,
          exitSignal: "SIGKILL",
          stderrTail: await patiently(() => readErrors(files)),
          durationMs: Math.round(performance.now() - startedAt),
          orphansEnded: 0,
          recorded: false,
        };
      }
      if (!isCancelling()) await bell.rings();
    }
  } finally {
    bell.close();
    output?.close();
    signal?.removeEventListener("abort", onAbort);
  }
}
