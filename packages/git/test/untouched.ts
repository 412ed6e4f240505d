import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { git } from "./fixture.ts";

/** All that keeping and bringing back files must leave as it is; `but` names what may change. */
export function untouched(root: string, but: readonly string[] = []): Record<string, string> {
  const bytes = (path: string): string => {
    const file = join(root, ".git", path);
    return existsSync(file) ? readFileSync(file).toString("base64") : "none";
  };
  const state: Record<string, string> = {
    index: bytes("index"),
    HEAD: bytes("HEAD"),
    reflog: bytes("logs/HEAD"),
    branches: git(root, "for-each-ref", "refs/heads", "refs/stash", "refs/tags"),
    stash: git(root, "stash", "list"),
    config: bytes("config"),
    status: git(root, "--no-optional-locks", "status", "--porcelain=v2", "--branch"),
  };
  return Object.fromEntries(Object.entries(state).filter(([name]) => !but.includes(name)));
}

/** Every file but git's, with its mode and bytes; names are bytes, one a character. */
export function filesOf(root: string, dir = ""): Record<string, string> {
  const found: Record<string, string> = {};
  const at = (path: string): Buffer => Buffer.from(join(root, path), "latin1");
  for (const name of readdirSync(at(dir), { encoding: "latin1" }).sort()) {
    const path = dir === "" ? name : `${dir}/${name}`;
    if (path === ".git") continue;
    const stat = lstatSync(at(path));
    if (stat.isDirectory()) Object.assign(found, filesOf(root, path));
    else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(at(path))}`;
    else found[path] = `${stat.mode & 0o100} ${readFileSync(at(path)).toString("latin1")}`;
  }
  return found;
}
