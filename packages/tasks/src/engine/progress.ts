import type { StepProgress } from "../steps/step.ts";

/** Milliseconds between two writes. */
const PAUSE = 1_500;
/** Gathers what an agent is at and writes it from time to time. */
export interface Progress {
  note(progress: StepProgress): void;
  /** Writes what is not written yet. @throws what a write has thrown */
  flush(): void;
}

export function createProgress(write: (progress: StepProgress) => void): Progress {
  let pending: StepProgress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failure: { readonly error: unknown } | undefined;

  const writeNow = (): void => {
    const progress = pending;
    pending = undefined;
    if (progress === undefined) return;
    timer = setTimeout(writeLater, PAUSE);
    timer.unref();
    write(progress);
  };
  /** What goes wrong in a timer is reported by the next call. */
  const writeLater = (): void => {
    timer = undefined;
    try {
      writeNow();
    } catch (error) {
      failure = { error };
    }
  };
  const throwFailure = (): void => {
    if (failure !== undefined) throw failure.error;
  };

  return {
    note({ workingOn, lastOutput }) {
      throwFailure();
      pending = {
        ...pending,
        ...(workingOn !== undefined && { workingOn }),
        ...(lastOutput !== undefined && { lastOutput }),
      };
      if (timer === undefined) writeNow();
    },
    flush() {
      writeNow();
      clearTimeout(timer);
      timer = undefined;
      throwFailure();
    },
  };
}
