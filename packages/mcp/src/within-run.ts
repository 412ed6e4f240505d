import { listProcesses } from "@quasar/process";
import { McpError } from "./errors.ts";

const RUN = "QUASAR_RUN_ID";

/** What is seen of this process and of those that it descends from. */
export interface Descent {
  readonly pid: number;
  /** The variable of this process. */
  readonly own: string | undefined;
  readonly processes: readonly {
    readonly pid: number;
    readonly parent: number;
    readonly variable: (name: string) => string | undefined;
  }[];
}

/**
 * The run that has started a process: by its environment, or by that of one that it descends from, since some clients
 * start servers with an environment of their own. `undefined`: none.
 */
export function runAbove({ pid, own, processes }: Descent): string | undefined {
  if (own !== undefined && own !== "") return own;
  const all = new Map(processes.map((each) => [each.pid, each]));
  const seen = new Set<number>();
  for (let at = all.get(pid); at !== undefined && !seen.has(at.pid); at = all.get(at.parent)) {
    seen.add(at.pid);
    const runId = at.variable(RUN) ?? "";
    if (runId !== "") return runId;
  }
  return undefined;
}

/** Keeps agents of runs from starting, controlling and answering. @throws {McpError} `ERR_WITHIN_RUN` */
export function refuseWithinRun(): void {
  const own = process.env[RUN];
  const processes = own === undefined ? [...(listProcesses() ?? []), self()] : [];
  if (runAbove({ pid: process.pid, own, processes }) === undefined) return;
  throw new McpError(
    "ERR_WITHIN_RUN",
    "a run has started this server: an agent of a run starts, stops and answers nothing",
  );
}

/** A listing leaves this process out. */
function self(): Descent["processes"][number] {
  return { pid: process.pid, parent: process.ppid, variable: () => undefined };
}
