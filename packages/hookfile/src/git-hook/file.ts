import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { readWholeFile } from "@quasar/durable";
import { makeFolders } from "@quasar/process/files";
import { ignoring } from "../errno.ts";
import {
  divide,
  GIT_HOOK,
  gitHookBlock,
  gitHookScript,
  insertBlock,
  isOurs,
  managerOf,
} from "./script.ts";

/** Why a git hook is left alone. */
export type Obstacle =
  /** The file is a link, a folder or larger than 1 MiB. */
  | "not-a-file"
  /** It does not begin with a shebang of sh, dash or bash. */
  | "not-a-shell-script"
  /** Git passes it over, and would not if it were made executable. */
  | "not-executable"
  /** husky, lefthook or pre-commit look after the folder. */
  | "managed"
  /** Somebody has changed our block so that its ends do not show. */
  | "damaged-block";

/** What is to be done to a git hook so that it has our block. */
export type Plan =
  | { readonly kind: "present" }
  | { readonly kind: "obstacle"; readonly obstacle: Obstacle }
  | {
      readonly kind: "write";
      readonly how: "created" | "inserted" | "refreshed";
      readonly bytes: Buffer;
      readonly mode: number;
      /** What is kept beside, as it was. */
      readonly backup?: Buffer | undefined;
    };

const MAX_BYTES = 2 ** 20;

/** Looks at a folder of git hooks and changes nothing. */
export function planHook(folder: string, command: readonly string[]): Plan {
  const obstacle = (what: Obstacle): Plan => ({ kind: "obstacle", obstacle: what });
  if (isManaged(folder)) return obstacle("managed");
  const found = readHook(join(folder, GIT_HOOK));
  if (found === undefined) {
    return { kind: "write", how: "created", bytes: script(command), mode: 0o755 };
  }
  if (found === "not-a-file") return obstacle(found);
  const { bytes, mode } = found;
  const divided = divide(bytes);
  if (divided.kind === "damaged") return obstacle("damaged-block");
  if ((mode & 0o111) === 0) return obstacle("not-executable");
  const block = gitHookBlock(command);
  if (divided.kind === "present" && divided.block === block) return { kind: "present" };
  const rest = divided.kind === "present" ? divided.rest : bytes;
  const changed = insertBlock(rest, block);
  if (changed === undefined) return obstacle("not-a-shell-script");
  return divided.kind === "present"
    ? { kind: "write", how: "refreshed", bytes: changed, mode }
    : { kind: "write", how: "inserted", bytes: changed, mode, backup: bytes };
}

function script(command: readonly string[]): Buffer {
  return Buffer.from(gitHookScript(command));
}

/** Does what was planned; returns whether the folder had to be made. */
export function putHook(folder: string, plan: Extract<Plan, { kind: "write" }>): boolean {
  const file = join(folder, GIT_HOOK);
  const madeFolder = lstatSync(folder, { throwIfNoEntry: false }) === undefined;
  if (madeFolder) makeFolders(folder, 0o755);
  if (plan.backup !== undefined) replaceWithMode(backupOf(file), plan.backup, plan.mode);
  replaceWithMode(file, plan.bytes, plan.mode);
  return madeFolder;
}

export type TakenOut =
  /** The file is gone: it was ours, and nobody had added to it. */
  | "file"
  /** The block is gone; the file is what it was before, or what others have made of it since. */
  | "block"
  /** There was no block. */
  | "absent"
  | "damaged-block";

/** Takes our block out of a git hook, with its backup and, if we made it, its empty folder. */
export function takeHookOut(file: string, { madeFolder }: { madeFolder: boolean }): TakenOut {
  const taken = takeBlockOut(file);
  if (taken === "damaged-block") return taken;
  ignoring(GONE, () => unlinkSync(backupOf(file)));
  if (madeFolder) ignoring([...GONE, "ENOTEMPTY", "EEXIST"], () => rmdirSync(dirname(file)));
  return taken;
}

const GONE = ["ENOENT", "ENOTDIR"] as const;

function takeBlockOut(file: string): TakenOut {
  const found = readHook(file);
  if (found === undefined || found === "not-a-file") return "absent";
  const divided = divide(found.bytes);
  if (divided.kind !== "present") return divided.kind === "absent" ? "absent" : "damaged-block";
  const hadOriginal = lstatSync(backupOf(file), { throwIfNoEntry: false }) !== undefined;
  if (!hadOriginal && isOurs(divided.rest)) {
    unlinkSync(file);
    return "file";
  }
  replaceWithMode(file, divided.rest, found.mode);
  return "block";
}

function backupOf(file: string): string {
  return `${file}.before-atlas`;
}

/** Whether any git hook of the folder is one that a tool writes. */
function isManaged(folder: string): boolean {
  return hooksIn(folder).some((name) => {
    const found = readHook(join(folder, name));
    if (found === undefined || found === "not-a-file") return false;
    const divided = divide(found.bytes);
    return managerOf(divided.kind === "present" ? divided.rest : found.bytes) !== undefined;
  });
}

/** Names of git hooks have no dot, unlike samples and backups. */
function hooksIn(folder: string): readonly string[] {
  let names: readonly string[] = [];
  ignoring(GONE, () => {
    names = readdirSync(folder);
  });
  return names.filter((name) => /^[a-z0-9-]+$/.test(name));
}

interface FoundHook {
  readonly bytes: Buffer;
  readonly mode: number;
}

function readHook(file: string): FoundHook | "not-a-file" | undefined {
  let stat: ReturnType<typeof lstatSync>;
  ignoring(GONE, () => {
    stat = lstatSync(file, { throwIfNoEntry: false });
  });
  if (stat === undefined) return undefined;
  if (!stat.isFile() || stat.size > MAX_BYTES) return "not-a-file";
  const bytes = readWholeFile(file, { maxBytes: MAX_BYTES });
  return bytes && { bytes: Buffer.from(bytes), mode: Number(stat.mode) & 0o7777 };
}

/** Git may start the file at any time: it is there whole and executable, or as it was. */
function replaceWithMode(file: string, bytes: Buffer, mode: number): void {
  const unique = randomBytes(8).toString("hex");
  const temporary = join(dirname(file), `.${basename(file)}.${unique}.tmp`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      writeFileSync(fd, bytes);
      fchmodSync(fd, mode);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } catch (error) {
    ignoring(GONE, () => unlinkSync(temporary));
    throw error;
  }
}
