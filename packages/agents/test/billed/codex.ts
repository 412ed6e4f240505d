import { mapTokens, NO_TOKENS, type Tokens } from "../../src/prices.ts";
import {
  between,
  chance,
  type FakeAgent,
  grown,
  outputTokens,
  pick,
  promptTokens,
  type Random,
  type Sent,
  type Step,
  type TurnKinds,
} from "./fake-agent.ts";

const UNKNOWN = "gpt-new-9";

const usageOf = (tokens: Tokens): object => ({
  input_tokens: tokens.input + tokens.cacheRead + tokens.cacheWrite,
  cached_input_tokens: tokens.cacheRead,
  cache_write_input_tokens: tokens.cacheWrite,
  output_tokens: tokens.output,
});

/** Codex, which keeps on record what each response has used, and says nothing of one that breaks off. */
export interface FakeCodex extends FakeAgent {
  /** What its thread has on record from the turn before; none of a thread that is new. */
  readonly recorded: readonly object[];
}

export function fakeCodex(random: Random, kinds: TurnKinds, maxOutput: number): FakeCodex {
  const model = kinds.hasUnknownModel
    ? UNKNOWN
    : pick(random, ["gpt-6.1-sol", "gpt-5.5", "gpt-5.4-mini"]);
  let whole = NO_TOKENS;
  let prompt = between(random, 1000, 20_000);

  const ask = (): Sent => {
    const { cacheWriteLong, ...said } = promptTokens(random, prompt, kinds);
    const input = said.input + cacheWriteLong;
    const output = outputTokens(random, maxOutput);
    return { thread: "", model, tokens: { ...NO_TOKENS, ...said, input, output } };
  };
  const record = ({ tokens }: Sent): object => {
    const before = whole;
    whole = mapTokens((key) => before[key] + tokens[key]);
    const payload = { usage: usageOf(tokens), thread_token_usage: usageOf(whole) };
    return { type: "token_usage_record", payload };
  };
  const context = { type: "turn_context", payload: { model } };
  const outputOf = (): object => ({
    type: "response_item",
    payload: { output: "x".repeat(between(random, 1, 3000)) },
  });
  const take = (sent: Sent, entry: object): void => {
    prompt = grown(sent, between(random, 1, Buffer.byteLength(JSON.stringify(entry))));
  };

  const recorded: object[] = [];
  if (chance(random, 0.4)) {
    recorded.push(context);
    for (let left = between(random, 1, 3); left > 0; left -= 1) {
      const sent = ask();
      const entry = outputOf();
      recorded.push(record(sent), entry);
      take(sent, entry);
    }
  }

  function* work(): Generator<Step, void> {
    const thread_id = THREAD;
    yield { records: [context], line: { type: "thread.started", thread_id } };
    let sent = ask();
    yield { line: { type: "turn.started" }, sends: sent };
    for (let left = between(random, 1, 10); left > 0; left -= 1) {
      while (kinds.drops && chance(random, 0.2)) {
        sent = ask();
        const message = "Reconnecting... 1/5 (stream disconnected before completion)";
        yield { line: { type: "error", message }, sends: sent };
      }
      const item = { type: "command_execution", command: "make" };
      if (left === 1) {
        const answer = { type: "agent_message", text: "Done." };
        yield { records: [record(sent)], line: { type: "item.completed", item: answer } };
        yield { line: { type: "turn.completed", usage: usageOf(whole) } };
        return;
      }
      yield { records: [record(sent)], line: { type: "item.started", item } };
      const entry = outputOf();
      take(sent, entry);
      sent = ask();
      const line = { type: "item.completed", item: { ...item, exit_code: 0 } };
      yield { records: [entry], line, sends: sent };
    }
  }

  const steps = work();
  return {
    recorded,
    next: () => steps.next().value ?? undefined,
    // It says nothing more.
    interrupt: () => [],
  };
}

export const THREAD = "01a1fcec-cada-7722-8cce-2902840d0679";
