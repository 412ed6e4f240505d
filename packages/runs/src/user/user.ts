import { homedir } from "node:os";
import { type UserFolders, userFolders } from "./places.ts";
import { existingSealKey, sealKey } from "./seal-key.ts";

/** Whose machine this is. */
export interface User {
  readonly folders: UserFolders;
  /** Made when first asked for. */
  sealKey(): Uint8Array;
  /** For who only looks: makes none. */
  existingSealKey(): Uint8Array | undefined;
}

export function openUser(): User {
  const folders = userFolders(process.env, process.env["HOME"] ?? homedir());
  return {
    folders,
    sealKey: () => sealKey(folders.state),
    existingSealKey: () => existingSealKey(folders.state),
  };
}

/** The key of a user where it only makes reading quicker: one that cannot be used is none. */
export function usableKey(user: Pick<User, "existingSealKey">): Uint8Array | undefined {
  try {
    return user.existingSealKey();
  } catch {
    return undefined;
  }
}
