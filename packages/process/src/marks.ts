import { setTimeout as sleep } from "node:timers/promises";
import { sendSignal } from "./signal.ts";
import { system } from "./system.ts";
import type { ListedProcess } from "./platform.ts";

/**
 * A variable in the environment of processes, which all that they start inherit, in whatever session or
 * group that may be.
 */
export interface Mark {
  readonly name: string;
  /** Neither empty nor with white space or a NUL in it: see {@link isMarkValue}. */
  readonly value: string;
}

/** Whether a value can be found in the listing of processes of every system. */
export function isMarkValue(value: string): boolean {
  return value !== "" && !/[\s\0]/u.test(value);
}

/** All processes but this one; `undefined` where nobody can know. */
export function listProcesses(): readonly ListedProcess[] | undefined {
  return system.list()?.filter(({ pid }) => pid !== process.pid);
}

/**
 * Absolute paths of the working folders of processes, without those that have ended or cannot be seen, such as
 * another user's. Ask for all at once: on macOS a program is started.
 *
 * @returns `undefined` where nobody can know.
 */
export function findWorkingFolders(
  pids: readonly number[],
): ReadonlyMap<number, string> | undefined {
  return pids.length === 0 ? new Map() : system.workTrees(pids);
}

/** Ids of the processes that carry a mark, this one excepted; `undefined` where nobody can know. */
export function findMarked(mark: Mark): readonly number[] | undefined {
  return carriersOf(mark)?.map(({ pid }) => pid);
}

function carriersOf({ name, value }: Mark): readonly ListedProcess[] | undefined {
  return listProcesses()?.filter(({ variable }) => variable(name) === value);
}

/** Those of them that work in a folder; `undefined` where nobody can know. */
function placedIn(
  carriers: readonly ListedProcess[] | undefined,
  folder: string | undefined,
): readonly ListedProcess[] | undefined {
  if (folder === undefined || carriers === undefined) return carriers;
  const folders = findWorkingFolders(carriers.map(({ pid }) => pid));
  return (
    folders && carriers.filter(({ pid }) => `${folders.get(pid) ?? ""}/`.startsWith(`${folder}/`))
  );
}

export interface EndMarkedOptions {
  /** Sent first, once to each process. @default "SIGTERM" */
  readonly signal?: NodeJS.Signals | undefined;
  /** Milliseconds from that to SIGKILL. @default 5000 */
  readonly graceMs?: number | undefined;
  /** Absolute path, without links: what works in this folder, or below it, is ended, and nothing else. @default all is */
  readonly within?: string | undefined;
}

/** What became of the processes with a mark. */
export interface EndedProcesses {
  /** Process ids that were found and are gone. */
  readonly ended: readonly number[];
  /** Process ids that even SIGKILL has not ended (yet). */
  readonly left: readonly number[];
}

const POLL_MS = 25;
const AFTER_KILL_MS = 2000;

/**
 * Ends whatever carries a mark: the signal, and SIGKILL after the grace, repeated for what those
 * processes start meanwhile. After two seconds more it says which are left. What a program with the mark
 * has started is ended with it, though it has dropped the mark, where the system can hold it; not so `within` a folder.
 *
 * @returns `undefined` where nobody can know what there is.
 */
export async function endMarked(
  mark: Mark,
  options: EndMarkedOptions = {},
): Promise<EndedProcesses | undefined> {
  const ended = await endCarriers(mark, options);
  if (options.within === undefined) await endContained([mark.value]);
  return ended;
}

/**
 * Ends, at once, what programs have started that were run with one of these labels, or with one that begins with it
 * and a dot, whoever has run them: where the system can hold that, and never this process.
 */
export async function endContained(labels: readonly string[]): Promise<void> {
  if (labels.length > 0) await system.endContained(labels);
}

/** Whether the system can hold what a program starts, here and now. */
export async function canContain(): Promise<boolean> {
  const container = system.contain("");
  await container?.end();
  return container !== undefined;
}

/** {@link endMarked}, without what has dropped the mark. */
export async function endCarriers(
  mark: Mark,
  { signal = "SIGTERM", graceMs = 5000, within }: EndMarkedOptions = {},
): Promise<EndedProcesses | undefined> {
  const killAt = performance.now() + graceMs;
  const giveUpAt = killAt + AFTER_KILL_MS;
  const [found, signalled] = [new Set<number>(), new Set<number>()];
  for (;;) {
    const carriers = placedIn(carriersOf(mark), within);
    if (carriers === undefined) return undefined;
    const left = carriers.map(({ pid }) => pid);
    const now = performance.now();
    if (left.length === 0 || now > giveUpAt) {
      return { ended: [...found].filter((pid) => !left.includes(pid)), left };
    }
    for (const { pid, variableNow } of carriers) {
      found.add(pid);
      // It may have ended since, and another process have its id.
      if (variableNow(mark.name) !== mark.value) continue;
      if (now >= killAt) sendSignal(pid, "SIGKILL");
      else if (!signalled.has(pid)) sendSignal(pid, signal);
      signalled.add(pid);
    }
    await sleep(POLL_MS);
  }
}
