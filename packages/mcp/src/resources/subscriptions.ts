import { openRuns } from "@quasar/runs";
import { openWorkspace } from "@quasar/runs/internal";
import { findRunPlace } from "../places/find-run.ts";
import { parseResourceUri } from "./uri.ts";

/** Who wants to know when resources change. */
export interface Subscriptions {
  /** @returns Whether it is an address of a run's resource, and there is room for it. */
  add(subscriber: string, uris: readonly string[]): boolean;
  remove(subscriber: string, uri?: string): void;
  /** Ends all of them. */
  close(): void;
}

export interface SubscriptionsOptions {
  /** A folder of the work tree. */
  readonly root: string;
  /** Told of each subscribed resource of a run that has changed. */
  readonly changed: (uri: string) => void;
}

/** Runs that are followed at once. */
const MOST_RUNS = 32;
/** Milliseconds between two notices of a run. */
const PAUSE_MS = 1000;

export function createSubscriptions({ root, changed }: SubscriptionsOptions): Subscriptions {
  const wanted = new Map<string, Set<string>>();
  const followed = new Map<string, AbortController>();
  const urisOf = (runId: string): readonly string[] => {
    const all = new Set([...wanted.values()].flatMap((uris) => [...uris]));
    return [...all].filter((uri) => parseResourceUri(uri)?.runId === runId);
  };
  const follow = (runId: string): void => {
    if (followed.has(runId)) return;
    const controller = new AbortController();
    followed.set(runId, controller);
    const tell = (): void => urisOf(runId).forEach(changed);
    void followChanges(root, runId, controller.signal, tell)
      .catch(() => {})
      .finally(() => followed.delete(runId));
  };
  const stopUnwanted = (): void => {
    for (const [runId, controller] of followed) {
      if (urisOf(runId).length === 0) controller.abort();
    }
  };
  return {
    add(subscriber, uris) {
      const runs = uris.map((uri) => parseResourceUri(uri)?.runId);
      const isFull = new Set([...followed.keys(), ...runs]).size > MOST_RUNS;
      if (isFull || runs.includes(undefined)) return false;
      wanted.set(subscriber, new Set([...(wanted.get(subscriber) ?? []), ...uris]));
      for (const runId of runs) if (runId !== undefined) follow(runId);
      return true;
    },
    remove(subscriber, uri) {
      if (uri === undefined) wanted.delete(subscriber);
      else wanted.get(subscriber)?.delete(uri);
      stopUnwanted();
    },
    close() {
      wanted.clear();
      stopUnwanted();
    },
  };
}

/** Tells at its beginning, and then at most once a second when something has happened to a run, while anything works on it. */
async function followChanges(
  root: string,
  runId: string,
  signal: AbortSignal,
  tell: () => void,
): Promise<void> {
  const { workspace, phase } = await findRunPlace(await openWorkspace(root), runId);
  const runs = await openRuns(workspace.root, { home: phase?.runsDir });
  let timer: NodeJS.Timeout | undefined;
  const told = (): void => {
    timer = undefined;
    tell();
  };
  for await (const _ of runs.watch(runId, { follow: true, signal })) {
    timer ??= setTimeout(told, PAUSE_MS);
  }
  // The last change is reported without a pause.
  clearTimeout(timer);
  if (!signal.aborted) tell();
}
