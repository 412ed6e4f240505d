// Loaded by `node --import`: to a Node process on Linux, and to those that it starts, the machine is a Mac.
// There is no /proc; the programs that tell of processes follow macOS's rules: `ps` shows its own variables,
// and none of what Apple has signed, shells and other programs of the system; each process hears another
// host name, as on a laptop that moves between networks.
//
// DARWIN_BROKEN   programs that fail: `ps,sysctl,lsof`
// DARWIN_ASKED    a file that gets the name and arguments of each of them that is started
// DARWIN_BOOT     the id of the boot session; another one after a reboot
// DARWIN_REUSED   process ids that belong to somebody else by now; DARWIN_SIGNALS: a file that gets what is sent to them
// DARWIN_FOLDS    a folder whose file system folds case

import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { basename } from "node:path";
import { foldCase } from "./fold-case.ts";

const { appendFileSync, readFileSync, readdirSync, readlinkSync, realpathSync } = fs;
const {
  DARWIN_ASKED,
  DARWIN_BOOT,
  DARWIN_FOLDS,
  DARWIN_REUSED = "",
  DARWIN_SIGNALS = "",
} = process.env;
const { spawn, spawnSync } = childProcess;

type Call = (...args: readonly unknown[]) => unknown;
type Calls = Record<string, Call>;

Object.defineProperty(process, "platform", { value: "darwin" });
os.hostname = () => `mac-${process.pid}.example`;

const isOfProc = (path: unknown): boolean => /^\/proc(\/|$)/u.test(String(path));

function missing(syscall: string, path: unknown): NodeJS.ErrnoException {
  const message = `ENOENT: no such file or directory, ${syscall} '${String(path)}'`;
  return Object.assign(new Error(message), { code: "ENOENT", errno: -2, syscall });
}

function hideProc(calls: Calls, names: readonly string[], isAsync: boolean): void {
  for (const name of names) {
    const original = calls[name];
    if (original === undefined) throw new Error(`there is no ${name}`);
    calls[name] = (path, ...rest) => {
      if (!isOfProc(path)) return original(path, ...rest);
      const error = missing(name, path);
      if (isAsync) return Promise.reject(error);
      throw error;
    };
  }
}

const NAMES = ["readFile", "readdir", "readlink", "open", "stat", "lstat", "realpath", "access"];
const SYNC = NAMES.map((name) => `${name}Sync`);
hideProc(fs as unknown as Calls, SYNC, false);
hideProc(fs.promises as unknown as Calls, NAMES, true);

// --- What the system's own programs print --------------------------------------------------------

interface Seen {
  readonly pid: number;
  readonly parent: string;
  readonly group: string;
  readonly state: string;
  readonly startedAt: Date;
  readonly command: string;
  readonly environment: string;
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

const TICKS_A_SECOND = 100;
const BOOT_SECONDS = Number(/^btime (\d+)/mu.exec(tryRead("/proc/stat") ?? "")?.[1]);

const reused = new Set(DARWIN_REUSED.split(",").filter(Boolean).map(Number));
const kill = process.kill.bind(process);

process.kill = (pid, signal) => {
  if (!reused.has(Math.abs(pid))) return kill(pid, signal);
  if (signal !== 0) appendFileSync(DARWIN_SIGNALS, `${pid} ${signal}\n`);
  return true;
};

/** Somebody's editor, which was started today. */
function stranger(pid: number): Seen {
  const startedAt = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000);
  const group = String(pid);
  return { pid, parent: "1", group, state: "S", startedAt, command: "vi", environment: "" };
}

function seen(pid: number): Seen | undefined {
  if (reused.has(pid)) return stranger(pid);
  const stat = tryRead(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent = "", group = ""] = fields;
  const spaced = (name: string): string =>
    (tryRead(`/proc/${pid}/${name}`) ?? "").replaceAll(/[\0\n]+/gu, " ").trim();
  return {
    pid,
    parent,
    group,
    state,
    startedAt: new Date((BOOT_SECONDS + Math.floor(Number(fields[19]) / TICKS_A_SECOND)) * 1000),
    command: spaced("cmdline"),
    environment: isSigned(pid) ? "" : spaced("environ"),
  };
}

/** Apple signs what is in these folders; a Node comes from elsewhere. */
function isSigned(pid: number): boolean {
  try {
    const program = realpathSync(`/proc/${pid}/exe`);
    return /^(\/usr)?\/s?bin\//u.test(program) && basename(program) !== "node";
  } catch {
    return true;
  }
}

/** As `LC_ALL=C TZ=UTC0` has it: `Mon Nov 23 06:05:18 2026`. */
function lstart(at: Date): string {
  const [weekday = "", day = "", month = "", year = "", time = ""] = at
    .toUTCString()
    .replace(",", "")
    .split(" ");
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;
}

