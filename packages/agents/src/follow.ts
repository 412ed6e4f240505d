import { type FSWatcher, watch } from "node:fs";
import { basename } from "node:path";
import { eachSecond, isAlive, type ProcessIdentity } from "@quasar/process";
import type { ChildOutcome } from "./child.ts";
import { AgentsError } from "./errors.ts";
import { type ExitRecord, readExitRecord } from "./exit-record.ts";
import { openOutput, type OutputListener, type OutputReader } from "./output-reader.ts";
import { patiently } from "./patience.ts";
import { readSupervisorErrors } from "./supervisor-errors.ts";
import { lacksRoom } from "./spare-room.ts";
import type { TurnFiles } from "./turn-files.ts";

export interface FollowOptions extends OutputListener {
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
  readonly omittedBytes?: number | undefined;
  readonly workIsSynced?: boolean | undefined;
  /** Its end is not recorded because the disk was full. @default false */
  readonly isDiskFull?: boolean | undefined;
};

/** How long it is waited for more after a sign of new output, which may come line by line. */
const GATHER_MS = 50;
/** How long a turn may take to its end once it was cancelled: a supervisor gives its agent 15 s, and the kernel 5. */
const CANCELLED_MS = 30_000;

const yieldToOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Reads all whole lines that are there, and says how many bytes; `undefined`: no agent was ever started. */
export async function readOutput(
  files: TurnFiles,
  listener: OutputListener,
): Promise<number | undefined> {
  const output = openOutput(files, listener);
  if (output === undefined) return undefined;
  try {
    while (output.readOn()) await yieldToOthers();
    return output.size();
  } finally {
    output.close();
  }
}

/**
 * Reads a turn's output as it comes until the turn has ended, or the signal ends the waiting.
 *
 * @returns Whether there is any.
 */
export async function watchOutput(
  files: TurnFiles,
  owner: ProcessIdentity | undefined,
  listener: OutputListener,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  let output: OutputReader | undefined;
  const bell = createBell(files);
  signal?.addEventListener("abort", bell.ring);
  try {
    for (;;) {
      // In this order: what ends a turn is searched for before its output is read for the last time.
      const isDead = owner === undefined || isAlive(owner) === false;
      const isOver = isDead || readExitRecord(files.path("exit")) !== undefined;
      output ??= openOutput(files, listener);
      while (output?.readOn() === true) await yieldToOthers();
      if (isOver || signal?.aborted === true) return output !== undefined;
      await bell.rings();
    }
  } finally {
    bell.close();
    output?.close();
    signal?.removeEventListener("abort", bell.ring);
  }
}

/** How a supervisor says that a disk is full. */
const FULL = /\b(?:ENOSPC|EDQUOT)\b/u;

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
  const [all = "", exit] = ["", "exit"].map((ending) => basename(files.path(ending)));
  const watcher = tryToWatch(files.dir, (name) => {
    if (name === exit) ring();
    else if (name?.startsWith(all)) gathering ??= setTimeout(ring, GATHER_MS);
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

function notEnded(cause: unknown): AgentsError {
  const message = `the turn is not seen to end ${CANCELLED_MS / 1000} s after it was cancelled`;
  return new AgentsError("ERR_TURN_UNREADABLE", message, { cause });
}

/**
 * Reads a turn's output to its end, as it comes. Resolves when the turn has ended, however.
 *
 * A listener that throws has the turn cancelled; its error is thrown on when that has ended. A cancelled turn is
 * followed for 30 s more.
 *
 * @throws {AgentsError} `ERR_TURN_UNREADABLE`: the turn may continue.
 */
export async function follow(
  files: TurnFiles,
  owner: ProcessIdentity | undefined,
  { onLines, onOmitted, onPoke, signal, cancel }: FollowOptions,
): Promise<FollowedOutcome> {
  let output: OutputReader | undefined;
  const startedAt = performance.now();
  let thrown: { readonly error: unknown } | undefined;
  let cancelling: "no" | "wanted" | "told" = "no";
  let toldAt = Number.POSITIVE_INFINITY;
  const read = (lines: readonly string[]): void => {
    if (thrown) return;
    try {
      onLines(lines);
    } catch (error) {
      thrown = { error };
      cancelling = "wanted";
    }
  };
  const look = () => ({
    isDead: owner === undefined || isAlive(owner) === false,
    record: readExitRecord(files.path("exit")),
  });
  const readOn = (): boolean => {
    if (thrown) return false;
    output ??= openOutput(files, { onLines: read, onOmitted });
    return output?.readOn() ?? false;
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
  const cancelIfWanted = async (): Promise<void> => {
    if (!isCancelling()) return;
    await patiently(cancel);
    cancelling = "told";
    toldAt = performance.now();
  };
  try {
    for (;;) {
      // In this order: what ends a turn is searched for before its output is read for the last time.
      const lookedAt = performance.now();
      const { isDead, record } = await patiently(look);
      while (await patiently(readOn)) {
        await cancelIfWanted();
        await yieldToOthers();
      }
      await cancelIfWanted();
      if (thrown && (record || isDead)) throw thrown.error;
      if (record !== undefined) {
        return recordedOutcome(record, output?.size());
      }
      if (isDead) {
        const stderrTail = await patiently(() => readErrors(files));
        return {
          started: output !== undefined,
          exitCode: null,
          exitSignal: "SIGKILL",
          stderrTail,
          isDiskFull: FULL.test(stderrTail) || lacksRoom(files.dir),
          durationMs: Math.round(performance.now() - startedAt),
          orphansEnded: 0,
          recorded: false,
        };
      }
      if (lookedAt - toldAt > CANCELLED_MS) throw notEnded(thrown?.error);
      if (!isCancelling()) await bell.rings();
    }
  } finally {
    bell.close();
    output?.close();
    signal?.removeEventListener("abort", onAbort);
  }
}
