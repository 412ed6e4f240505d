import { EXIT, type ExitCode } from "./exit-codes.ts";

const SIGNALS = { SIGINT: EXIT.sigint, SIGTERM: EXIT.sigterm, SIGHUP: EXIT.sighup } as const;

type Name = keyof typeof SIGNALS;

/** The user's wish to stop. */
export interface Interrupts {
  /** Aborted by the first signal: the agent is cancelled and the state saved. */
  readonly signal: AbortSignal;
  /** Of the signal that came; `undefined` before. */
  exitCode(): ExitCode | undefined;
  /** Resolves unless a second signal has come: then it is waited for that the process exits. */
  stays(): Promise<void>;
  /** Signals act as they do by default again. */
  stop(): void;
}

/** The exit code of the signal that came. @throws The error itself where none has. */
export function exitOfInterrupt({ exitCode }: Interrupts, error: unknown): ExitCode {
  const exit = exitCode();
  if (exit === undefined) throw error;
  return exit;
}

/**
 * Listens for signals. The second one leaves: what was saved around the turn is kept. The third one
 * does not even wait for `onSecond`.
 */
export function listenForInterrupts(
  onFirst: (name: string) => void,
  onSecond: () => Promise<void> = async () => {},
): Interrupts {
  const controller = new AbortController();
  let exitCode: ExitCode | undefined;
  let leaving: Promise<never> | undefined;
  const listener = (name: Name): void => {
    // A terminal that is closed says so twice, by the system and by its shell: that is no wish to exit at once.
    if (name === "SIGHUP" && exitCode !== undefined) return;
    if (leaving !== undefined) process.exit(SIGNALS[name]);
    if (exitCode !== undefined) {
      const leave = (): never => process.exit(SIGNALS[name]);
      leaving = onSecond().then(leave, leave);
      return;
    }
    exitCode = SIGNALS[name];
    onFirst(name);
    controller.abort(new Error(`interrupted by ${name}`));
  };
  const names = Object.keys(SIGNALS) as Name[];
  for (const name of names) process.on(name, listener);
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    async stays() {
      await leaving;
    },
    stop() {
      for (const name of names) process.off(name, listener);
    },
  };
}
