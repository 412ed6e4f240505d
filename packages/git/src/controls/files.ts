import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { Repository } from "../repository.ts";
import { userFiles } from "../user-files.ts";
import { digestOf, fileDigest, linkTarget, unlessGone } from "./digest.ts";
import { named } from "./settings.ts";

type Texts = Readonly<Record<string, string>>;

/** Takes out of a git hook what the product itself has put there; `undefined`: nothing else is in it. */
export type WithoutOwn = (script: Uint8Array) => Uint8Array | undefined;

/**
 * The files that git may start in a work tree as its hooks, by their paths: those in the folder of hooks, and what
 * husky's start beside it.
 *
 * @param hooksPath - `core.hooksPath`; `""`: it is not set.
 */
export function hookFiles(
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
  hooksPath: string,
  withoutOwn: WithoutOwn,
): Texts {
  const folder = hooksPath === "" ? join(commonDir, "hooks") : named(hooksPath, root);
  const beside = basename(folder) === "_" ? dirname(folder) : join(folder, "_");
  const found = [folder, beside].flatMap((dir) =>
    (unlessGone(() => readdirSync(dir)) ?? [])
      .filter((name) => !isPassedOver(name))
      .map((name) => join(dir, name))
      .flatMap((path): readonly (readonly [string, string])[] => {
        const text = hookText(path, withoutOwn);
        return text === undefined ? [] : [[shownPath(path, { root, commonDir }), text]];
      }),
  );
  return Object.fromEntries(found);
}

/** Git starts none of these: samples, and what an editor or the product keeps beside a git hook. */
function isPassedOver(name: string): boolean {
  return name.startsWith(".") || /\.(?:sample|before-atlas)$/u.test(name);
}

function hookText(path: string, withoutOwn: WithoutOwn): string | undefined {
  return unlessGone(() => {
    const stat = statSync(path);
    if (!stat.isFile()) return undefined;
    const isLarge = stat.size > MAX_HOOK;
    const rest = isLarge ? undefined : withoutOwn(readFileSync(path));
    if (rest === undefined && !isLarge) return undefined;
    const digest = rest === undefined ? fileDigest(path) : digestOf(rest);
    const mode = (stat.mode & 0o111) === 0 ? "not executable" : "executable";
    return [digest, mode, linkTarget(path) ?? ""].join(" ");
  });
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

/** Beside its settings: the files by which a repository is told what to leave out and what to take for something else. */
export function ruleFiles(repository: Repository, settings: Texts): Texts {
  const { gitDir, commonDir } = repository;
  const { ignore, attributes } = userFiles(repository, new Map(Object.entries(settings)));
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
  const loose = (unlessGone(() => readdirSync(dir)) ?? []).map(
    (id) => [id, (unlessGone(() => readFileSync(join(dir, id), "latin1")) ?? "").trim()] as const,
  );
  const packed = unlessGone(() => readFileSync(join(commonDir, "packed-refs"), "latin1")) ?? "";
  const lines = [...packed.matchAll(/^([0-9a-f]+) refs\/replace\/(\S+)$/gmu)];
  return Object.fromEntries([...lines.map(([, by = "", id = ""]) => [id, by] as const), ...loose]);
}

function shownPath(
  path: string,
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
): string {
  if (path.startsWith(`${commonDir}/`)) return join(".git", relative(commonDir, path));
  return path.startsWith(`${root}/`) ? relative(root, path) : path;
}
