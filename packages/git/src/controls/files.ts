import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Repository } from "../repository.ts";
import { namedPath, userFiles } from "../user-files.ts";
import { digestOf, fileDigest, linkTarget, readable, UNREADABLE } from "./digest.ts";

type Texts = Readonly<Record<string, string>>;

/** Takes out of a git hook what the product itself has put there; `undefined`: nothing else is in it. */
export type WithoutOwn = (script: Uint8Array) => Uint8Array | undefined;

/**
 * The files that git may start in a work tree as its hooks, by their paths: in a folder of the git folder's all that is
 * there and in folders within; in another one those whose names a git hook can have, for work may lie beside them. Where
 * husky has the hooks, those that its own start are beside its folder `_`.
 *
 * @param hooksPath - `core.hooksPath`; `""`: it is not set.
 */
export function hookFiles(
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
  hooksPath: string,
  withoutOwn: WithoutOwn,
): Texts {
  const folder = hooksPath === "" ? join(commonDir, "hooks") : namedPath(hooksPath, root);
  const texts = (paths: readonly string[]): readonly (readonly [string, string])[] =>
    paths.flatMap((path) => {
      const text = hookText(path, withoutOwn);
      return text === undefined ? [] : [[shownPath(path, { root, commonDir }), text] as const];
    });
  if (folder.startsWith(`${commonDir}/`)) {
    const entries = entriesOf(folder);
    const within = entries.flatMap((path) => entriesOf(path));
    return Object.fromEntries(texts([folder, ...entries, ...within]));
  }
  const beside = basename(folder) === "_" ? dirname(folder) : join(folder, "_");
  const all = [folder, beside].flatMap((dir) => entriesOf(dir));
  const isHook = (path: string): boolean =>
    HOOK_NAME.test(basename(path)) || basename(dirname(path)) === "_";
  return Object.fromEntries(texts([folder, beside, ...all.filter(isHook)]));
}

/** @see githooks(5) */
const HOOK_NAME = /^[a-z][a-z0-9-]*$/u;

/** But for what git does not start: samples, and what an editor or the product keeps beside a git hook. */
function entriesOf(folder: string): readonly string[] {
  const names = readable(() => readdirSync(folder));
  return (typeof names === "object" ? names : [])
    .filter((name) => !name.startsWith(".") && !/\.(?:sample|before-atlas)$/u.test(name))
    .map((name) => join(folder, name));
}

function hookText(path: string, withoutOwn: WithoutOwn): string | undefined {
  return readable(() => {
    const stat = statSync(path);
    if (!stat.isFile()) return isListed(path) ? undefined : UNREADABLE;
    const bytes = stat.size > MAX_HOOK ? undefined : readable(() => readFileSync(path));
    const rest = typeof bytes === "object" ? withoutOwn(bytes) : undefined;
    if (rest === undefined && typeof bytes === "object") return undefined;
    const digest = rest === undefined ? fileDigest(path) : digestOf(rest);
    const mode = (stat.mode & 0o111) === 0 ? "not executable" : "executable";
    return [digest, mode, linkTarget(path) ?? ""].join(" ");
  });
}

/** Whether it can be said what is in a folder. */
function isListed(folder: string): boolean {
  return readable(() => readdirSync(folder)) !== UNREADABLE;
}

const MAX_HOOK = 2 ** 20;

/** By which files git finds the repository of a work tree, and what its work trees share. */
export function placeFiles(repository: Repository): Texts {
  const paths = [join(repository.root, ".git"), join(repository.gitDir, "commondir")];
  const found = paths.map((path) => {
    const what = [fileDigest(path), linkTarget(path)].filter((each) => each !== undefined);
    return [shownPath(path, repository), what.join(" ")] as const;
  });
  return Object.fromEntries(found.filter(([, what]) => what !== ""));
}

/** Beside its settings: the files that say what a repository leaves out and what it takes for something else. */
export function ruleFiles(repository: Repository, inForce: ReadonlyMap<string, string>): Texts {
  const { gitDir, commonDir } = repository;
  const { ignore, attributes } = userFiles(repository, inForce);
  const paths = [
    ...["exclude", "attributes", "grafts"].map((name) => join(commonDir, "info", name)),
    join(gitDir, "info/sparse-checkout"),
    join(commonDir, "objects/info/alternates"),
    ignore,
    attributes,
  ];
  const found = paths.map((path) => [shownPath(path, repository), fileDigest(path)] as const);
  return Object.fromEntries(
    found.filter((each): each is [string, string] => each[1] !== undefined),
  );
}

/** The objects that git takes others for, in whose place it reads them: `git replace`. */
export function replacedObjects({ commonDir }: Pick<Repository, "commonDir">): Texts {
  const dir = join(commonDir, "refs/replace");
  const textOf = (path: string): string =>
    (readable(() => readFileSync(path, "latin1")) ?? "").trim();
  const ids = readable(() => readdirSync(dir));
  const packed = textOf(join(commonDir, "packed-refs"));
  const lines = [...packed.matchAll(/^([0-9a-f]+) refs\/replace\/(\S+)$/gmu)];
  return Object.fromEntries([
    ...lines.map(([, by = "", id = ""]) => [id, by] as const),
    ...(typeof ids === "object" ? ids : []).map((id) => [id, textOf(join(dir, id))] as const),
  ]);
}

function shownPath(
  path: string,
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
): string {
  if (path.startsWith(`${commonDir}/`)) return join(".git", relative(commonDir, path));
  return path.startsWith(`${root}/`) ? relative(root, path) : path;
}
