import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, isOfEarlierBoot, type ProcessIdentity, sendSignal } from "@quasar/process";
import { makeFolders, named } from "@quasar/process/files";
import type {
  AgentInvoker,
  AgentRequest,
  AgentResult,
  FoundTurn,
  InvokeOptions,
  UnfinishedTurn,
} from "./agent.ts";
import type { AgentAdapter, TurnReader } from "./adapter.ts";
import { type AgentProcessOptions, NOTHING_SPENT } from "./agent-process.ts";
import { DEFAULT_LIMITS } from "./child.ts";
import { agentEnvironment } from "./environment.ts";
import { AgentsError } from "./errors.ts";
import { readExitRecord } from "./exit-record.ts";
import { failure } from "./failure.ts";
import { keepPrompt } from "./kept-prompt.ts";
import { type FollowedOutcome, follow, readOutput, recordedOutcome } from "./follow.ts";
import { patiently } from "./patience.ts";
import { supervisorOf } from "./prewarm.ts";
import { redactorOf } from "./secrets/redact.ts";
import { secretsOf } from "./secrets/values.ts";
import { carriesTurn, endTurnProcesses, namedAgent } from "./run-processes.ts";
import { startSupervisor } from "./start-supervisor.ts";
import { beginningOf, contextOf, isTurnFile, type TurnFiles, turnFiles } from "./turn-files.ts";

const nobody = () => undefined;

/**
 * An agent that is a program of its own, in the care of a supervisor: it outlives the process that
 * asked for it, if the request names a folder for its turns' files.
 *
 * @see SPEC.md, "The supervisor"
 */
export function createProcessAgent(
  adapter: AgentAdapter,
  options: AgentProcessOptions,
): AgentInvoker {
  return {
    name: adapter.name,
    title: adapter.title,
    capabilities: { ...adapter.capabilities, supervised: true },
    responseBoundUsd: (request) => adapter.responseBoundUsd?.(request),
    async invoke(request, invoke = {}) {
      const job = { adapter, options, invoke };
      if (request.turnsDir !== undefined) {
        return supervise(job, request, request.turnsDir);
      }
      const dir = mkdtempSync(join(tmpdir(), "quasar-turn-"));
      try {
        return await supervise(job, { ...request, leash: true }, dir);
      } finally {
        removeFolder(dir);
      }
    },
    find: (turn) => find(adapter, turn),
    adopt: (turn, invoke = {}) => adopt(adapter, turn, invoke),
    async end(turn) {
      signalOwner(turn, "SIGKILL");
      const { turnId, turnsDir } = turn.request;
      const files = turnsDir === undefined ? undefined : turnFiles(turnsDir, turn.request);
      await endTurnProcesses(turnId, files, turn.process);
    },
  };
}

