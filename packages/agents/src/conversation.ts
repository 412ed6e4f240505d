import type { Readable } from "node:stream";
import type { AcpTurn } from "./acp/turn.ts";
import type { ProcessLimits } from "./child.ts";

/** A dialog with an agent, whose input depends on what it says. */
export interface Conversation {
  /** What the agent reads. */
  readonly input: Readable;
  /** Takes lines of output. @returns What is to be kept of them now: what comes in pieces comes later, whole. */
  take(lines: readonly string[]): readonly string[];
  /** Acts upon the lines that were taken, when what was to be kept of them is. */
  proceed(): void;
  /** The agent has ended. @returns What is still to be kept. */
  end(): readonly string[];
  /** Asks the agent to stop, and forces it after a grace. */
  cancel(): void;
  /** Aborted when the agent has to be stopped by force. */
  readonly force: AbortSignal;
  /** Whether the agent was told to stop before its turn was over. */
  wasCancelled(): boolean;
}

export interface ConverseOptions {
  /** Keeps one of our lines among the agent's; called before what it records is done. */
  readonly record: (line: string) => void;
  readonly limits: ProcessLimits;
}

/** Begins a conversation with an agent that is about to start. */
export type Converse = (turn: AcpTurn, options: ConverseOptions) => Conversation;
