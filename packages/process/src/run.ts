import type { NotStarted, Program, ProgramEnd, RunOptions } from "./program.ts";
import { endCarriers } from "./marks.ts";
import { sendSignal } from "./signal.ts";
import { system } from "./system.ts";
import type { Container } from "./platform.ts";
import { startChild } from "./start-child.ts";
import { untilEnd } from "./until-end.ts";

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
  const { group = "ended", mark, label = mark?.value ?? "" } = options;
  const container = group === "ended" ? system.contain(label) : undefined;
  const onSpawn = container === undefined ? options.onSpawn : into(container, options.onSpawn);
  const child = await startChild(program, { ...options, onSpawn });
  if (child instanceof Error) {
    await container?.end();
    return { kind: "not-started", error: child };
  }
  const { thrown, ...end } = await untilEnd(child, { ...options, onSpawn });
  const durationMs = Math.round(performance.now() - startedAt);
  const leftovers = mark && (await endCarriers(mark, { graceMs: LEFTOVER_GRACE_MS }));
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
