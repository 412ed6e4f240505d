import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "./config.ts";
import type { Repository } from "./repository.ts";
import { userFiles } from "./user-files.ts";

/**
 * Whether any file may give attributes to paths: one of the repository, the user or the machine. Starts no process.
 *
 * @see gitattributes(5)
 */
export function mayHaveAttributes(
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
  paths: readonly string[],
  config: Config,
): boolean {
  const folders = new Set(paths.flatMap((path) => foldersOf(dirname(path))));
  const files = [
    "/etc/gitattributes",
    userFiles({ root }, config).attributes,
    join(commonDir, "info", "attributes"),
    ...[...folders].map((folder) => join(root, folder, ".gitattributes")),
  ];
  return files.some((file) => existsSync(file));
}

/** A folder and those around it, up to the root. */
function foldersOf(folder: string): readonly string[] {
  return folder === "." ? ["."] : [folder, ...foldersOf(dirname(folder))];
}
