import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { processesOf } from "@quasar/torture";

/** In the environment of an agent, and of who watches over it. */
const TURN = /(?:^|\0)QUASAR_TURN_ID=([^\0]+)/u;

/** In the environment of a worker that somebody keeps running. */
const KEPT = /(?:^|\0)QUASAR_WORKER_KEPT=/u;

/** The turn that a process is of; `""`: of none. */
export function turnOf(pid: number): string {
  return TURN.exec(environmentOf(pid))?.[1] ?? "";
}

/** Whether a process is a worker, and not who keeps it running. */
export function isKeptWorker(pid: number): boolean {
  return KEPT.test(environmentOf(pid));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

/** What a process was started with. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** Sends a signal to all processes of a folder that are meant, until no more of them come to be. */
export async function signalAll(
  root: string,
  signal: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT",
  isMeant: (pid: number) => boolean = () => true,
): Promise<void> {
  const sent = new Set<number>();
  for (;;) {
    const found = processesOf(root).filter((pid) => !sent.has(pid) && isMeant(pid));
    if (found.length === 0) return;
    for (const pid of found) {
      sent.add(pid);
      try {
        process.kill(pid, signal);
      } catch {
        // It has gone.
      }
    }
    await sleep(5);
  }
}
