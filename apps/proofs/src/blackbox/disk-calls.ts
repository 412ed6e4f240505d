import { resolve } from "node:path";
import { bytesOf, pathOfDescriptor, type SystemCall } from "./strace.ts";

/** What a program did to one folder, or that it acted on what it had done. */
export type DiskCall =
  | { readonly type: "create"; readonly path: string; readonly truncates: boolean }
  | {
      readonly type: "write";
      readonly path: string;
      readonly bytes: Uint8Array;
      /** `undefined` is the end of the file. */
      readonly offset: number | undefined;
    }
  | { readonly type: "rename" | "link"; readonly from: string; readonly to: string }
  | { readonly type: "unlink" | "mkdir" | "sync"; readonly path: string }
  /** The whole file system. */
  | { readonly type: "sync-all" }
  /** The program started a process or said something: what it saved before must be kept. */
  | { readonly type: "act" }
  /** Another process of it, which has written to the folder, started one: the agent. */
  | { readonly type: "spawn" };

/**
 * The calls of a traced program, of whatever process of it, that concern a folder. The first process
 * is the one whose acts count.
 *
 * @param folder - Absolute; its paths begin with its own name in the result. Its parent is `/`, of
 *   which only syncs are reported.
 * @throws {Error} for a call in the folder that is not known here.
 */
export function diskCalls(calls: readonly SystemCall[], folder: string): readonly DiskCall[] {
  const parent = resolve(folder, "..");
  const within = (path: string): string | undefined =>
    path === folder || path.startsWith(`${folder}/`) ? path.slice(parent.length) : undefined;
  const processes = new Map<number, number>();
  const processOf = (pid: number): number => processes.get(pid) ?? pid;
  const runner = calls[0]?.pid;
  const writers = new Set<number>();
  return calls.flatMap(({ pid, name, args, result }): readonly DiskCall[] => {
    if (result < 0) return [];
    const isRunner = processOf(pid) === runner;
    if (STARTS.has(name)) {
      const isThread = args.join().includes("CLONE_THREAD");
      // The system gives a number again, on a busy machine within one life.
      processes.delete(result);
      writers.delete(result);
      if (isThread) processes.set(result, processOf(pid));
      else if (isRunner) return [{ type: "act" }];
      else if (writers.has(processOf(pid))) return [{ type: "spawn" }];
      return [];
    }
    if (name === "execve") return [];
    if (name === "syncfs") return [{ type: "sync-all" }];
    const [at, ...rest] = isAt(name) ? pathsAt(args) : pathsOf(name, args);
    const path = at === undefined ? undefined : within(at);
    const to = rest[0] === undefined ? undefined : within(rest[0]);
    if (isRunner && /^(write|writev)$/u.test(name) && /^[12]</u.test(args[0] ?? "")) {
      if (path === undefined) return [{ type: "act" }];
    }
    if (/^f(data)?sync$/u.test(name) && at === parent) return [{ type: "sync", path: "/" }];
    if (path === undefined && to === undefined) return [];
    if (path === undefined || (rest.length > 0 && to === undefined)) {
      throw new Error(`${name} crosses the border of ${folder}: ${at} ${rest.join(" ")}`);
    }
    const changes = changeOf(name, args, path, to, result);
    if (changes.length > 0) writers.add(processOf(pid));
    return changes;
  });
}

const STARTS: ReadonlySet<string> = new Set(["clone", "clone3", "fork", "vfork"]);

function changeOf(
  name: string,
  args: readonly string[],
  path: string,
  to: string | undefined,
  result: number,
): readonly DiskCall[] {
  const flags = args.join();
  switch (name) {
    case "open":
    case "openat":
    case "creat": {
      const truncates = name === "creat" || flags.includes("O_TRUNC");
      return truncates || flags.includes("O_CREAT") ? [{ type: "create", path, truncates }] : [];
    }
    case "write":
    case "pwrite64": {
      const offset = name === "pwrite64" ? Number(args[3]) : undefined;
      return [{ type: "write", path, bytes: bytesOf(args[1] ?? "").slice(0, result), offset }];
    }
    case "rename":
    case "renameat":
    case "renameat2":
      return [{ type: "rename", from: path, to: to ?? "" }];
    case "link":
    case "linkat":
      return [{ type: "link", from: path, to: to ?? "" }];
    case "unlink":
    case "unlinkat":
    case "rmdir":
      return [{ type: "unlink", path }];
    case "mkdir":
    case "mkdirat":
      return [{ type: "mkdir", path }];
    case "fsync":
    case "fdatasync":
      return [{ type: "sync", path }];
    default:
      throw new Error(`${name} of ${path} is not known to the crash explorer`);
  }
}

function isAt(name: string): boolean {
  return /at2?$/u.test(name);
}

/** `openat(AT_FDCWD</cwd>, "a")`: pairs of a folder and a path in it. */
function pathsAt(args: readonly string[]): readonly string[] {
  const paths: string[] = [];
  for (const [index, arg] of args.entries()) {
    const path = args[index + 1] ?? "";
    if (!/^(AT_FDCWD|\d+)</u.test(arg) || !path.startsWith('"')) continue;
    paths.push(resolve(pathOfDescriptor(arg), Buffer.from(bytesOf(path)).toString()));
  }
  return paths;
}

/** Paths as they are given, of which the command's own are absolute, or the first descriptor's. */
function pathsOf(name: string, args: readonly string[]): readonly string[] {
  if (/^\d+</u.test(args[0] ?? "")) return [pathOfDescriptor(args[0] ?? "")];
  const count = name === "rename" || name === "link" ? 2 : 1;
  return args.slice(0, count).map((arg) => Buffer.from(bytesOf(arg)).toString());
}
