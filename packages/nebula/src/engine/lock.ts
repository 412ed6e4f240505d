import { acquireLock, DurableError, type Lock, lockHolder } from "@quasar/durable";
import { NebulaError } from "../errors.ts";
import type { NebulaHome } from "../state/home.ts";

/** Takes the lock of a nebula: one engine works on it. @throws {NebulaError} `ERR_LOCKED` */
export function lockNebula(home: NebulaHome): Lock {
  try {
    return acquireLock(home.lock);
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== "ERR_LOCKED") throw error;
    const holder = lockHolder(home.lock);
    const who =
      holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host}`;
    throw new NebulaError("ERR_LOCKED", `another engine works on this nebula: ${who}`, {
      cause: error,
      next: holder === undefined ? [] : [{ shell: `kill -INT ${holder.pid}`, note: "stops it" }],
    });
  }
}