const OWN_PID = 2 ** 22 + 1;

function list(environment: NodeJS.ProcessEnv): string {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
  const rows = [...new Set([...pids.map(Number), ...reused])]
    .map(seen)
    .filter((row) => row !== undefined);
  const own = rows.find(({ pid }) => pid === process.pid);
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const ps = `${OWN_PID} ${process.pid} ${own?.group} ps ${variables.join(" ")}`;
  const lines = rows.map(
    ({ pid, parent, group, command, environment: env }) =>
      `${String(pid).padStart(5)} ${parent.padStart(5)} ${group.padStart(5)} ${command} ${env}`,
  );
  return [...lines, ps].join("\n");
}

/** `undefined` where it has no folder, or one that is gone. */
function workTree(pid: number): string | undefined {
  if (reused.has(pid)) return "/";
  try {
    const path = readlinkSync(`/proc/${pid}/cwd`);
    return path.endsWith(" (deleted)") ? undefined : path;
  } catch {
    return undefined;
  }
}

/** As the C locale has it. */
function escaped(path: string): string {
  return [...Buffer.from(path)]
    .map((byte) => {
      if (byte === 0x5c) return "\\\\";
      if (byte >= 0x20 && byte < 0x7f) return String.fromCodePoint(byte);
      const code = "\b\f\n\r\t".indexOf(String.fromCodePoint(byte));
      if (code >= 0) return `\\${"bfnrt"[code]}`;
      return byte < 0x20
        ? `^${String.fromCodePoint(byte + 0x40)}`
        : `\\x${byte.toString(16).padStart(2, "0")}`;
    })
    .join("");
}

interface Printed {
  readonly status: number;
  readonly stdout: string;
}

const FAILED: Printed = { status: 1, stdout: "" };

const PROGRAMS: Readonly<
  Record<string, (args: readonly string[], env: NodeJS.ProcessEnv) => Printed>
> = {
  "/usr/sbin/sysctl": ([, name]) => {
    const id = DARWIN_BOOT ?? tryRead("/proc/sys/kernel/random/boot_id") ?? "";
    return name === "kern.bootsessionuuid" ? { status: 0, stdout: id } : FAILED;
  },
  "/bin/ps": (args, env) => {
    const at = args.indexOf("-p");
    if (at < 0) return { status: 0, stdout: list(env) };
    const row = seen(Number(args[at + 1]));
    return row
      ? { status: 0, stdout: `${row.state.padEnd(4)} ${lstart(row.startedAt)}\n` }
      : FAILED;
  },
  // With 1 where one of them is not there, though it prints the others.
  "/usr/sbin/lsof": (args) => {
    const isOfFolders = args.includes("-a") && args[args.indexOf("-d") + 1] === "cwd";
    if (!isOfFolders || !args.includes("-Fpn")) return FAILED;
    const pids = (args[args.indexOf("-p") + 1] ?? "").split(",").map(Number);
    const lines = pids.map((pid) => {
      const path = workTree(pid);
      return path === undefined ? "" : `p${pid}\nfcwd\nn${escaped(path)}\n`;
    });
    return { status: lines.includes("") ? 1 : 0, stdout: lines.join("") };
  },
};

interface Options {
  readonly env?: NodeJS.ProcessEnv;
}

childProcess.spawnSync = ((
  file: string,
  args: readonly string[] = [],
  options: Options = {},
): unknown => {
  const program = PROGRAMS[file];
  if (program === undefined) return spawnSync(file, [...ofNode(file), ...args], options as object);
  const broken = process.env["DARWIN_BROKEN"]?.split(",").includes(basename(file)) === true;
  if (DARWIN_ASKED !== undefined)
    appendFileSync(DARWIN_ASKED, `${[basename(file), ...args].join(" ")}\n`);
  const printed = broken ? FAILED : program(args, options.env ?? process.env);
  return { pid: OWN_PID, signal: null, stderr: "", output: [], ...printed };
}) as typeof spawnSync;

/** What is the same for all on the machine. */
const ofMachine = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith("DARWIN_")),
);

/** What of ours is started with its own variables only is on the same machine. */
function ofNode(file: string): readonly string[] {
  return file === process.execPath ? ["--import", import.meta.url] : [];
}

childProcess.spawn = ((file: string, ...rest: readonly unknown[]): unknown => {
  const [args, ...options] = Array.isArray(rest[0]) ? rest : [[], ...rest];
  const [given] = options as readonly (Options | undefined)[];
  const env = { ...(given?.env ?? process.env), ...ofMachine };
  return (spawn as Call)(file, [...ofNode(file), ...(args as string[])], { ...given, env });
}) as typeof spawn;

syncBuiltinESMExports();
if (DARWIN_FOLDS !== undefined) foldCase(DARWIN_FOLDS);
