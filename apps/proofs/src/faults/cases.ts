import { join } from "node:path";
import type { Place } from "../blackbox/place.ts";
import { bytesOf, pathOfDescriptor, type SystemCall } from "../blackbox/strace.ts";

/** A system call that fails, in one process of a command. */
export interface FaultCase {
  /** `runner`, `supervisor`, or the subcommand of git that is struck the first time it is called. */
  readonly process: string;
  readonly call: string;
  /** Which call of that name fails, counted from 1, by the process's first thread. */
  readonly nth: number;
  readonly errno: string;
  /** Whether every later call of that name fails as well. */
  readonly forGood: boolean;
  /** What the call was about, for a person. */
  readonly about: string;
}

/** Which errors make sense for a call. Of those that open, the last three only where they write. */
const ERRNOS: Readonly<Record<string, readonly string[]>> = {
  openat: ["EIO", "EMFILE", "EACCES", "ENOSPC", "EDQUOT", "EROFS"],
  write: ["EIO", "ENOSPC", "EDQUOT"],
  fsync: ["EIO", "ENOSPC", "EDQUOT"],
  rename: ["EIO", "ENOSPC", "EDQUOT", "EACCES", "EROFS"],
  link: ["EIO", "ENOSPC", "EDQUOT", "EACCES", "EROFS"],
  unlink: ["EIO", "EACCES", "EROFS"],
  mkdir: ["EIO", "ENOSPC", "EDQUOT", "EACCES", "EROFS"],
  ftruncate: ["EIO", "EACCES"],
  read: ["EIO"],
  pread64: ["EIO"],
  getdents64: ["EIO"],
  close: ["EIO"],
  socketpair: ["EMFILE"],
};

/** Calls that Node's own machinery makes too, and ends itself when they fail: of those only one fails. */
const SHARED: ReadonlySet<string> = new Set(["write", "read", "close"]);

export const FAULTY_CALLS: readonly string[] = Object.keys(ERRNOS);

/** Every fault of the calls of one thread that concern what is stored, or that start a process. */
export function faultsOf(
  process: string,
  calls: readonly SystemCall[],
  at: Place,
): readonly FaultCase[] {
  const counts = new Map<string, number>();
  return calls.flatMap(({ name, args }) => {
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    const path = pathOf(name, args);
    if (!isOurs(name, path, at)) return [];
    const writes = /O_WRONLY|O_RDWR|O_CREAT/u.test(args.join());
    const errnos = ERRNOS[name] ?? [];
    const fitting = name === "openat" && !writes ? errnos.slice(0, 3) : errnos;
    const about = path.replace(at.root, "").replaceAll(/[0-9a-f]{16}/gu, "*");
    const times = process === "runner" && SHARED.has(name) ? [false] : [false, true];
    return fitting.flatMap((errno) =>
      times.map((forGood) => ({ process, call: name, nth, errno, forGood, about })),
    );
  });
}

/** Whether a call is one of those, and not of the runtime beneath: they cannot all be distinguished by counting. */
export function isFaultOf({ name, args }: SystemCall, at: Place): boolean {
  return isOurs(name, pathOf(name, args), at);
}

function isOurs(name: string, path: string, { root, repo }: Place): boolean {
  if (name === "socketpair") return true;
  const stateDir = join(root, "home/.local/state");
  return [join(repo, ".git"), join(repo, ".quasar"), stateDir].some((dir) => path.startsWith(dir));
}

function pathOf(name: string, args: readonly string[]): string {
  const [first = "", second = ""] = args;
  const text = (arg: string): string => Buffer.from(bytesOf(arg)).toString();
  if (name === "openat") {
    const path = text(second);
    return path.startsWith("/") ? path : join(pathOfDescriptor(first) || "/", path);
  }
  if (/^(rename|link)$/u.test(name)) return text(second);
  const given = first.startsWith('"') ? text(first) : pathOfDescriptor(first);
  return given;
}

/** One line for a person, and for `--only`. */
export function nameOf(fault: FaultCase): string {
  const { process, call, nth, errno, forGood, about } = fault;
  return `${process} ${call}#${nth}${forGood ? "+" : ""} ${errno} ${about}`;
}
