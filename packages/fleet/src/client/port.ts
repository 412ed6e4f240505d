import {
  digestOf,
  type Entry,
  type EntryToRecord,
  type Json,
  type NebulaPort,
  parseEvent,
  PortError,
  readReply,
  requireAsk,
  requireEntry,
  requireNebulaId,
  stateFacts,
  waitFor,
} from "@quasar/nebula/port";
import { INDEX } from "../calls.ts";
import { type FleetKey, requireKey } from "../mac.ts";
import { createCaller } from "./caller.ts";

/** What the object is called where nobody names it. */
export const SERVICE = "nebula";

export interface FleetPortOptions {
  /** Of the server's ingress: `http://127.0.0.1:8080`, or `https:` where others could listen. */
  readonly url: string;
  readonly key: FleetKey;
  /** What the object is called at the server. @default `nebula` */
  readonly service?: string | undefined;
  /** For how long a call is repeated that has no answer, in milliseconds: 30,000 at most. @default 15,000 */
  readonly patienceMs?: number | undefined;
}

/** The port over a server. */
export interface FleetPort extends NebulaPort {
  /** Ends its connections, and repeats no call any more. */
  close(): void;
}

/** @throws {PortError} `ERR_USAGE` where the URL or the key is none. */
export function createFleetPort(options: FleetPortOptions): FleetPort {
  const { key, service = SERVICE, patienceMs = 15_000 } = options;
  requireKey(key);
  const caller = createCaller({ url: urlOf(options.url), key, service, patienceMs });

  /** A call of a nebula's object. */
  const call: typeof caller.call = async (nebula, ...rest) => {
    requireNebulaId(nebula);
    return caller.call(nebula, ...rest);
  };
  /** A bell is silent for as long as its whole patience: one that is cut off is not repeated, and the pause is over. */
  const change = async (nebula: string, version: number, signal: AbortSignal): Promise<void> => {
    await call(nebula, "bell", version, signal).catch(unlessUnreachable);
  };

  return {
    async submit(submission) {
      const { id, name, depot, state } = submission;
      requireNebulaId(id);
      const plain = { id, name, depot, state };
      const facts = stateFacts(id, state);
      return call(id, "submit", { submission: plain, digest: digestOf(plain), facts });
    },
    async lease(ask) {
      requireAsk(ask);
      return (await call(ask.nebula, "lease", ask)) ?? undefined;
    },
    renew: (held) => call(held.nebula, "renew", held),
    async release(held, how = {}) {
      await call(held.nebula, "release", { held, how });
    },
    fence: (held) => call(held.nebula, "fence", held),
    async record(held, entry) {
      requireEntry(entry);
      return call(held.nebula, "record", { held, entry: withFacts(held.nebula, entry) });
    },
    wait(nebula, id, signal) {
      let version = -1;
      return waitFor(
        async () => {
          const looked = await call(nebula, "look", id, signal).catch(unlessUnreachable);
          if (looked === undefined) return { as: "waits" };
          ({ version } = looked);
          return looked.found;
        },
        () => change(nebula, version, signal),
        signal,
      );
    },
    async resolve(nebula, id, reply) {
      const said: Json = { ...readReply(id, reply).reply };
      return call(nebula, "resolve", { id, reply: said });
    },
    async signal(nebula, what) {
      await call(nebula, "signal", what);
    },
    async *watch(nebula, from, signal) {
      try {
        for (let seen = from; ; ) {
          const { texts, to, isGap, version } = await call(nebula, "events", seen, signal);
          seen = to;
          if (texts.length > 0) yield { to, isGap, events: texts.map(parseEvent) };
          await change(nebula, version, signal);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      return undefined;
    },
    list: () => caller.call(INDEX, "list", null),
    status: (nebula) => call(nebula, "status", null),
    close: () => caller.close(),
  };
}

function unlessUnreachable(error: unknown): undefined {
  if (error instanceof PortError && error.code === "ERR_UNREACHABLE") return undefined;
  throw error;
}

function withFacts(nebula: string, entry: Entry): EntryToRecord {
  return entry.as === "state" ? { ...entry, facts: stateFacts(nebula, entry.state) } : entry;
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new PortError("ERR_USAGE", `no URL of a server: ${JSON.stringify(text)}`);
}
