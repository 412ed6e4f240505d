import type { Readable } from "node:stream";
import type { EndedProcesses, Mark } from "./marks.ts";

/** What is to be run: no shell comes between. */
export interface Program {
  /** A path, or a name that is searched for on the `PATH` of `env`. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it: nothing is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Takes what a program prints, piece by piece. A reason that it returns stops the program. */
export type Sink<Reason extends string> = (chunk: Buffer) => Reason | undefined;

export interface RunOptions<Reason extends string = never> {
  /** What it reads. @default nothing: its input is at its end */
  readonly input?: string | Readable | undefined;
  /** Where its output goes: an open file, or what takes it. @default nowhere */
  readonly stdout?: number | Sink<Reason> | undefined;
  readonly stderr?: number | Sink<Reason> | undefined;
  /**
   * When its output counts as read: soon after it has exited, whoever still holds the pipes, or when all
   * who hold them have closed them. @default "exit"
   */
  readonly readUntil?: "exit" | "close" | undefined;
  /**
   * `ended`: it is the first of a session and group of its own, and nothing of the group outlives it; where
   * there is a cgroup to be had, nothing at all that it has started does.
   * `left`: the same, but what it leaves behind lives on unless it was stopped. `shared`: it has this
   * process's group and terminal, and is signalled alone. @default "ended"
   */
  readonly group?: "ended" | "left" | "shared" | undefined;
  /** In its environment: whatever carries it is ended after it, with half a second of grace. */
  readonly mark?: Mark | undefined;
  /**
   * By which what it has started is found after this process was killed, where the system can hold it: see
   * `endContained`. @default the value of its mark
   */
  readonly label?: string | undefined;
  /** Milliseconds until it is stopped. @default no limit */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds without output until it is stopped. @default no limit */
  readonly idleTimeoutMs?: number | undefined;
  /** Stops it. */
  readonly signal?: AbortSignal | undefined;
  /** How it is stopped: one after the other, with a grace between. @default SIGTERM, SIGKILL */
  readonly signals?: readonly NodeJS.Signals[] | undefined;
  /** Milliseconds from one signal to the next. @default 5000 */
  readonly graceMs?: number | undefined;
  /** Called with its id before it can do anything. @default nobody is */
  readonly onSpawn?: ((pid: number) => void) | undefined;
}

/** How a program ended. */
export interface ProgramEnd<Reason extends string = never> {
  readonly kind: "ended";
  /** `undefined` where a signal ended it, or nothing could. */
  readonly exitCode: number | undefined;
  readonly exitSignal: NodeJS.Signals | undefined;
  /** Why it was stopped; it may still have ended by itself. */
  readonly stopped: StopReason<Reason> | undefined;
  /** What failed about its input or its outputs, whatever its end was. */
  readonly problem: NodeJS.ErrnoException | undefined;
  readonly durationMs: number;
  /** What carried the mark and outlived it; `undefined` without a mark, or where nobody can know. */
  readonly leftovers: EndedProcesses | undefined;
}

/** Why a program was stopped. */
export type StopReason<Reason extends string = never> = Reason | "aborted" | "idle" | "time";

/** There was no process. */
export interface NotStarted {
  readonly kind: "not-started";
  readonly error: NodeJS.ErrnoException;
}
