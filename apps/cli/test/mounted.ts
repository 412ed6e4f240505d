import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { MAIN, type Place } from "./harness.ts";

/** A shell with mounts of its own, which go with it: root's, or those of a user who is root in there. */
const SHELL = process.getuid?.() === 0 ? ["unshare", "-m"] : ["unshare", "-rm"];

/** Why there can be no such shell; `undefined`: there can. */
export const noMounts: string | undefined =
  spawnSync("/usr/bin/env", [...SHELL, "true"]).status === 0
    ? undefined
    : `not tested: ${SHELL.join(" ")} fails`;

export interface MountedOptions {
  /** Typed into the shell before the command, which has the place's variables. */
  readonly mounts: string;
  /** The command's file. @default that of `quasar` */
  readonly main?: string | undefined;
}

/** Runs a command where disks are mounted that nobody else sees. */
export function mounted(
  { repo, env }: Place,
  args: readonly string[],
  { mounts, main = MAIN }: MountedOptions,
): SpawnSyncReturns<string> {
  const script = `set -e; ${mounts}; cd "$PWD"; exec "$@"`;
  const shell = [...SHELL, "/bin/sh", "-c", script, "sh"];
  return spawnSync("/usr/bin/env", [...shell, process.execPath, main, ...args], {
    cwd: repo,
    env: { ...env, REPO: repo },
    encoding: "utf8",
  });
}

/** A read-only disk in the place of a folder. */
export const readOnly = (folder: string): string => `mount -t tmpfs -o ro tmpfs ${folder}`;

/** A folder that can be read and not be written. */
export const frozen = (folder: string): string =>
  `mount --bind ${folder} ${folder}; mount -o remount,ro,bind ${folder}`;

/** A full disk in the place of a folder. */
export const full = (folder: string): string =>
  `mount -t tmpfs -o size=64k tmpfs ${folder}; dd if=/dev/zero of=${folder}/all bs=4k status=none || true`;
