import { existsSync } from "node:fs";
import { join } from "node:path";
import type { KeyManager } from "@quasar/receipts";
import { formatKeyPath } from "@quasar/receipts/keys";

/** The private key's file, and its copy beside it. */
export const MASTER = "master.key";
export const BACKUP = "master.key.bak";

export interface KeyFacts {
  readonly accounts: ReturnType<KeyManager["accounts"]>;
  readonly hasKey: boolean;
  readonly hasBackup: boolean;
  /** There was a key, and neither it nor its backup is here: nothing can be signed. */
  readonly isMissing: boolean;
}

/**
 * Which keys there are. Makes none.
 *
 * @throws {ReceiptError} for what would keep the private key from signing, also that it is another than that of the
 *   public keys.
 */
export function keyFacts(keys: KeyManager): KeyFacts {
  const accounts = keys.accounts();
  // Reads the private key, as signing would.
  keys.publicKeyAt(formatKeyPath(0, 0, 0), accounts[0]?.keyId);
  const hasKey = existsSync(join(keys.dir, MASTER));
  const hasBackup = existsSync(join(keys.dir, BACKUP));
  return { accounts, hasKey, hasBackup, isMissing: !hasKey && !hasBackup && accounts.length > 0 };
}

export function keyWords({ hasKey, hasBackup, isMissing }: Omit<KeyFacts, "accounts">): string {
  if (hasKey) return "is here";
  if (hasBackup) return "is gone; its backup is here and takes its place at the next signing";
  return isMissing
    ? "is missing, and so is its backup: nothing can be signed"
    : "none yet: the first signing makes one";
}

/** What a person can do about a key that is missing. */
export function waysWithoutKey(dir: string): readonly string[] {
  return [
    `put ${MASTER} back into ${dir}`,
    "atlas keys init   # a new key; what was signed stays verifiable",
  ];
}
