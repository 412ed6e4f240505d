import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { DurableError, readWholeFile } from "@quasar/durable";
import { packageScripts } from "@quasar/loop/internal";
import { codeOf } from "@quasar/runs/internal";

/** What a command runs of a repository, so that a yes to it is asked for again when that changes. */
export interface CheckIdentity {
  readonly command: string;
  /** The scripts of package.json that it names, by name. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Git's ids of the files that it names or is made of, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Looks, without running anything, what of a work tree a command would run. */
export function identityOf(command: string, workTree: string): CheckIdentity {
  const words = command.split(/[\s;&|()<>"'`$=]+/u).filter((word) => word !== "");
  const paths = [...words, ...words.flatMap((word) => RECIPES[word] ?? [])];
  const files = paths.flatMap((path) => {
    const id = blobId(workTree, path);
    return id === undefined ? [] : [[relative(workTree, resolve(workTree, path)), id] as const];
  });
  return { command, scripts: scriptsIn(words, workTree), files: Object.fromEntries(files) };
}

/** Where a program keeps its own settings for what it does. */
const RECIPES: Readonly<Record<string, readonly string[]>> = {
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
};
const RUNNERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const MAX_BYTES = 16 * 2 ** 20;

function scriptsIn(words: readonly string[], workTree: string): Readonly<Record<string, string>> {
  if (!words.some((word) => RUNNERS.has(word))) return {};
  const scripts = packageScripts(workTree);
  const named = words.flatMap((word) => [`pre${word}`, word, `post${word}`]);
  return Object.fromEntries(
    named.flatMap((name) => {
      const script = scripts.get(name);
      return script === undefined ? [] : [[name, script] as const];
    }),
  );
}

/** As git names it; `undefined` for what is no file in the work tree. A link counts as what it leads to. */
function blobId(workTree: string, path: string): string | undefined {
  try {
    const root = realpathSync(workTree);
    const real = realpathSync(resolve(workTree, path));
    if (relative(root, real).startsWith("..")) return undefined;
    const bytes = readWholeFile(real, { maxBytes: MAX_BYTES });
    if (bytes === undefined) return undefined;
    return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  } catch (error) {
    if (error instanceof DurableError || UNREADABLE.has(codeOf(error))) return undefined;
    throw error;
  }
}

const UNREADABLE: ReadonlySet<string> = new Set([
  ...["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"],
]);
