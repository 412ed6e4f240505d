import { setTimeout as sleep } from "node:timers/promises";

const ENDS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface SignalHandlers {
  readonly onEnd: (signal: (typeof ENDS)[number]) => void;
  /** Somebody asks it to stop for now: see {@link stopJob}. */
  readonly onStop: () => void;
  /** It was stopped without being asked, and is continued. */
  readonly onContinue: () => void;
}

/** @returns What ends it: signals act as they do by default again. */
export function listenToSignals({ onEnd, onStop, onContinue }: SignalHandlers): { close(): void } {
  for (const name of ENDS) process.on(name, onEnd);
  process.on("SIGTSTP", onStop);
  process.on("SIGCONT", onContinue);
  return {
    close() {
      for (const name of ENDS) process.off(name, onEnd);
      process.off("SIGTSTP", onStop);
      process.off("SIGCONT", onContinue);
    },
  };
}

/** Long enough for the system to stop this process, which takes up none of it. */
const STOPS_MS = 50;

/**
 * Stops all processes of the terminal's job, as Ctrl-Z does, until they are continued. Where no shell could do that the
 * system does not stop them, and this resolves at once.
 */
export async function stopJob(): Promise<void> {
  const listeners = process.listeners("SIGTSTP");
  process.removeAllListeners("SIGTSTP");
  process.kill(0, "SIGTSTP");
  await sleep(STOPS_MS);
  for (const listener of listeners) process.on("SIGTSTP", listener);
}
