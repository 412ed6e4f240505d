/**
 * The supervisor of a turn: it starts the agent at its runner's word, keeps what it prints and how it ends, holds it
 * to its limits, and works on when the runner is gone.
 *
 * Nothing but Node's own and what knows of processes is loaded before the agent runs.
 *
 * @see SPEC.md, "The supervisor"
 */
import * as fs from "node:fs";
import { dirname } from "node:path";
import { identityOf } from "@quasar/process";
import { makeFolders, syncFileSystem, withName } from "@quasar/process/files";
import { type ChildOutcome, runChild, type StopReason } from "./child.ts";
import { createCollector } from "./collect.ts";
import type { Conversation, Converse } from "./conversation.ts";
import { isDelta } from "./delta.ts";
import type { ExitRecord } from "./exit-record.ts";
import { createLineSplitter } from "./line-splitter.ts";
import { OUTPUT_SIZES } from "./output-layout.ts";
import { createOutputStore, type OutputStore, type Reducer } from "./output-store.ts";
import { undoRewrite } from "./own-rewrites.ts";
import { createLineRedactor, redactorOf } from "./secrets/redact.ts";
import { keepRoom, type SpareRoom } from "./spare-room.ts";
import { ALREADY_BEGUN, CANCEL, GO, type SupervisorSpec } from "./supervisor-spec.ts";
import { hasCode } from "./turn-files.ts";
import { createFile, draft, place, placeAfter, syncFolder } from "./turn-writes.ts";

const { O_NOFOLLOW, O_RDONLY } = fs.constants;

const cancel = new AbortController();
let spec: SupervisorSpec | undefined;
let room: SpareRoom | undefined;
let hasRunner = true;

/**
 * Is the supervisor that this process was started to be.
 *
 * @param converse - How it talks with an agent that is not just given its input. @default it cannot
 */
export function runSupervisor(converse?: Converse): void {
  process.on("SIGHUP", () => undefined);
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => cancel.abort());
  // The runner reads how far the output has come; without one there is nobody to tell.
  process.stdout.on("error", () => undefined);
  const errorFile = process.argv[2];
  process.on("uncaughtException", (thrown) => {
    const error = withName(thrown);
    // What it was told holds the whole environment: nothing of that is printed before it is known.
    const said =
      spec === undefined ? error.name : redactorOf(spec.secrets)(error.stack ?? error.name);
    room?.free();
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
      void supervise(spec, converse);
    } else if (line === CANCEL) {
      cancel.abort();
    }
  });
  process.stdin.on("error", () => undefined);
  process.stdin.on("data", (chunk: Buffer) => commands.push(chunk));
  process.stdin.on("close", () => {
    hasRunner = false;
    if (!begun) process.exit();
    if (spec?.leash === true) cancel.abort();
  });
}

async function supervise(turn: SupervisorSpec, converse?: Converse): Promise<void> {
  const out = begin(turn);
  if (out === undefined) process.exit(ALREADY_BEGUN);
  const redactLines = createLineRedactor(turn.secrets);
  const path = (ending: string): string => `${turn.files}.${ending}`;
  const reducer = createReducer(turn, () => cancel.abort());
  const output = createOutputStore({ sizes: OUTPUT_SIZES, path, out, reducer });
  const keeper = createKeeper(turn, output);
  const watch = createWatch(turn, () => cancel.abort());
  const collect = createCollector(COLLECT_BYTES);
  /** Keeps lines before anything comes of them. */
  const keep = (lines: readonly string[]): StopReason | undefined => {
    if (lines.length === 0) return undefined;
    const fits = output.add(redactLines(lines));
    keeper.keepSoon();
    return fits ? undefined : "output-too-large";
  };
  let failed: { readonly error: unknown } | undefined;
  const record = (line: string): void => {
    try {
      keep([line]);
    } catch (error) {
      failed ??= { error };
      cancel.abort();
      throw error;
    }
    watch([line]);
  };
  const conversation = beginConversation(turn, converse, record);
  const outcome = await runChild(turn.child, {
    signal: conversation?.force ?? cancel.signal,
    input: conversation?.input,
    onSpawn: (pid) => nameAgent(turn, pid),
    redact: redactorOf(turn.secrets),
    onLines(lines) {
      // What it says in pieces is kept whole: a piece may hold half a secret.
      const whole = conversation?.take(lines) ?? lines.filter((line) => !isDelta(line));
      const excess = keep(whole);
      collect(lines.reduce((sum, { length }) => sum + length, 0));
      if (process.stdout.writableLength === 0) process.stdout.write(".");
      const reason = watch(conversation === undefined ? lines : whole) ?? excess;
      if (reason === undefined) conversation?.proceed();
      return reason;
    },
  });
  turn.rewrites?.forEach(undoRewrite);
  if (failed !== undefined) throw failed.error;
  keep(conversation?.end() ?? []);
  keeper.stop();
  room?.free();
  output.addLate();
  restoreOutput(turn, output);
  const [outBytes, omittedBytes] = [output.bytes(), output.omitted()];
  const kept = { outBytes, ...(omittedBytes > 0 && { omittedBytes }) };
  await end(turn, output.current(), { ...stoppedAs(outcome, conversation), ...kept });
  process.exit();
}

