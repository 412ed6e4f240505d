import type { Cost } from "../agent-process.ts";
import {
  codexBoundUsd,
  codexCost,
  type CodexCostOptions,
  type CodexEnd,
  type CodexUse,
  responsesOf,
  useOf,
} from "./cost.ts";
import { createRolloutReader, findRollout, type RolloutReader } from "./ledger.ts";

/** Counts what a turn has cost so far, from the record that its thread keeps response by response. */
export interface CodexMeter {
  readonly options: CodexMeterOptions;
  use(threadId: string | undefined): CodexUse;
  cost(threadId: string | undefined, end: CodexEnd): Cost;
}

export interface CodexMeterOptions extends CodexCostOptions {
  /** Codex's own folder. */
  readonly home: string;
}

export function createCodexMeter(options: CodexMeterOptions): CodexMeter {
  let rollout: RolloutReader | undefined;
  const use = (threadId: string | undefined): CodexUse => {
    const path =
      rollout || threadId === undefined ? undefined : findRollout(options.home, threadId);
    rollout ??= path === undefined ? undefined : createRolloutReader(path);
    rollout?.readOn();
    const { ledger } = rollout ?? {};
    const model = ledger?.model ?? options.model;
    return useOf(ledger && responsesOf(ledger, options), { ...options, model });
  };
  return {
    options,
    use,
    cost(threadId, end) {
      const used = use(threadId);
      const boundUsd = codexBoundUsd(used, options, rollout?.ledger.bytesSince);
      return codexCost(used, end, options, boundUsd);
    },
  };
}
