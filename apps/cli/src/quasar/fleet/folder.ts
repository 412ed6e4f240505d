import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { acquireLock, readPrivateFile, replaceFile } from "@quasar/durable";
import { parseIdentity, type ProcessIdentity } from "@quasar/process";
import * as v from "valibot";
import type { WantedPorts } from "./ports.ts";

/** What is kept of a server that was started. */
export interface Kept {
  readonly ports: WantedPorts;
  /** The server's process, the first of its group. */
  readonly server: ProcessIdentity | undefined;
}

/** Where `quasar fleet up` has its data: one process at a time. */
export interface FleetFolder {
  /** Of the server's own data. */
  readonly data: string;
  /** What the server itself writes. */
  readonly log: string;
  readonly before: Kept;
  keep(kept: Kept): void;
  close(): void;
}

const port = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)));

const schema = v.object({
  ports: v.object({ ingress: port, admin: port, node: port, object: port }),
  server: v.optional(v.unknown()),
});

/** @throws {DurableError} `ERR_LOCKED` where another process has the folder */
export function openFleetFolder(dir: string): FleetFolder {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = acquireLock(join(dir, "lock"));
  const file = join(dir, "up.json");
  return {
    data: join(dir, "data"),
    log: join(dir, "restate-server.log"),
    before: readKept(file),
    keep: (kept) => replaceFile(file, Buffer.from(JSON.stringify(kept)), { keepPrevious: false }),
    close: () => lock.release(),
  };
}

function readKept(file: string): Kept {
  try {
    const bytes = readPrivateFile(file, { maxBytes: 10_000 });
    const { ports, server } = v.parse(schema, JSON.parse(Buffer.from(bytes ?? []).toString()));
    return { ports, server: parseIdentity(server) };
  } catch {
    return { ports: {}, server: undefined }; // Other ports do as well.
  }
}
