/** Resolves once a signal is aborted. */
export function onceAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    if (signal.aborted) done(undefined);
    else signal.addEventListener("abort", () => done(undefined), { once: true });
  });
}
