import { lstatSync } from "node:fs";

/** Another one once a file was changed or replaced; `""`: there is none. */
export function fileMark(path: string): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.ino} ${stat.size} ${stat.ctimeNs}`;
}
