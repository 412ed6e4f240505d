const MINUTE_MS = 60_000;

export interface QuietMinutes {
  /** Something was said: the minute begins again. */
  said(): void;
  stop(): void;
}

/** Has something said after each minute in which nothing was: who reads a log has no live block. */
export function startQuietMinutes(say: () => void): QuietMinutes {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      say();
      begin();
    }, MINUTE_MS);
    timer.unref();
  };
  begin();
  return { said: begin, stop: () => clearTimeout(timer) };
}
