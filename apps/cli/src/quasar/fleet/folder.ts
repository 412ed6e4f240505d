import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { acquireLock, DurableError, readPrivateFile, replaceFile } from "@quasar/durable";
import * as v from "valibot";
import { CliError } from "../../shared/errors.ts";
import type { Ports, WantedPorts } from "./ports.ts";

/** Where `quasar fleet up` has its data: one process at a time. */
export interface FleetFolder {
  /** Of the server's own data. */
  readonly data: string;
  /** What the server itself writes. */
  readonly log: string;
  /** The ports of the last time. */
  readonly before: WantedPorts;
  keep(ports: Ports): void;
  close(): void;
}

const port = v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)));

const schema = v.object({ ingress: port, admin: port, node: port, object: port });

/** @throws {CliError} `ERR_LOCKED` where another process has the folder */
export function openFleetFolder(dir: string): FleetFolder {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const lock = lockFolder(dir);
  const file = join(dir, "ports.json");
  return {
    data: join(dir, "data"),
    log: join(dir, "restate-server.log"),
    before: readPorts(file),
    keep: (ports) => replaceFile(file, Buffer.from(JSON.stringify(ports)), { keepPrevious: false }),
    close: () => lock.release(),
  };
}

function lockFolder(dir: string): ReturnType<typeof acquireLock> {
  try {
    return acquireLock(join(dir, "lock"));
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== "ERR_LOCKED") throw error;
    const { ingress } = readPorts(join(dir, "ports.json"));
    const url = ingress === undefined ? "" : ` at http://127.0.0.1:${ingress}`;
    throw new CliError("ERR_LOCKED", `a server with these data is up already${url}`, {
      next: [
        `quasar fleet status${ingress === undefined ? "" : ` --fleet http://127.0.0.1:${ingress}`}`,
      ],
    });
  }
}

function readPorts(file: string): WantedPorts {
  try {
    const bytes = readPrivateFile(file, { maxBytes: 10_000 });
    return v.parse(schema, JSON.parse(Buffer.from(bytes ?? []).toString()));
  } catch {
    return {}; // Others do as well.
  }
}