/** The conversation of a turn that is one. A cancellation of the turn goes to it; it says when the agent has to be forced. */
function beginConversation(
  { conversation: about, child }: SupervisorSpec,
  converse: Converse | undefined,
  record: (line: string) => void,
): Conversation | undefined {
  if (about === undefined) return undefined;
  if (converse === undefined) throw new Error("this supervisor does not converse");
  const conversation = converse(about, { record, limits: child.limits });
  const stop = (): void => conversation.cancel();
  if (cancel.signal.aborted) stop();
  cancel.signal.addEventListener("abort", stop, { once: true });
  return conversation;
}

/** An agent that ended its turn when it was asked to was cancelled; one that did not end after its turn was not. */
function stoppedAs(outcome: ChildOutcome, conversation: Conversation | undefined): ChildOutcome {
  const { stopped } = outcome;
  if (conversation === undefined || (stopped !== undefined && stopped !== "cancelled")) {
    return outcome;
  }
  return { ...outcome, stopped: conversation.wasCancelled() ? "cancelled" : undefined };
}

/**
 * Leaves a trace before there is an agent: where there is no `.out`, and the machine was not started anew,
 * there never was one.
 *
 * @returns `undefined` when there is one already.
 */
function begin({ files, agent, context }: SupervisorSpec): number | undefined {
  if (fs.existsSync(`${files}.out`)) return undefined;
  room = keepRoom(`${files}.room`);
  const start = `${files}.start`;
  place(start, draft(start, JSON.stringify({ v: 1, agent, context })));
  try {
    return createFile(`${files}.out`);
  } catch (error) {
    if (hasCode(error, "EEXIST")) return undefined;
    throw error;
  }
}

/** How much may be printed between two collections. */
const COLLECT_BYTES = 4 * 2 ** 20;

/** How long a power cut may reach back into what an agent has said, in milliseconds. */
const KEEP_MS = 1000;

/** Has what an agent has said on disk soon, so that after a power cut it is known what was spent. */
interface Keeper {
  keepSoon(): void;
  /** The end of the turn keeps all of it. */
  stop(): void;
}

function createKeeper({ files }: SupervisorSpec, output: OutputStore): Keeper {
  let unsynced = [`${files}.start`, dirname(files)];
  let timer: NodeJS.Timeout | undefined;
  const keep = (): void => {
    timer = undefined;
    fs.fsync(output.current(), ignored);
    for (const path of unsynced) syncSoon(path);
    unsynced = [];
  };
  return {
    keepSoon() {
      timer ??= setTimeout(keep, KEEP_MS);
    },
    stop: () => clearTimeout(timer),
  };
}

/** What fails here fails again at the turn's end, and is reported there. */
const ignored = (): void => undefined;

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
): (lines: readonly string[]) => StopReason | undefined {
  if (watcher === undefined) return () => undefined;
  const unread: string[] = [];
  let read: ((line: string) => StopReason | undefined) | undefined;
  // An agent that nobody can hold to its money does not continue.
  import("./watchers.ts").then(({ createWatcher }) => (read = createWatcher(watcher)), onFailure);
  return (lines) => {
    for (const line of lines) unread.push(line);
    if (read === undefined) return undefined;
    const reasons = unread.splice(0).map(read);
    return reasons.find((reason) => reason !== undefined);
  };
}

/** Loaded when an output is long. Of an agent without one nothing that it says decides. */
function createReducer(
  { output }: SupervisorSpec,
  onFailure: () => void,
): () => Reducer | undefined {
  if (output === undefined) return () => () => undefined;
  let reduce: Reducer | undefined;
  let isAsked = false;
  return () => {
    if (!isAsked) {
      isAsked = true;
      import("./reducers.ts").then(({ reducerOf }) => (reduce = reducerOf(output)), onFailure);
    }
    return reduce;
  };
}

/**
 * The agent may have removed the folder. Without its runner the turn is unknown, and where its
 * work tree has gone too, nobody asks for its end.
 */
function restoreOutput({ files, child }: SupervisorSpec, output: OutputStore): void {
  const path = `${files}.out`;
  if (!hasRunner || fs.existsSync(path) || !fs.existsSync(child.cwd)) return;
  makeFolders(dirname(path));
  output.restore();
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
  placeAfter(path, record, () => {
    const tree = fs.statSync(child.cwd, { throwIfNoEntry: false });
    if (isSynced && tree?.dev === fs.fstatSync(record).dev) return;
    fs.fsyncSync(out);
    fs.fsyncSync(record);
  });
  syncFolder(path);
}
