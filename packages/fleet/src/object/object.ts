import {
  handlers,
  object,
  type ObjectContext,
  type ObjectSharedContext,
  serde,
  TerminalError,
  type VirtualObjectDefinition,
} from "@restatedev/restate-sdk";
import { BELL_MS, type CallName, INDEX, REPEATED_MS, SHARED } from "../calls.ts";
import { CALL_HEADER, type FleetKey, MAC_HEADER } from "../mac.ts";
import { answerCall, DeniedError, type Room } from "./answer.ts";
import { type Bells, createBells } from "./bells.ts";
import { HANDLERS } from "./handlers.ts";
import { enlisted, type KeptEntry } from "./index-entries.ts";

/** The status by which the ingress says that a handler has failed: it is of no use to ask again. */
const FAILED = 422;
const DENIED = 401;

/**
 * Of every handler. A call waits for as long as this program is gone, and is carried out soon after it is back: by their
 * defaults the server would wait half a minute more, then pause the call, and block its nebula until a person helps. Nothing
 * is kept of calls that are over but what their repetitions are answered with.
 */
const OPTIONS = {
  input: serde.binary,
  output: serde.binary,
  enableLazyState: true,
  journalRetention: 0,
  idempotencyRetention: REPEATED_MS,
  inactivityTimeout: 3 * BELL_MS,
  retryPolicy: {
    initialInterval: 100,
    exponentiationFactor: 1.5,
    maxInterval: 500,
    maxAttempts: 1_000_000_000,
  },
  // An error that is retried blocks the nebula for ever.
  asTerminalError: failed,
} as const;

function failed(error: unknown): TerminalError {
  if (error instanceof TerminalError) return error;
  if (error instanceof DeniedError) return new TerminalError(error.message, { errorCode: DENIED });
  const message = error instanceof Error ? error.message : String(error);
  return new TerminalError(message, { errorCode: FAILED });
}

/** The one object that the server calls: a nebula under its id, and the list of all under {@link INDEX}. */
export function fleetObject(
  service: string,
  fleet: FleetKey,
): VirtualObjectDefinition<string, unknown> {
  const bells = createBells();
  const names = [...Object.keys(HANDLERS), "bell", "list"] as CallName[];
  const calls = names.map((name) => {
    const answer = (ctx: ObjectContext | ObjectSharedContext, body: Uint8Array) => {
      const { headers } = ctx.request();
      const id = headers.get(CALL_HEADER) ?? "";
      const mac = headers.get(MAC_HEADER) ?? "";
      const received = { call: { key: ctx.key, handler: name, id }, mac, body };
      return answerCall(fleet, received, roomOf(ctx, service, bells));
    };
    const handler = SHARED.has(name)
      ? handlers.object.shared(OPTIONS, answer)
      : handlers.object.exclusive(OPTIONS, answer);
    return [name, handler] as const;
  });
  const enlist = handlers.object.exclusive(
    { ...OPTIONS, ingressPrivate: true },
    async (ctx: ObjectContext, entry: Uint8Array) => {
      const before = (await ctx.get<readonly KeptEntry[]>("entries")) ?? [];
      ctx.set("entries", enlisted(before, JSON.parse(Buffer.from(entry).toString()) as KeptEntry));
      return new Uint8Array();
    },
  );
  return object({ name: service, handlers: { ...Object.fromEntries(calls), enlist } });
}

function roomOf(ctx: ObjectContext | ObjectSharedContext, service: string, bells: Bells): Room {
  return {
    get: <T>(name: string) => ctx.get<T>(name),
    set(name, value) {
      if (!("set" in ctx)) throw new Error("this call changes nothing");
      ctx.set(name, value);
    },
    now: () => ctx.date.now(),
    writer: () => ctx.rand.uuidv4().slice(0, 8),
    enlist(entry) {
      const to = { service, method: "enlist", key: INDEX };
      const parameter = Buffer.from(JSON.stringify(entry));
      ctx.genericSend({ ...to, parameter, inputSerde: serde.binary });
    },
    ring: () => bells.ring(ctx.key),
    bell: () => bells.wait(ctx.key, BELL_MS),
  };
}
