/**
 * The supervisor of a turn, a program of its own: it starts the agent when it is told to, keeps what it
 * prints and how it ends, holds it to its limits, and works on when the runner is gone.
 *
 * Nothing but Node's own and what knows of processes is loaded before the agent runs.
 *
 * @see SPEC.md, "The supervisor"
 */
import * as fs from "node:fs";
import { dirname } from "node:path";
import { identityOf, syncFileSystem } from "@quasar/process";
import { runChild, type StopReason } from "./child.ts";
import { isDelta } from "./delta.ts";
import type { ExitRecord } from "./exit-record.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { createLineRedactor, redactorOf } from "./secrets/redact.ts";
import { ALREADY_BEGUN, CANCEL, GO, type SupervisorSpec } from "./supervisor-spec.ts";
import { hasCode } from "./turn-files.ts";

const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, O_WRONLY } =
  fs.constants;

const cancel = new AbortController();
process.on("SIGHUP", () => undefined);
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => cancel.abort());
// The runner reads how far the output has come; without one there is nobody to tell.
process.stdout.on("error", () => undefined);

let spec: SupervisorSpec | undefined;
const errorFile = process.argv[2];
process.on("uncaughtException", (error) => {
  // What it was told holds the whole environment: nothing of that is printed before it is known.
  const said =
    spec === undefined ? error.name : redactorOf(spec.secrets)(error.stack ?? error.name);
  fs.writeSync(process.stderr.fd, `${new Date().toISOString()} ${said}\n`);
  process.exit(1);
});
process.on("exit", () => {
  if (errorFile !== undefined && fs.fstatSync(process.stderr.fd).size === 0) {
    fs.rmSync(errorFile, { force: true });
  }
});
let begun = false;
// Not `node:readline`, which takes U+2028 in a prompt for the end of a line.
const commands = createLineSplitter(Number.POSITIVE_INFINITY, (line) => {
  if (spec === undefined) {
    spec = JSON.parse(line) as SupervisorSpec;
  } else if (line === GO && !begun) {
    begun = true;
    void supervise(spec);
  } else if (line === CANCEL) {
    cancel.abort();
  }
});
process.stdin.on("error", () => undefined);
process.stdin.on("data", (chunk: Buffer) => commands.push(chunk));
let hasRunner = true;
process.stdin.on("close", () => {
  hasRunner = false;
  if (!begun) process.exit();
  if (spec?.leash === true) cancel.abort();
});

async function supervise(turn: SupervisorSpec): Promise<void> {
  const out = begin(turn);
  if (out === undefined) process.exit(ALREADY_BEGUN);
  const redactLine = createLineRedactor(turn.secrets);
  let outBytes = 0;
  const keep = keeper(turn);
  keep();
  const watch = createWatch(turn, () => cancel.abort());
  const outcome = await runChild(turn.child, {
    signal: cancel.signal,
    onSpawn: (pid) => nameAgent(turn, pid),
    redact: redactorOf(turn.secrets),
    onLine(line) {
      // What it says in pieces it says whole in the end: a piece may hold half a secret.
      if (!isDelta(line)) {
        outBytes += writeAll(out, `${redactLine(line)}\n`);
        keep();
      }
      if (process.stdout.writableLength === 0) process.stdout.write(".");
      return watch(line);
    },
  });
  restoreOutput(turn, out);
  await end(turn, out, { ...outcome, outBytes });
  process.exit();
}

/**
 * Leaves a trace before there is an agent: where there is no `.out`, and the machine was not started anew,
 * there never was one.
 *
 * @returns `undefined` when there is one already.
 */
function begin({ files, agent, context }: SupervisorSpec): number | undefined {
  if (fs.existsSync(`${files}.out`)) return undefined;
  const start = `${files}.start`;
  place(start, draft(start, JSON.stringify({ v: 1, agent, context })));
  try {
    return fs.openSync(`${files}.out`, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW, 0o600);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return undefined;
    throw error;
  }
}

/** How long a power cut may reach back into what an agent has said, in milliseconds. */
const KEEP_MS = 1000;

