import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createOnce, readPrivateFile } from "@quasar/durable";
import { RunsError } from "../errors.ts";
import { shellWord } from "../text/format.ts";
import { makeOwnFolder } from "./own-folder.ts";

const BYTES = 32;

/**
 * The key by which this machine knows its own checkpoints; made on first use, by one process only.
 *
 * @param stateDir - The user's state folder.
 * @throws {DurableError} `ERR_UNSAFE_MODE` when others can read it, and for anything but a file.
 */
export function sealKey(stateDir: string): Uint8Array {
  const path = join(stateDir, "seal.key");
  makeOwnFolder(stateDir);
  createOnce(path, randomBytes(BYTES)); // syncs one that another process has just made, too
  const key = readKey(path);
  if (key?.length !== BYTES) {
    throw new RunsError("ERR_STATE", `${path} is not a key of Quasar`, {
      next: [
        {
          shell: `mv ${shellWord(path)} ${shellWord(`${path}.old`)}`,
          note: "older runs then have to be trusted",
        },
      ],
    });
  }
  return key;
}

/** The key, if there is one yet. */
export function existingSealKey(stateDir: string): Uint8Array | undefined {
  return readKey(join(stateDir, "seal.key"));
}

function readKey(path: string): Uint8Array | undefined {
  return readPrivateFile(path, { maxBytes: 1024 });
}
