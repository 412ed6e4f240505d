import { resolve } from "node:path";
import { accountsIn } from "./account-files.ts";
import { publicKeyOf } from "./ed25519.ts";
import { rollForward } from "./chain.ts";
import { type ChainHead, EMPTY_CHAIN, keepHead, readHead } from "./head.ts";
import { withKeyFolder } from "./key-folder.ts";
import { allocateKeyIndex } from "./key-index.ts";
import { parseKeyPath, stepsTo } from "./key-path.ts";
import {
  hasAccount,
  initMasterKey,
  type KeyStatus,
  type MasterKey,
  openMasterKey,
  peekMasterKey,
  rotateMasterKey,
} from "./master-key.ts";
import type { KeyRing } from "./public-key.ts";
import { deriveNode } from "./slip10.ts";
import type { TaskName } from "./task-name.ts";

/** The keys of an installation. */
export interface KeyManager extends KeyRing {
  readonly dir: string;
  /**
   * Makes sure that there is a key to sign with: makes one at first use, and restores a missing one
   * from its backup; `source` says so.
   *
   * @throws {ReceiptError} `ERR_UNSAFE_KEY`; `ERR_DAMAGED_KEY`; `ERR_MISSING_KEY`; `ERR_LOCKED`.
   */
  open(): KeyStatus;
  /** As {@link open}, and makes a new key where the old one is lost: a person's decision. */
  init(): KeyStatus;
  /** Retires the public key that signs now; the next generation's takes its place. */
  rotate(): KeyStatus;
  /** The number of a task in the paths of its keys, allocated at first use. Opens the key first. */
  keyIndex(task: TaskName): number;
  /**
   * The head of a task's chain as it was kept at the last signing; `undefined` where none was, or
   * where the private key, without which it proves nothing, is not here or not for this user to read.
   *
   * @throws {ReceiptError} `ERR_DAMAGED`; `ERR_UNSAFE_KEY`; `ERR_DAMAGED_KEY`
   */
  head(task: TaskName): ChainHead | undefined;
  /**
   * Takes into the kept head what a crash has left out of it: receipts in `dir`, the folder of the task's receipts,
   * that continue its chain and are valid. Does nothing without the private key. Durable once it returns.
   *
   * @throws {ReceiptError} as {@link head}; `ERR_LOCKED`
   */
  recoverHead(task: TaskName, dir: string): void;
  publicKeyAt(keyPath: string, keyId?: string): Uint8Array | undefined;
}

export interface KeyManagerOptions {
  /** Folder of the keys. The first use creates it. */
  readonly dir: string;
  /** Names what is quarantined. @default the clock of this machine */
  readonly now?: (() => Date) | undefined;
}

/** Touches nothing until one of its functions is called. */
export function createKeyManager(options: KeyManagerOptions): KeyManager {
  const dir = resolve(options.dir);
  const { now = () => new Date() } = options;
  const keys: KeyManager = {
    dir,
    open: () => statusOf(openMasterKey(dir)),
    init: () => statusOf(initMasterKey(dir, now())),
    rotate: () => statusOf(rotateMasterKey(dir)),
    keyIndex: (task) => {
      openMasterKey(dir); // an index without a key would say that one was lost
      return withKeyFolder(dir, () => allocateKeyIndex(dir, task));
    },
    head: (task) => {
      const seed = peekMasterKey(dir);
      return seed && readHead(dir, seed, task);
    },
    recoverHead: (task, receipts) => {
      const seed = peekMasterKey(dir);
      if (seed === undefined) return;
      const behind = (): ChainHead | undefined => {
        const kept = readHead(dir, seed, task) ?? EMPTY_CHAIN;
        const head = rollForward(receipts, kept, task, keys);
        return head.count > kept.count ? head : undefined;
      };
      if (behind() === undefined) return;
      withKeyFolder(dir, () => {
        const head = behind();
        if (head !== undefined) keepHead(dir, seed, task, head);
      });
    },
    accounts: () => accountsIn(dir),
    publicKeyAt: (keyPath, keyId = "") => {
      const seed = peekMasterKey(dir);
      if (seed === undefined || (keyId !== "" && !hasAccount(dir, seed, keyId))) return undefined;
      return publicKeyOf(privateKeyAt(seed, keyPath));
    },
  };
  return keys;
}

/** The path by which the Go original names its one key, which it derives nothing from. */
const UNDERIVED = "native-ed25519-v1";

function privateKeyAt(seed: Uint8Array, keyPath: string): Uint8Array {
  if (keyPath === UNDERIVED) return seed;
  const { generation, task, receipt } = parseKeyPath(keyPath);
  return deriveNode(seed, stepsTo(generation, task, receipt)).privateKey;
}

function statusOf({ keyId, generation, source }: MasterKey): KeyStatus {
  return { keyId, generation, source };
}
