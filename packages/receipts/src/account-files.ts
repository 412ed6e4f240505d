import { Buffer } from "node:buffer";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readWholeFile } from "@quasar/durable";
import { keyIdOf } from "./ed25519.ts";
import { messageOf, ReceiptError } from "./errors.ts";
import { refuseWritableFolder } from "./key-folder.ts";
import { type AccountKey, parsePublicKey } from "./public-key.ts";

/** Where an account's public key is kept. */
export function publicKeyFile(dir: string, keyId: string): string {
  return join(dir, `${keyId}.pub`);
}

/**
 * The public keys in a folder of keys: those that sign first, then the retired. A key that is in both
 * places is retired.
 *
 * @throws {ReceiptError} `ERR_DAMAGED_KEY` at a file that is not the key of its name, or cannot be read;
 *   `ERR_UNSAFE_KEY` where others can put keys.
 */
export function accountsIn(dir: string): readonly AccountKey[] {
  const here = keysIn(dir, false); // first: a key that is being retired is in one place or in both
  const retired = keysIn(join(dir, "retired"), true);
  const isRetired = new Set(retired.map(({ keyId }) => keyId));
  return [...here.filter(({ keyId }) => !isRetired.has(keyId)), ...retired];
}

function keysIn(dir: string, retired: boolean): readonly AccountKey[] {
  return publicNamesIn(dir).flatMap((name) => {
    const keyId = /^([0-9a-f]{16})\.pub$/.exec(name)?.[1];
    return keyId === undefined ? [] : readAccount(dir, keyId, retired);
  });
}

function publicNamesIn(dir: string): readonly string[] {
  try {
    refuseWritableFolder(dir);
    return namesIn(dir);
  } catch (error) {
    throw error instanceof ReceiptError ? error : unreadable(dir, error);
  }
}

/** None where the file has gone meanwhile. */
function readAccount(dir: string, keyId: string, retired: boolean): readonly AccountKey[] {
  const path = publicKeyFile(dir, keyId);
  try {
    const bytes = readWholeFile(path, { maxBytes: 4096 });
    if (bytes === undefined) return [];
    const publicKey = parsePublicKey(Buffer.from(bytes).toString("latin1"));
    if (keyIdOf(publicKey) === keyId) return [{ keyId, publicKey, retired }];
  } catch (error) {
    throw unreadable(path, error);
  }
  throw new ReceiptError("ERR_DAMAGED_KEY", `${path} is not the key of its name`);
}

function unreadable(path: string, cause: unknown): ReceiptError {
  const message = `${path} cannot be read: ${messageOf(cause)}`;
  return new ReceiptError("ERR_DAMAGED_KEY", message, { cause });
}

/** Names in a folder, in order; none where there is no folder. */
export function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir).toSorted();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
