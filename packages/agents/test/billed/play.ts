import type { AgentResult } from "../../src/agent.ts";
import type { PreparedTurn, TurnReader } from "../../src/adapter.ts";
import type { ChildOutcome, StopReason } from "../../src/child.ts";
import { boundAt, priceOf, promptOf, sumOf } from "../../src/prices.ts";
import { createWatcher } from "../../src/watchers.ts";
import { billedPriceOf, billOf, type FakeAgent, type Sent, type Step } from "./fake-agent.ts";

/** How a turn ends. */
export type Ending =
  | "by itself"
  /** Told to stop, it says what it can. */
  | "stopped"
  /** Its process is killed, its supervisor lives. */
  | "killed"
  /** Its supervisor is killed too: what is known is in its output. */
  | "all killed";

export interface Play {
  readonly agent: FakeAgent;
  readonly prepared: PreparedTurn;
  readonly reader: TurnReader;
  /** Keeps what the agent has on record. */
  readonly record: (entries: readonly object[]) => void;
  readonly ending: Ending;
  /** The step after which it ends, unless by itself. */
  readonly endsAfter: number;
  readonly maxCostUsd: number;
  readonly maxOutput: number;
}

/** What a turn came to, by its provider and by us. */
export interface Played {
  readonly billedUsd: number;
  /** What is counted, with what may be missing. */
  readonly ledgerUsd: number;
  readonly stopped: StopReason | undefined;
  /** All that threads may have spent over the limit since it was reached, in US dollars. */
  readonly slackUsd: number;
  /** Of models with a price. */
  readonly pricedUsd: number;
  readonly unpricedTokens: number;
  readonly slackTokens: number;
}

/** Has a turn worked, by an agent that bills what it asks, under the eyes of who stops it. */
export function play(given: Play): Played {
  const { agent, prepared, reader, record, endsAfter, maxCostUsd, maxOutput } = given;
  const watch = prepared.watcher === undefined ? () => undefined : createWatcher(prepared.watcher);
  const bill = openBill(maxCostUsd, maxOutput);
  let stopped: StopReason | undefined;
  const take = ({ records = [], line, sends, opens, closes }: Step): void => {
    record(records);
    const text = JSON.stringify(line);
    reader.read([text]);
    if (opens !== undefined) bill.open(opens);
    if (sends !== undefined) bill.add(sends);
    stopped ??= watch(text);
    if (closes !== undefined) bill.close(closes);
  };
  const isCut = (steps: number): boolean => given.ending !== "by itself" && steps >= endsAfter;
  let steps = 0;
  let step = agent.next();
  for (; step !== undefined; step = agent.next()) {
    take(step);
    steps += 1;
    if (stopped !== undefined || isCut(steps)) break;
  }
  const ending =
    step === undefined ? "by itself" : given.ending === "by itself" ? "stopped" : given.ending;
  if (ending === "stopped") for (const last of agent.interrupt()) take(last);
  const cost = ending === "all killed" ? reader.known() : reader.result(outcomeOf(ending, stopped));
  return { ...bill.total(), ledgerUsd: countedUsd(cost), stopped };
}

function outcomeOf(ending: Ending, stopped: StopReason | undefined): ChildOutcome {
  const outcome = { started: true, stderrTail: "", durationMs: 1, orphansEnded: 0, stopped };
  if (ending === "killed") return { ...outcome, exitCode: null, exitSignal: "SIGKILL" };
  const isTold = ending === "stopped" && stopped === undefined;
  return { ...outcome, ...(isTold && { stopped: "cancelled" }), exitCode: 0, exitSignal: null };
}

type Cost = Pick<AgentResult, "costUsd" | "unknownUsd">;

/** As the loop counts it. `NaN`: nobody can say what is missing, so that no law holds. */
function countedUsd({ costUsd, unknownUsd }: Cost): number {
  return costUsd === undefined && unknownUsd === undefined
    ? Number.NaN
    : (costUsd ?? 0) + (unknownUsd ?? 0);
}

/** What a provider bills, and by how much threads may go over a limit: two bounds for each that was open since. */
function openBill(maxCostUsd: number, maxOutput: number) {
  const bounds = new Map<string, { usd: number; tokens: number }>();
  const open = new Set([""]);
  const since = new Set<string>();
  let [billedUsd, pricedUsd, unpricedTokens] = [0, 0, 0];
  return {
    open(thread: string) {
      open.add(thread);
      if (pricedUsd > maxCostUsd) since.add(thread);
    },
    close(thread: string) {
      open.delete(thread);
    },
    add(sent: Sent) {
      const { thread, model, tokens } = sent;
      const price = billedPriceOf(model);
      const promptTokens = promptOf(tokens);
      const before = bounds.get(thread) ?? { usd: 0, tokens: 0 };
      const usd = priceOf(model) === undefined ? 0 : boundAt(price, { promptTokens, maxOutput });
      bounds.set(thread, {
        usd: Math.max(before.usd, usd + tokens.webSearches * price.webSearch),
        tokens: Math.max(before.tokens, promptTokens + maxOutput),
      });
      billedUsd += billOf(sent);
      if (priceOf(model) === undefined) unpricedTokens += sumOf(tokens);
      else pricedUsd += billOf(sent);
      if (pricedUsd > maxCostUsd) for (const each of open) since.add(each);
    },
    total() {
      const slackOf = (threads: Iterable<string>, of: "usd" | "tokens"): number =>
        [...threads].reduce((sum, thread) => sum + 2 * (bounds.get(thread)?.[of] ?? 0), 0);
      const slack = {
        slackUsd: slackOf(since, "usd"),
        slackTokens: slackOf(bounds.keys(), "tokens"),
      };
      return { billedUsd, pricedUsd, unpricedTokens, ...slack };
    },
  };
}
