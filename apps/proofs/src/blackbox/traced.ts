import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DiskCall, diskCalls } from "./disk-calls.ts";
import { childrenOf, type Finished, type Place, quasar } from "./place.ts";
import { parseTrace, straceInto } from "./strace.ts";

export interface Traced extends Finished {
  /** What it did to the folder of the runs, and when it acted on it. */
  readonly calls: readonly DiskCall[];
  /** The same of the user's own folder for state, which begins with `.local`. */
  readonly userCalls: readonly DiskCall[];
  /** The same of the folder of the repository's branches, `heads`. */
  readonly branchCalls: readonly DiskCall[];
}

export interface TracedOptions {
  /** Kills the runner, and nothing else, once it has printed this. */
  readonly killAt?: string | undefined;
}

/** Runs `quasar`, and all that it starts, under strace. */
export async function traced(
  at: Place,
  args: readonly string[],
  { killAt }: TracedOptions = {},
): Promise<Traced> {
  const file = join(at.root, `trace-${(traces += 1)}`);
  let isKilled = false;
  const finished = await quasar(at, args, {
    under: straceInto(file),
    onOutput: (stdout, pid) => {
      if (killAt === undefined || isKilled || !stdout.includes(killAt)) return;
      isKilled = true;
      for (const runner of childrenOf(pid)) process.kill(runner, "SIGKILL");
    },
  });
  const seen = parseTrace(readFileSync(file, "utf8"));
  const calls = diskCalls(seen, join(at.repo, ".git/quasar"));
  return {
    ...finished,
    // The lock and its owner's description are gone with the process, and promise nothing.
    calls: calls.filter((call) => !isOfTheLock(call)),
    userCalls: diskCalls(seen, join(at.root, "home/.local")),
    branchCalls: diskCalls(seen, join(at.repo, ".git/refs/heads")),
  };
}

let traces = 0;

function isOfTheLock(call: DiskCall): boolean {
  const path = "path" in call ? call.path : "to" in call ? call.to : "";
  return /^\/quasar\/\.?lock/u.test(path);
}
