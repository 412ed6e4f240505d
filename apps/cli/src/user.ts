import { homedir } from "node:os";
import { type UserFolders, userFolders } from "./places.ts";
import { sealKey } from "./seal-key.ts";

/** Whose machine this is. */
export interface User {
  readonly folders: UserFolders;
  /** Made when first asked for. */
  sealKey(): Uint8Array;
}

export function openUser(): User {
  const folders = userFolders(process.env, process.env["HOME"] ?? homedir());
  return { folders, sealKey: () => sealKey(folders.state) };
}
