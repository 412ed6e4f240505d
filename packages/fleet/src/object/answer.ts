import { type Json, type LeaseTable, NO_LEASES, PortError } from "@quasar/nebula/port";
import { type CallName, PROTOCOL, type Said } from "../calls.ts";
import { type Call, type FleetKey, isMac, macOfAnswer, macOfCall } from "../mac.ts";
import { type Answered, type Done, HANDLERS, type KeptBoard, newEntryOf } from "./handlers.ts";
import { type KeptEntry, listed } from "./index-entries.ts";

/** What the server gives a handler for one call: what is set is kept once the call is over, all of it or nothing. */
export interface Room {
  get<T>(name: "board" | "leases" | "entries"): Promise<T | null>;
  set(name: "board" | "leases", value: unknown): void;
  /** Milliseconds: the same in each replay. */
  now(): Promise<number>;
  /** Random: the same in each replay. */
  writer(): string;
  /** Has the index know of a nebula, soon and for certain. */
  enlist(entry: KeptEntry): void;
  /** Rings for those who wait for a change of this object. */
  ring(): void;
  /** Ends when somebody rings, or after a while. */
  bell(): Promise<void>;
}

/** A call as it has come. */
export interface Received {
  readonly call: Call;
  readonly mac: string;
  readonly body: Uint8Array;
}

/** Thrown where a call is by somebody without the key: it is answered without any code, and changes nothing. */
export class DeniedError extends Error {
  override readonly name = "DeniedError";
}

/**
 * Carries out a call and makes its answer, refusals included.
 *
 * @throws {DeniedError} where the key is another one
 */
export async function answerCall(
  fleet: FleetKey,
  { call, mac, body }: Received,
  room: Room,
): Promise<Uint8Array> {
  if (!isMac(mac, macOfCall(fleet, call, body))) throw new DeniedError("the key is another one");
  const said: Said = await valueOf(call, body, room).then(
    (value) => ({ v: PROTOCOL, value }),
    (error: unknown) => {
      if (!(error instanceof PortError)) throw error;
      const { code, message } = error;
      return { v: PROTOCOL, refused: { code, message } };
    },
  );
  const text = Buffer.from(JSON.stringify(said));
  return Buffer.concat([Buffer.from(`${macOfAnswer(fleet, call, text)}\n`), text]);
}

async function valueOf({ key, handler }: Call, bytes: Uint8Array, room: Room): Promise<Json> {
  const { v, body } = JSON.parse(Buffer.from(bytes).toString()) as { v: number; body: never };
  if (v !== PROTOCOL) {
    throw new PortError("ERR_PROTOCOL", `the server speaks version ${PROTOCOL}, and not ${v}`);
  }
  const name = handler as CallName;
  if (name === "list")
    return listed((await room.get<readonly KeptEntry[]>("entries")) ?? []) as never;
  const kept = await room.get<KeptBoard>("board");
  if (name === "bell") {
    if ((kept?.version ?? 0) === body) await room.bell();
    return null;
  }
  const done = await run({ key, name }, body, kept, room);
  keep(key, kept, done, room);
  return done.answer as Json;
}

async function run(
  { key, name }: { readonly key: string; readonly name: Answered },
  body: never,
  kept: KeptBoard | null,
  room: Room,
): Promise<Done<unknown>> {
  const handler = HANDLERS[name];
  const leases = (await room.get<LeaseTable>("leases")) ?? NO_LEASES;
  const now = handler.hasClock ? await room.now() : 0;
  const done = handler.run({ nebula: key, kept, leases, now, writer: room.writer() }, body);
  // Who asks in vain, again and again, writes nothing.
  return done.leases === leases ? { ...done, leases: undefined } : done;
}

function keep(
  nebula: string,
  kept: KeptBoard | null,
  { board, leases }: Done<unknown>,
  room: Room,
): void {
  if (leases !== undefined) room.set("leases", leases);
  if (board === undefined || board === kept?.board) return;
  const version = (kept?.version ?? 0) + 1;
  const next: KeptBoard = { version, board };
  requireKeptSize(next);
  room.set("board", next);
  const entry = newEntryOf(nebula, kept?.board, board);
  if (entry !== undefined) room.enlist({ ...entry, version });
  room.ring();
}

/** Bytes of the largest board: what the server does not take is retried for ever, and blocks the nebula. */
const MOST_BOARD_BYTES = 8 * 1024 * 1024;

/** @throws {PortError} `ERR_TOO_LARGE` */
function requireKeptSize(kept: KeptBoard): void {
  const bytes = Buffer.byteLength(JSON.stringify(kept));
  if (bytes <= MOST_BOARD_BYTES) return;
  const message = `the nebula would have ${bytes} bytes, and at most ${MOST_BOARD_BYTES} are kept`;
  throw new PortError("ERR_TOO_LARGE", message);
}