/** @returns Has what was written by then on disk soon, so that after a power cut it is known what was spent. */
function keeper({ files }: SupervisorSpec): () => void {
  const out = `${files}.out`;
  let unsynced = [`${files}.start`, out, dirname(files)];
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      for (const path of unsynced) syncSoon(path);
      unsynced = [out];
    }, KEEP_MS);
  };
}

/** What fails here fails again at the turn's end, and is told there. */
function syncSoon(path: string): void {
  fs.open(path, O_RDONLY | O_NOFOLLOW, (failed, fd) => {
    if (failed === null) fs.fsync(fd, () => fs.closeSync(fd));
  });
}

/** By this the agent is found where its supervisor is gone and nothing is to be seen of its variables. */
function nameAgent({ files }: SupervisorSpec, pid: number): void {
  const options = { flag: "wx", mode: 0o600 } as const;
  fs.writeFileSync(`${files}.agent`, JSON.stringify({ v: 1, ...identityOf(pid) }), options);
}

/** Until the watcher is loaded, which takes a moment, nothing has been spent that it could tell. */
function createWatch(
  { watcher }: SupervisorSpec,
  onFailure: () => void,
): (line: string) => StopReason | undefined {
  if (watcher === undefined) return () => undefined;
  const unread: string[] = [];
  let read: ((line: string) => StopReason | undefined) | undefined;
  // An agent that nobody can hold to its money does not go on.
  import("./watchers.ts").then(({ createWatcher }) => (read = createWatcher(watcher)), onFailure);
  return (line) => {
    unread.push(line);
    if (read === undefined) return undefined;
    const reasons = unread.splice(0).map(read);
    return reasons.find((reason) => reason !== undefined);
  };
}

/**
 * The agent may have removed the folder. Without its runner nobody knows the turn any more, and where its
 * work tree has gone too, nobody asks for its end.
 */
function restoreOutput({ files, child }: SupervisorSpec, out: number): void {
  const path = `${files}.out`;
  if (!hasRunner || fs.existsSync(path) || !fs.existsSync(child.cwd)) return;
  fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { size } = fs.fstatSync(out);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; ) at += fs.readSync(out, bytes, at, size - at, at);
  replace(path, bytes);
}

/**
 * What the agent has written and said is on disk before its end is: git and agents sync no work tree. Where all of
 * it is in one file system, that is synced once; where that cannot be, the runner syncs what git names.
 */
async function end(turn: SupervisorSpec, out: number, outcome: ExitRecord): Promise<void> {
  const { agent, context, files, child, writes } = turn;
  const endedAt = new Date().toISOString();
  const path = `${files}.exit`;
  const recorded = (workIsSynced: boolean): number =>
    draft(path, JSON.stringify({ v: 1, agent, context, ...outcome, endedAt, workIsSynced }));
  fs.rmSync(`${files}.agent`, { force: true });
  const isWork = writes && outcome.started;
  let record = recorded(isWork);
  const isSynced = isWork && (await syncFileSystem(child.cwd));
  if (isWork && !isSynced) {
    fs.closeSync(record);
    record = recorded(false);
  }
  const tree = fs.statSync(child.cwd, { throwIfNoEntry: false });
  if (!isSynced || tree?.dev !== fs.fstatSync(record).dev) {
    fs.fsyncSync(out);
    fs.fsyncSync(record);
  }
  place(path, record);
  syncFolder(path);
}

function replace(path: string, content: string | Buffer): void {
  const fd = draft(path, content);
  fs.fsyncSync(fd);
  place(path, fd);
  syncFolder(path);
}

const draftOf = (path: string): string => `${path}.${process.pid}.tmp`;

/** Writes what is to be in a file's place. @returns Its descriptor. */
function draft(path: string, content: string | Buffer): number {
  fs.rmSync(draftOf(path), { force: true });
  const fd = fs.openSync(draftOf(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  writeAll(fd, content);
  return fd;
}

/** Puts it there. */
function place(path: string, fd: number): void {
  fs.closeSync(fd);
  fs.renameSync(draftOf(path), path);
}

function syncFolder(path: string): void {
  const folder = fs.openSync(dirname(path), O_RDONLY | O_DIRECTORY);
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

/** @returns How many bytes that were. */
function writeAll(fd: number, content: string | Buffer): number {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at);
  return bytes.length;
}
