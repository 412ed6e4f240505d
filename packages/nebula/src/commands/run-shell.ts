import { createEnvFileRedactor } from "@quasar/agents/environment";
import { newReceiptId, receiptPaths } from "@quasar/receipts";
import { endLeftovers, findLeftovers, runCommand } from "@quasar/runs/tree";
import type { Engine } from "../context/context.ts";
import { boundOutput } from "./bound-output.ts";
import { COMMAND_LIMITS, endWords } from "./end-words.ts";
import { outputEnd } from "./output-end.ts";

/** A command of the nebula that has run to its end. */
export interface Ran {
  /** Its outputs are in the folder under this id. */
  readonly id: string;
  readonly argv: readonly [string, ...string[]];
  readonly startedAt: Date;
  readonly end: Extract<Awaited<ReturnType<typeof runCommand>>, { readonly kind: "ended" }>;
  /** The end of what it printed, without secrets, for a person and for the coder. */
  readonly tail: string;
  /** How it has ended, and why where Quasar has ended it, with that end: `exit 1: …`. */
  readonly outcome: string;
}

/**
 * Runs a shell command in a work tree, with its outputs in files of a folder that is there: of each a MiB at most is kept.
 *
 * @throws The signal's reason where it was interrupted; an error where there was no process.
 */
export async function runShell(
  { commandEnv, portsOf, redact, spec, signal, store, now }: Engine,
  { command, path, dir }: { readonly command: string; readonly path: string; readonly dir: string },
): Promise<Ran> {
  const id = newReceiptId();
  const { stdout, stderr } = receiptPaths(dir, id);
  const argv = ["sh", "-c", command] as const;
  const startedAt = now();
  // Each has a mark of its own: what carries it ends with the command.
  const runId = markOf(store.current.id, id);
  const env = { ...commandEnv, ...portsOf(path) };
  const end = await runCommand({
    ...{ argv: [...argv], workTree: path, env, runId, stdout, stderr },
    ...COMMAND_LIMITS,
    signal,
  });
  if (end.kind === "interrupted") signal.throwIfAborted();
  if (end.kind !== "ended") {
    throw new Error(`${command}: ${"message" in end ? end.message : "interrupted"}`);
  }
  for (const path of [stdout, stderr]) boundOutput(path);
  const redactFiles = createEnvFileRedactor(path, spec.execution.copy);
  const shown = {
    redact: (text: string) => redactFiles(redact(text)),
    isCutOff: end.isCutOff === true,
  };
  const tail = [stdout, stderr]
    .map((file) => outputEnd(file, shown))
    .filter((text) => text !== "")
    .join("\n");
  return { id, argv: [...argv], startedAt, end, tail, outcome: `${endWords(end)}: ${tail}` };
}

/** What the marks of all commands of a nebula begin with. */
function marksOf(nebula: string): string {
  return `${nebula}-command-`;
}

/** The mark of something that is started for a nebula, a command or another thing that ends as one does. */
export function markOf(nebula: string, what: string): string {
  return `${marksOf(nebula)}${what}`;
}

/** Whether a process has the mark of a command of a nebula. @param runId - Its mark. */
export function isCommandOf(nebula: string, runId: string): boolean {
  return runId.startsWith(marksOf(nebula));
}

/** Ends the commands that an engine has left running which is gone. Call it under the nebula's lock. */
export async function endLeftCommands({
  store,
  tell,
}: Pick<Engine, "store" | "tell">): Promise<void> {
  const { id } = store.current;
  const left = await endLeftovers(findLeftovers((runId) => isCommandOf(id, runId)));
  for (const pid of left.flatMap(({ pids }) => pids)) {
    tell({
      type: "warning",
      message: `a command of an earlier engine cannot be ended: process ${pid}`,
    });
  }
}
