import type { ConfigPair } from "../environment.ts";
import type { SignalOptions } from "../head.ts";
import { remoteAccess } from "../remote-access.ts";
import type { RunOptions } from "../run.ts";

/** Which depot, and what ends the talk with it. */
export interface DepotOptions extends SignalOptions {
  /** An absolute path, or a URL such as `ssh://…` and `https://…`. */
  readonly url: string;
}

const SETTINGS: readonly ConfigPair[] = [
  // No git hook runs on this side.
  ["core.hooksPath", "/dev/null"],
  // A commit that its ref has just left can still be asked for by its id.
  ["protocol.version", "2"],
  // An empty one takes back those that are set.
  ["push.pushOption", ""],
];

/** How git talks to a depot: as to a remote, and with no git hook. */
export function depotAccess(signal: AbortSignal | undefined): RunOptions {
  const access = remoteAccess(process.env);
  return { ...access, config: [...(access.config ?? []), ...SETTINGS], signal };
}
