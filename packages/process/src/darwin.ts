import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { exists } from "./exists.ts";
import { limitOf, type ListedProcess, type Look, type System } from "./platform.ts";

/**
 * macOS, by the programs that it comes with: start times are seconds since 1970, as the clock was then.
 *
 * `ps` shows no variables of programs that Apple has signed, shells among them. They are taken to have
 * those of their group's leader, or of their parent.
 *
 * @see ps(1), lsof(8), sysctl(8)
 */
export const darwin: System = {
  bootId() {
    boot ??= { id: run("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"])?.stdout.trim() };
    return boot.id;
  },
  look(pid) {
    if (!exists(pid)) return { state: "ended" };
    const known = looks.get(pid);
    if (known !== undefined && performance.now() - known.at < LOOK_HOLDS_MS) return known.look;
    const look = lookNow(pid);
    looks.set(pid, { at: performance.now(), look });
    return look;
  },
  list() {
    const ps = run("/bin/ps", ["-axww", "-E", "-o", "pid=,ppid=,pgid=,command="]);
    // It lists itself, too, and would have the variables of this process.
    return ps && processesIn(ps.stdout).filter(({ pid }) => pid !== ps.pid);
  },
  workTrees(pids) {
    // It ends with 1 where one of them is gone, as where it has failed. This process is not gone.
    const list = [process.pid, ...pids].join(",");
    const dirs = foldersIn(
      start("/usr/sbin/lsof", ["-w", "-a", "-d", "cwd", "-p", list, "-Fpn"]).stdout ?? "",
    );
    return dirs.has(process.pid) ? dirs : undefined;
  },
  contain: () => undefined,
  endContained: async () => {},
  // A shell has the limits of who starts it.
  openFiles: () => limitOf(run("/bin/sh", ["-c", "ulimit -n"])?.stdout.trim()),
  sync: () => ({ args: [], isDone: false }),
};

let boot: { readonly id: string | undefined } | undefined;

/** No process id comes again so soon: who follows a process asks often, and each `ps` takes a while. */
const LOOK_HOLDS_MS = 1000;
const looks = new Map<number, { readonly at: number; readonly look: Look }>();

function lookNow(pid: number): Look {
  const ps = run("/bin/ps", ["-o", "stat=,lstart=", "-p", String(pid)]);
  if (ps === undefined) return { state: exists(pid) ? "unknown" : "ended" };
  const [, state = "", started = ""] = /^\s*(\S+)\s+(.*\S)\s*$/u.exec(ps.stdout) ?? [];
  if (state.startsWith("Z")) return { state: "ended" };
  const startTime = Date.parse(`${started} UTC`) / 1000;
  return Number.isNaN(startTime) ? { state: "unknown" } : { state: "running", startTime };
}

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Arguments and variables, parted and surrounded by spaces. */
  readonly command: string;
}

function processesIn(text: string): readonly ListedProcess[] {
  const rows = new Map(
    text
      .split("\n")
      .flatMap(rowOf)
      .map((row) => [row.pid, row]),
  );
  // What cannot be seen of a process is what the leader of its group has, or its parent.
  const variableOf = (row: Row, name: string, depth = 0): string | undefined => {
    if (isShown(row) || depth > MOST_ANCESTORS) return valueIn(row, name);
    const leader = rows.get(row.group);
    const ofLeader = leader && valueIn(leader, name);
    const parent = row.parent > 1 ? rows.get(row.parent) : undefined;
    return ofLeader ?? (parent && variableOf(parent, name, depth + 1));
  };
  return [...rows.values()].map((row) => ({
    pid: row.pid,
    parent: row.parent,
    group: row.group,
    variable: (name) => variableOf(row, name),
    variableNow: (name) => variableOf(row, name),
  }));
}

/** A listing is not made in one instant: parents may form a circle in it. */
const MOST_ANCESTORS = 100;

function rowOf(line: string): readonly Row[] {
  const [, pid, parent, group, command] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s(.*)$/su.exec(line) ?? [];
  if (pid === undefined) return [];
  const [at, of, within] = [Number(pid), Number(parent), Number(group)];
  return [{ pid: at, parent: of, group: within, command: ` ${command} ` }];
}

/** Whether its variables can be seen: nobody starts an agent, or a shell, without this one. */
function isShown({ command }: Row): boolean {
  return command.includes(" PATH=");
}

/** Of a value with spaces, the first word. */
function valueIn({ command }: Row, name: string): string | undefined {
  const before = ` ${name}=`;
  const at = command.indexOf(before);
  if (at < 0) return undefined;
  const from = at + before.length;
  return command.slice(from, command.indexOf(" ", from));
}

/** Of lines that begin with `p`, a process, with `f`, its file, and with `n`, what that is called. */
function foldersIn(text: string): ReadonlyMap<number, string> {
  const dirs = new Map<number, string>();
  let pid = 0;
  for (const line of text.split("\n")) {
    if (line.startsWith("p")) pid = Number(line.slice(1));
    // What hinders a look stands there instead of a path.
    else if (line.startsWith("n/")) dirs.set(pid, unescaped(line.slice(1)));
  }
  return dirs;
}

const ESCAPED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** A path as `lsof` prints it in the C locale: what is no printable ASCII, byte by byte. */
function unescaped(name: string): string {
  const bytes = name.replaceAll(
    /\\(?:x([0-9a-f]{2})|(.))/gu,
    (_, byte?: string, letter: string = "") =>
      byte === undefined
        ? (ESCAPED[letter] ?? letter)
        : String.fromCodePoint(Number.parseInt(byte, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}

const LONGEST_MS = 10_000;
const MOST_BYTES = 2 ** 28;
const ENVIRONMENT = { LC_ALL: "C", TZ: "UTC0" };

interface Printed {
  readonly pid: number;
  readonly stdout: string;
}

/** What a program of the system prints; `undefined` where it fails or prints nothing. */
function run(file: string, args: readonly string[]): Printed | undefined {
  const { status, pid, stdout } = start(file, args);
  return status === 0 && stdout.trim() !== "" ? { pid, stdout } : undefined;
}

/** `stdout` is `null` where it could not be started. */
function start(file: string, args: readonly string[]): SpawnSyncReturns<string> {
  const options = { env: ENVIRONMENT, encoding: "utf8", timeout: LONGEST_MS } as const;
  return spawnSync(file, args, { ...options, maxBuffer: MOST_BYTES });
}
