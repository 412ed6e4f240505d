import type { Readable } from "node:stream";
import type { EndedProcesses, Mark } from "./marks.ts";
import { endMarked } from "./marks.ts";
import { sendSignal } from "./signal.ts";
import { type Container, system } from "./system.ts";
import { startChild } from "./start-child.ts";
import { untilEnd } from "./until-end.ts";

/** What is to be run: no shell comes between. */
export interface Program {
  /** A path, or a name that is looked for on the `PATH` of `env`. */
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

/** Why a program was stopped. */
export type StopReason<Reason extends string = never> = Reason | "aborted" | "idle" | "time";

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

/** There was no process. */
export interface NotStarted {
  readonly kind: "not-started";
  readonly error: NodeJS.ErrnoException;
}

/** For what outlives the program that has started it. */
const LEFTOVER_GRACE_MS = 500;

/**
 * Runs a program to its end, within its limits, and ends what it leaves behind.
 *
 * Built on `node:child_process`: a group of its own, signals to that group, a gate, an end that waits for
 * neither pipe nor grandchild, and a start that costs no module are what a wrapper's conveniences get in the
 * way of.
 *
 * @throws what a sink or `onSpawn` throws, when all has ended.
 * @see SPEC.md, "Running a program"
 */
export async function runProgram<Reason extends string = never>(
  program: Program,
  options: RunOptions<Reason> = {},
): Promise<ProgramEnd<Reason> | NotStarted> {
  const startedAt = performance.now();
  const { group = "ended", mark } = options;
  const container = group === "ended" ? system.contain(mark?.value ?? "") : undefined;
  const onSpawn = container === undefined ? options.onSpawn : into(container, options.onSpawn);
  const child = await startChild(program, { ...options, onSpawn });
  if (child instanceof Error) {
    await container?.end();
    return { kind: "not-started", error: child };
  }
  const { thrown, ...end } = await untilEnd(child, { ...options, onSpawn });
  const durationMs = Math.round(performance.now() - startedAt);
  const leftovers = mark && (await endMarked(mark, { graceMs: LEFTOVER_GRACE_MS }));
  // What has shed the mark but not the group.
  if (group === "ended") sendSignal(-child.pid, "SIGKILL");
  await container?.end();
  if (thrown !== undefined) throw thrown.error;
  return { kind: "ended", ...end, durationMs, leftovers };
}

/** A container that does not take the process leaves it to its group and its mark. */
function into({ add }: Container, onSpawn: RunOptions["onSpawn"]): (pid: number) => void {
  return (pid) => {
    try {
      add(pid);
    } catch (error) {
      if (!isOfSystem(error)) throw error;
    }
    onSpawn?.(pid);
  };
}

function isOfSystem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
