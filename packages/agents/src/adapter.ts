import type {
  AgentCapabilities,
  AgentEvent,
  AgentFailure,
  AgentRequest,
  AgentResult,
} from "./agent.ts";
import type { AgentProgram, Cost } from "./agent-process.ts";
import type { AcpTurn } from "./acp/turn.ts";
import type { ChildOutcome } from "./child.ts";
import type { OwnRewrite } from "./own-rewrites.ts";
import type { OutputKind } from "./reducers.ts";
import type { WatcherSpec } from "./watchers.ts";

/** What is to be started for a turn. */
export interface PreparedTurn {
  readonly program: AgentProgram;
  /** What is talked about with an agent whose input depends on what it says. @default it gets its input at once */
  readonly conversation?: AcpTurn | undefined;
  /** Files to be there before the program starts, by path: they hold no secrets. @default none */
  readonly files?: Readonly<Record<string, string>> | undefined;
  /** What is undone when the turn is over, as the agent does it by itself. @default nothing */
  readonly rewrites?: readonly OwnRewrite[] | undefined;
  /** What a later process needs to read the turn's output; JSON. @default nothing */
  readonly context?: unknown;
  /** Who reads what the turn has cost while it works. @default nobody */
  readonly watcher?: WatcherSpec | undefined;
}

/** A turn's output, as it is read. */
export interface TurnReader {
  /** Takes lines of output, one at least, as they were read together. */
  read(lines: readonly string[]): unknown;
  /** Lines are missing before the next. @param units - UTF-16 units, line breaks included. */
  omit?(units: number): unknown;
  /**
   * What is known of a turn of which no more is to come. Session `""`: there is none to continue in;
   * `undefined`: it is not known.
   */
  known(): Cost & { readonly sessionId: string | undefined };
  result(outcome: ChildOutcome): AgentResult;
}

/** How one kind of agent is started and understood; the rest is the same for all. */
export interface AgentAdapter {
  /** For people: `claude`. */
  readonly name: string;
  /** In a sentence. @default the name */
  readonly title?: string | undefined;
  readonly capabilities: AgentCapabilities;
  /** What decides in an output that is too long to be kept whole. @default nothing: it is an answer */
  readonly output?: OutputKind | undefined;
  /** The most that one response may cost in US dollars; `undefined`: nobody can say. */
  responseBoundUsd?(request: AgentRequest): number | undefined;
  /** @param fileOf - Path for a file of the turn with the given ending. */
  prepare(request: AgentRequest, fileOf: (ending: string) => string): PreparedTurn | AgentFailure;
  /** @param context - What {@link prepare} has given; as it came from a file, if it did. */
  open(request: AgentRequest, context: unknown, emit: (event: AgentEvent) => void): TurnReader;
}
