/** Who is called, and whether the process stays for it. */
const listeners = new Map<() => void, boolean>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls a listener once a second, together with all others of this process: however many look at something, a
 * process that waits wakes up once.
 *
 * @returns Ends it.
 */
export function eachSecond(
  listener: () => void,
  { keepsAlive }: { readonly keepsAlive: boolean },
): () => void {
  const own = (): void => listener();
  listeners.set(own, keepsAlive);
  adapt();
  return () => {
    listeners.delete(own);
    adapt();
  };
}

function adapt(): void {
  if (listeners.size === 0) {
    clearInterval(timer);
    timer = undefined;
    return;
  }
  timer ??= setInterval(callAll, 1000);
  if ([...listeners.values()].includes(true)) timer.ref();
  else timer.unref();
}

function callAll(): void {
  for (const each of [...listeners.keys()]) each();
}
