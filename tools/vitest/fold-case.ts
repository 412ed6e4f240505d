import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join, relative, sep } from "node:path";

type Calls = Record<string, (...args: readonly unknown[]) => unknown>;

/** Of these the first argument is a path, of the others the first two are. */
const OF_ONE = ["access", "chmod", "exists", "lstat", "mkdir", "open", "opendir", "readdir"];
const OF_ONE_MORE = [
  "readFile",
  "readlink",
  "rm",
  "rmdir",
  "stat",
  "unlink",
  "utimes",
  "writeFile",
];
const OF_TWO = ["copyFile", "cp", "link", "rename"];

/**
 * From here on this process sees a folder as on a disk that folds case, as macOS has it: a name finds what is
 * there in other letters. For calls that block and for `fs.promises`; programs that it starts, git among them, are not
 * deceived.
 */
export function foldCase(root: string): void {
  const { readdirSync } = fs;
  const namesIn = (dir: string): readonly string[] => {
    try {
      return readdirSync(dir);
    } catch {
      return [];
    }
  };
  const found = (path: unknown): unknown => {
    const way = typeof path === "string" ? relative(root, path) : "..";
    if (way === "" || way.startsWith("..")) return path;
    return way.split(sep).reduce((dir, name) => {
      const isSame = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
      return join(dir, namesIn(dir).find(isSame) ?? name);
    }, root);
  };
  const fold = (calls: Calls, name: string, paths: number): void => {
    const original = calls[name];
    if (original === undefined) throw new Error(`there is no ${name}`);
    calls[name] = (...args) =>
      original(...args.map((argument, at) => (at < paths ? found(argument) : argument)));
  };
  for (const [names, paths] of [[[...OF_ONE, ...OF_ONE_MORE], 1] as const, [OF_TWO, 2] as const]) {
    for (const name of names) {
      fold(fs as unknown as Calls, `${name}Sync`, paths);
      // There is no `exists` that answers later.
      if (name !== "exists") fold(fs.promises as unknown as Calls, name, paths);
    }
  }
  syncBuiltinESMExports();
}
