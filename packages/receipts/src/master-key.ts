import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import {
  createOnce,
  DurableError,
  readPrivateFile,
  recoverDirectory,
  removeFile,
  quarantine,
} from "@quasar/durable";
import { accountsIn, namesIn, publicKeyFile } from "./account-files.ts";
import { keyIdOf, publicKeyOf } from "./ed25519.ts";
import { ReceiptError } from "./errors.ts";
import { refuseSharedFolder, withKeyFolder } from "./key-folder.ts";
import { stepsTo } from "./key-path.ts";
import { sshLine } from "./public-key.ts";
import { deriveNode } from "./slip10.ts";

/** Which account signs now, and what it took to get its key. */
export interface KeyStatus {
  /** Grows by one with each rotation. */
  readonly generation: number;
  /** Of the account's key. */
  readonly keyId: string;
  /** `restored`: the key was missing and came back from its backup. */
  readonly source: "loaded" | "created" | "restored";
}

/** The private key, and the account below it that signs. */
export interface MasterKey extends KeyStatus {
  readonly seed: Buffer;
}

/**
 * The master key; made at first use, restored from its backup where only that is left.
 *
 * @throws {ReceiptError} `ERR_UNSAFE_KEY`; `ERR_DAMAGED_KEY`; `ERR_MISSING_KEY` where there was a key
 *   and no backup of it is here; `ERR_LOCKED`.
 * @see SPEC.md, "Master key"
 */
export function openMasterKey(dir: string): MasterKey {
  refuseSharedFolder(dir);
  const seed = readKey(masterPath(dir));
  if (seed !== undefined) {
    const { account, before } = accountsOf(dir, seed);
    const retired = before.map(({ keyId }) => retiredFile(dir, keyId));
    const others = [backupPath(dir), publicKeyFile(dir, account.keyId), ...retired];
    if (others.every(existsSync) && !namesIn(dir).some(isLeftover)) {
      return { seed, ...account, source: "loaded" };
    }
  }
  return withKeyFolder(dir, () => {
    removeLeftovers(dir);
    return complete(dir, findKey(dir) ?? restoreKey(dir) ?? createKey(dir));
  });
}

/**
 * As {@link openMasterKey}, but makes a new key where the old one is lost for good. Its public keys
 * are retired, and a backup that is damaged or not of it is quarantined.
 */
export function initMasterKey(dir: string, now: Date): MasterKey {
  return withKeyFolder(dir, () => {
    removeLeftovers(dir);
    const found = findKey(dir) ?? restoreSoundKey(dir);
    if (found !== undefined) return complete(dir, found);
    for (const { keyId, publicKey, retired } of accountsIn(dir)) {
      if (!retired) retire(dir, keyId, publicKey);
    }
    if (existsSync(backupPath(dir))) quarantine(backupPath(dir), { now });
    return complete(dir, writeNewKey(dir));
  });
}

/** Retires the account's key; the next generation's signs from now on. */
export function rotateMasterKey(dir: string): MasterKey {
  const { seed, source } = openMasterKey(dir);
  return withKeyFolder(dir, () => {
    const { keyId, publicKey } = accountOf(dir, seed);
    retire(dir, keyId, publicKey);
    return complete(dir, { seed, source });
  });
}

/**
 * The private key if it is here, or else its backup; `undefined` also where this user may not read
 * them. Changes nothing.
 */
export function peekMasterKey(dir: string): Buffer | undefined {
  try {
    return readKey(masterPath(dir)) ?? readKey(backupPath(dir));
  } catch (error) {
    const isDenied = error instanceof Error && "code" in error && isDenial(error.code);
    if (isDenied) return undefined;
    throw error;
  }
}

const isDenial = (code: unknown): boolean => code === "EACCES" || code === "EPERM";

/** Whether an account is one of the key's. */
export function hasAccount(dir: string, seed: Uint8Array, keyId: string): boolean {
  const { account, before } = accountsOf(dir, seed);
  return [...before, account].some((each) => each.keyId === keyId);
}

type Found = Pick<MasterKey, "seed" | "source">;

const masterPath = (dir: string): string => join(dir, "master.key");
const backupPath = (dir: string): string => join(dir, "master.key.bak");
const retiredFile = (dir: string, keyId: string): string =>
  publicKeyFile(join(dir, "retired"), keyId);

function findKey(dir: string): Found | undefined {
  const seed = readKey(masterPath(dir));
  return seed && { seed, source: "loaded" };
}

function restoreKey(dir: string): Found | undefined {
  const seed = readKey(backupPath(dir));
  if (seed === undefined || findAccounts(dir, seed)?.isKnown !== true) return undefined;
  createOnce(masterPath(dir), keyText(seed));
  return { seed, source: "restored" };
}

/** As {@link restoreKey}; a damaged backup is none. */
function restoreSoundKey(dir: string): Found | undefined {
  try {
    return restoreKey(dir);
  } catch (error) {
    if (error instanceof ReceiptError && error.code === "ERR_DAMAGED_KEY") return undefined;
    throw error;
  }
}

