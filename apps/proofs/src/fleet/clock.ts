import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LIBRARY = "/usr/lib/*/faketime/libfaketime.so.1";

/** A wall clock that can be set, of the processes that are started with its variables; their other clocks run evenly. */
export interface SetClock {
  readonly env: Readonly<Record<string, string>>;
  /** Sets it so many seconds before or after the right time. */
  set(seconds: number): void;
}

/** @param root - A folder of the machine. @throws where the library is not installed */
export function makeClock(root: string): SetClock {
  const [library] = globSync(LIBRARY);
  if (library === undefined) throw new Error(`there is no ${LIBRARY}: apt-get install libfaketime`);
  const file = join(root, "clock");
  const set = (seconds: number): void =>
    writeFileSync(file, `${seconds < 0 ? "" : "+"}${seconds}\n`);
  set(0);
  const variables = {
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    DONT_FAKE_MONOTONIC: "1",
  };
  return { env: { LD_PRELOAD: library, ...variables }, set };
}