/** Its supervisor may be removing a file of its own: a removal that meets that stops half-way. */
function removeFolder(dir: string): void {
  for (let tries = 0; tries < 3 && existsSync(dir); tries += 1) {
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Job {
  readonly adapter: AgentAdapter;
  readonly options: AgentProcessOptions;
  readonly invoke: InvokeOptions;
}

async function supervise(
  { adapter, options, invoke }: Job,
  request: AgentRequest,
  dir: string,
): Promise<AgentResult> {
  const files = turnFiles(dir, request);
  if (existsSync(files.path("out")) || existsSync(files.path("exit"))) {
    throw new AgentsError("ERR_TURN_BEGUN", `turn ${request.turnId} has been begun before`);
  }
  makeFolders(dir);
  const prepared = await patiently(() => adapter.prepare(request, files.path));
  if ("kind" in prepared) {
    return { failure: prepared, text: "", ...NOTHING_SPENT, durationMs: 0 };
  }
  const { program, conversation, rewrites, context, watcher } = prepared;
  for (const [path, text] of Object.entries(prepared.files ?? {})) {
    rmSync(path, { force: true });
    named(() => writeFileSync(path, text, { flag: "wx", mode: 0o600 }), path);
  }
  const reader = adapter.open(request, context, invoke.onEvent ?? nobody);
  if (invoke.signal?.aborted) {
    return reader.result({ ...NOT_STARTED, stopped: "cancelled" });
  }
  const secrets = secretsOf({ ...(options.env ?? process.env), ...options.setEnv });
  const supervisor = await startSupervisor(
    supervisorOf(
      { ...request, turnsDir: dir },
      conversation === undefined ? "supervisor" : "acp-supervisor",
    ),
    {
      child: {
        runId: request.runId,
        turnId: request.turnId,
        file: program.file,
        args: program.args,
        cwd: request.workTree,
        env: agentEnvironment(request, program.ownEnv, {
          ...options,
          defaultEnv: { ...program.defaultEnv, ...options.defaultEnv },
          setEnv: { ...options.setEnv, ...program.setEnv },
        }),
        input: program.input,
        limits: { ...DEFAULT_LIMITS, ...options.limits },
      },
      conversation,
      rewrites,
      files: files.path("").slice(0, -1),
      agent: adapter.name,
      context,
      watcher,
      output: adapter.output,
      secrets,
      leash: request.leash === true,
      writes: request.access === "write",
    },
    invoke.onStart,
  );
  if (supervisor instanceof Error) {
    const problem = failure("unknown", `No process could be started: ${supervisor.message}`);
    return { failure: problem, text: "", ...NOTHING_SPENT, durationMs: 0 };
  }
  keepPrompt(files, redactorOf(secrets)(request.prompt));
  try {
    const cancel = () => supervisor.cancel();
    const outcome = await follow(files, supervisor.owner, {
      onLines: reader.read,
      onOmitted: reader.omit,
      onPoke: supervisor.onPoke,
      signal: invoke.signal,
      cancel,
    });
    await killTurnProcesses(request, files, outcome, supervisor.owner);
    return await patiently(() => resultOf(adapter, reader, outcome));
  } finally {
    supervisor.leave();
  }
}

/** What a turn came to; of one whose output was damaged since, no answer is taken. */
function resultOf(
  { name, title = name }: AgentAdapter,
  reader: TurnReader,
  outcome: FollowedOutcome,
): AgentResult {
  const { lostBytes = 0, workIsSynced } = outcome;
  const notices = noticesOf(title, outcome);
  const result = {
    ...reader.result(outcome),
    ...(notices.length > 0 && { notices }),
    ...(workIsSynced === true && { workIsSynced }),
  };
  if (lostBytes === 0) return result;
  const { sessionId, costUsd } = reader.known();
  const message = `The stored output of ${name} is damaged: its last ${lostBytes} bytes are missing.`;
  return {
    failure: failure("bad-output", message),
    text: "",
    ...(sessionId !== undefined && sessionId !== "" && { sessionId }),
    ...(costUsd === undefined ? { costSource: "unknown" } : { costUsd, costSource: "partial" }),
    durationMs: result.durationMs,
    ...(notices.length > 0 && { notices }),
  };
}

const MB = 2 ** 20;

/** What of a long output was not taken. */
function noticesOf(
  title: string,
  { cutLines = 0, omittedBytes = 0 }: FollowedOutcome,
): readonly string[] {
  const cut =
    cutLines === 1
      ? `${title} printed a line that is too long: it was cut.`
      : `${title} printed ${cutLines} lines that are too long: they were cut.`;
  const megabytes = Math.ceil(omittedBytes / MB);
  const omitted = `${title} printed a lot: its stored output leaves out ${megabytes} MB between its beginning and its end.`;
  return [...(cutLines > 0 ? [cut] : []), ...(omittedBytes > 0 ? [omitted] : [])];
}

/**
 * A supervisor that was killed has ended nothing.
 *
 * @throws {AgentsError} `ERR_TURN_UNREADABLE` where its disk had no room for the turn's end.
 */
async function killTurnProcesses(
  { turnId }: AgentRequest,
  files: TurnFiles,
  outcome: FollowedOutcome,
  supervisor: ProcessIdentity | undefined,
): Promise<void> {
  if (outcome.recorded) return;
  await endTurnProcesses(turnId, files, supervisor);
  if (outcome.isDiskFull !== true) return;
  const cause = Object.assign(new Error("ENOSPC: no space left on device"), {
    code: "ENOSPC",
    path: files.path("exit"),
  });
  const message = `the turn's end could not be recorded, so it is not known: ${files.dir} is on a full disk`;
  throw new AgentsError("ERR_TURN_UNREADABLE", message, { cause });
}

const NOT_STARTED = {
  started: false,
  exitCode: null,
  exitSignal: null,
  stderrTail: "",
  durationMs: 0,
  orphansEnded: 0,
} as const;

/** Whether the turn was begun with an agent that says what it does in other words. */
function isOfAnother(adapter: AgentAdapter, files: TurnFiles): boolean {
  const { agent = adapter.name } = beginningOf(files);
  return agent !== adapter.name;
}

/** How long a supervisor that was never told to go takes to see that nobody will, in milliseconds. */
const LEAVE_MS = 2000;
const LOOK_MS = 20;

async function find(adapter: AgentAdapter, turn: UnfinishedTurn): Promise<FoundTurn> {
  const { request } = turn;
  if (request.turnsDir === undefined) {
    return { state: "unknown" };
  }
  const files = turnFiles(request.turnsDir, request);
  const deadline = performance.now() + LEAVE_MS;
  for (;;) {
    const isLast = performance.now() > deadline;
    const found = await patiently(() => lookAt(adapter, files, turn, isLast));
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** @returns `undefined`: it has just lost its runner, or is just being told to go. */
async function lookAt(
  adapter: AgentAdapter,
  files: TurnFiles,
  { request, process: owner }: UnfinishedTurn,
  isLast: boolean,
): Promise<FoundTurn | undefined> {
  if (isOfAnother(adapter, files)) return { state: "unknown" };
  const reader = adapter.open(request, contextOf(files), nobody);
  const read = (): Promise<number | undefined> =>
    readOutput(files, { onLines: reader.read, onOmitted: reader.omit });
  const record = readExitRecord(files.path("exit"));
  if (record !== undefined) {
    const result = resultOf(adapter, reader, recordedOutcome(record, await read()));
    return { state: "ended", result };
  }
  if (owner !== undefined && isOfEarlierBoot(owner)) {
    await read();
    return foundAfterPowerCut(reader, adapter.responseBoundUsd?.(request));
  }
  const alive = owner === undefined ? false : isAlive(owner);
  if (alive === undefined) return { state: "unknown" };
  if (alive) {
    const begun = isTurnFile(files.path("out"));
    return begun || isLast ? { state: begun ? "alive" : "unknown" } : undefined;
  }
  const size = await read();
  // It may have written down its end since we searched for that.
  if (readExitRecord(files.path("exit"))) return undefined;
  if (size === undefined) return { state: "not-started" };
  const isLeft = namedAgent(files, owner) !== undefined;
  return { state: "died", ...reader.known(), ...(isLeft && { isLeft }) };
}

/**
 * A power cut may have taken what the turn had written down last, that there was an agent included: what it cost is
 * what is known of it and a response more.
 *
 * @param boundUsd - Of a response; `undefined`: nobody can say.
 */
function foundAfterPowerCut(reader: TurnReader, boundUsd: number | undefined): FoundTurn {
  const known = reader.known();
  if (boundUsd === undefined || known.costUsd === undefined) return { state: "unknown" };
  const unknownUsd = (known.unknownUsd ?? 0) + boundUsd;
  return { state: "died", ...known, costSource: "partial", unknownUsd };
}

async function adopt(
  adapter: AgentAdapter,
  turn: UnfinishedTurn,
  invoke: InvokeOptions,
): Promise<AgentResult> {
  const { request, process: owner } = turn;
  if (request.turnsDir === undefined) {
    throw new AgentsError("ERR_INVALID_CONFIG", "a turn without files cannot be adopted");
  }
  const files = turnFiles(request.turnsDir, request);
  const context = await patiently(() => contextOf(files));
  const reader = adapter.open(request, context, invoke.onEvent ?? nobody);
  const outcome = await follow(files, owner, {
    onLines: reader.read,
    onOmitted: reader.omit,
    signal: invoke.signal,
    // Its supervisor takes this for `cancel`: there is no pipe to it any more.
    cancel: () => signalOwner(turn, "SIGTERM"),
  });
  await killTurnProcesses(request, files, outcome, owner);
  return patiently(() => resultOf(adapter, reader, outcome));
}

/**
 * Signals the supervisor of a turn, and nobody who has come to have its number: where no start time
 * and boot are known of it, it has to carry the turn's id.
 */
function signalOwner({ request, process: owner }: UnfinishedTurn, signal: NodeJS.Signals): void {
  if (owner === undefined || isAlive(owner) !== true) return;
  const isNamed = owner.startTime !== undefined && owner.bootId !== undefined;
  if (isNamed || carriesTurn(owner.pid, request.turnId)) sendSignal(owner.pid, signal);
}