function createKey(dir: string): Found {
  const traces = [backupPath(dir), join(dir, "index.json"), join(dir, "heads")].filter(existsSync);
  const [trace] = [...traces, ...accountsIn(dir).map(({ keyId }) => publicKeyFile(dir, keyId))];
  if (trace === undefined) return writeNewKey(dir);
  const [lost, copy] = existsSync(backupPath(dir))
    ? ["its backup is not known to be of it", ", copy the backup there if you know it"]
    : ["there is no backup", ""];
  const message =
    `${masterPath(dir)} is missing, though ${basename(trace)} shows that there was one, and ${lost}: ` +
    `put it back${copy}, or initialize a new key`;
  throw new ReceiptError("ERR_MISSING_KEY", message);
}

function writeNewKey(dir: string): Found {
  const seed = randomBytes(32);
  createOnce(masterPath(dir), keyText(seed));
  return { seed, source: "created" };
}

/** Adds what a crash left out. The public key comes last: it says that the rest is there. */
function complete(dir: string, { seed, source }: Found): MasterKey {
  const { account, before } = accountsOf(dir, seed);
  createOnce(backupPath(dir), keyText(seed));
  for (const { keyId, publicKey } of before) retire(dir, keyId, publicKey);
  const { generation, keyId, publicKey } = account;
  createOnce(publicKeyFile(dir, keyId), Buffer.from(`${sshLine(publicKey)}\n`));
  return { seed, generation, keyId, source };
}

/** The account that signs. */
export interface Account {
  readonly generation: number;
  readonly keyId: string;
  readonly publicKey: Buffer;
}

/**
 * The account that signs: the first of the key's whose public key is not retired.
 *
 * @throws {ReceiptError} `ERR_DAMAGED_KEY` where the public keys that are here are of another key: one
 *   digit that was changed gives another key.
 */
export function accountOf(dir: string, seed: Uint8Array): Account {
  return accountsOf(dir, seed).account;
}

function accountsOf(dir: string, seed: Uint8Array): Accounts {
  const accounts = findAccounts(dir, seed);
  if (accounts !== undefined) return accounts;
  throw damaged(masterPath(dir), "it is not the key of the public key that is here");
}

/** A key's account that signs, and those that did before. */
interface Accounts {
  readonly account: Account;
  readonly before: readonly Account[];
  /** Whether any of their public keys is here. */
  readonly isKnown: boolean;
}

/** How many retired public keys in a row may be lost. */
const LONGEST_GAP = 16;

/** `undefined` where the public key that is here is of another key. */
function findAccounts(dir: string, seed: Uint8Array): Accounts | undefined {
  const isRetired = new Map(accountsIn(dir).map(({ keyId, retired }) => [keyId, retired]));
  const tried: Account[] = [];
  let known = 0;
  while (tried.length <= known + LONGEST_GAP) {
    const account = accountAt(seed, tried.length);
    const retired = isRetired.get(account.keyId);
    if (retired === false) return { account, before: tried, isKnown: true };
    tried.push(account);
    if (retired === true) known = tried.length;
  }
  if ([...isRetired.values()].includes(false)) return undefined;
  return { account: accountAt(seed, known), before: tried.slice(0, known), isKnown: known > 0 };
}

function accountAt(seed: Uint8Array, generation: number): Account {
  const publicKey = publicKeyOf(deriveNode(seed, stepsTo(generation)).privateKey);
  return { generation, keyId: keyIdOf(publicKey), publicKey };
}

function retire(dir: string, keyId: string, publicKey: Uint8Array): void {
  createOnce(retiredFile(dir, keyId), Buffer.from(`${sshLine(publicKey)}\n`));
  removeFile(publicKeyFile(dir, keyId));
}

/** Of a process that was killed while it made a key: it may hold one. */
const isLeftover = (name: string): boolean => name.startsWith(".master.key");

function removeLeftovers(dir: string): void {
  recoverDirectory(dir, { accept: (name) => name.startsWith("master.key") });
}

function keyText(seed: Buffer): Buffer {
  return Buffer.from(`${seed.toString("hex")}\n`);
}

/** 64 hex digits; or the Go original's 128, a private key and its public one. */
function readKey(path: string): Buffer | undefined {
  const bytes = readOwnFile(path);
  if (bytes === undefined) return undefined;
  const [, digits, more] =
    /^([0-9a-f]{64})([0-9a-f]{64})?\n?$/.exec(bytes.toString("latin1")) ?? [];
  if (digits === undefined) throw damaged(path, "it is not 64 hex digits");
  const seed = Buffer.from(digits, "hex");
  if (more !== undefined && publicKeyOf(seed).toString("hex") !== more) {
    throw damaged(path, "its second half is not the public key of its first");
  }
  return seed;
}

function readOwnFile(path: string): Buffer | undefined {
  try {
    const bytes = readPrivateFile(path, { maxBytes: 4096 });
    return bytes && Buffer.from(bytes);
  } catch (error) {
    if (!(error instanceof DurableError)) throw error;
    if (error.code !== "ERR_UNSAFE_MODE") throw damaged(path, error.message, error);
    const message = `${error.message}; run chmod 600 on it if nobody has read it`;
    throw new ReceiptError("ERR_UNSAFE_KEY", message, { cause: error });
  }
}

function damaged(path: string, why: string, cause?: unknown): ReceiptError {
  const message = `parsing master key: ${path}: ${why}; it is not replaced: put the right file there, or move it away to do without it`;
  return new ReceiptError("ERR_DAMAGED_KEY", message, { cause });
}
