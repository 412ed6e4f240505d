import type { Cost } from "../agent-process.ts";
import type { Tokens } from "../prices.ts";
import { codexCost } from "./cost.ts";
import { createRolloutReader, findRollout, type RolloutReader } from "./ledger.ts";

/** Counts what a turn has cost so far, from the record that its thread keeps response by response. */
export interface CodexMeter {
  /**
   * @param tokens - of the new thread by `turn.completed`, for one without a record.
   * @param ended - whether Codex has said that the turn is over.
   */
  cost(threadId: string | undefined, tokens?: Tokens, ended?: boolean): Cost;
}

export interface CodexMeterOptions {
  /** Codex's own folder. */
  readonly home: string;
  /** What the thread had used before the turn; `undefined` when that is not known. */
  readonly before: Tokens | undefined;
  /** What to take where the record does not say it. */
  readonly model: string | undefined;
}

export function createCodexMeter({ home, before, model }: CodexMeterOptions): CodexMeter {
  let rollout: RolloutReader | undefined;
  return {
    cost(threadId, tokens, ended = false) {
      const path = rollout || threadId === undefined ? undefined : findRollout(home, threadId);
      rollout ??= path === undefined ? undefined : createRolloutReader(path);
      rollout?.readOn();
      return codexCost({ tokens, ended }, rollout?.ledger ?? {}, before, model);
    },
  };
}
