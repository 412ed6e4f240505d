import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, type ProcessIdentity } from "@quasar/process";
import type { AgentEvent, UnfinishedTurn } from "./agent.ts";
import type { AgentAdapter, TurnReader } from "./adapter.ts";
import { acpAdapter } from "./acp.ts";
import { acpContextOf } from "./acp/context.ts";
import { claudeAdapter } from "./claude.ts";
import { codexAdapter } from "./codex.ts";
import { printed } from "./command.ts";
import { readOutput, watchOutput } from "./follow.ts";
import { promptIn } from "./kept-prompt.ts";
import { opencodeAdapter } from "./opencode.ts";
import { qwenAdapter } from "./qwen.ts";
import { createScriptedReader } from "./scripted-reader.ts";
import { beginningOf, isTurnFile, type TurnFiles, turnFiles } from "./turn-files.ts";

export interface WatchTurnOptions {
  readonly onEvent: (event: AgentEvent) => void;
  /** Told once what its agent was asked, or the beginning of that, where it is kept. */
  readonly onPrompt?: ((prompt: string) => void) | undefined;
  /** Whether it waits for more until the turn ends. @default false */
  readonly follow?: boolean | undefined;
  /** Ends the waiting. @default never */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tells what the agent of a turn has said and done, by the turn's files, while it works or after. Ends nobody and
 * changes nothing; the agent's program need not be installed.
 *
 * @param turn - Without a `turnsDir` there is nothing to read.
 * @returns Whether there was anything to read: the turn began, and its files are still there.
 */
export async function watchTurn(
  { request, process: owner }: UnfinishedTurn,
  { onEvent, onPrompt, follow = false, signal }: WatchTurnOptions,
): Promise<boolean> {
  if (request.turnsDir === undefined) return false;
  const files = turnFiles(request.turnsDir, request);
  if (follow) await untilBegun(files, owner, signal);
  const prompt = promptIn(files);
  if (prompt !== "") onPrompt?.(prompt);
  const { agent, context } = beginningOf(files);
  const open = READERS.get(agent) ?? (acpContextOf(context) ? readAcp : readText);
  const reader = open(request, context, onEvent);
  const listener = { onLines: reader.read, onOmitted: reader.omit };
  if (follow) return watchOutput(files, owner, listener, signal);
  return (await readOutput(files, listener)) !== undefined;
}

const LOOK_MS = 50;

/** Until it is on record which agent has begun: its supervisor is there a little before. */
async function untilBegun(
  files: TurnFiles,
  owner: ProcessIdentity | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (owner === undefined) return;
  while (!isTurnFile(files.path("out")) && isAlive(owner) === true) {
    if (signal?.aborted === true) return;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

type Open = (...args: Parameters<AgentAdapter["open"]>) => Pick<TurnReader, "read" | "omit">;

/** By the name under which a turn keeps its agent. */
const READERS: ReadonlyMap<unknown, Open> = new Map<unknown, Open>([
  ["claude", (...args) => claudeAdapter({}).open(...args)],
  ["codex", (...args) => codexAdapter({}).open(...args)],
  ["scripted", readScripted],
  ["opencode", (...args) => opencodeAdapter({}).open(...args)],
  ["qwen", (...args) => qwenAdapter({}).open(...args)],
]);

function readScripted(...[, , emit]: Parameters<Open>): ReturnType<Open> {
  const { read } = createScriptedReader(emit);
  return { read: (lines) => lines.forEach((line) => void read(line)) };
}

/** Of whatever name. */
const readAcp: Open = (...args) => acpAdapter({ name: "acp", file: "acp" }).open(...args);

/** Of an agent by command. */
const readText: Open = (_request, _context, emit) => ({ read: (lines) => emit(printed(lines)) });
