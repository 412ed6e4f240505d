import { mapTokens, NO_TOKENS, promptOf, sumOf, type Tokens } from "../../src/prices.ts";
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

const UNKNOWN = "qwen-new-9";

const usageOf = (tokens: Tokens): object => ({
  input_tokens: promptOf(tokens),
  output_tokens: tokens.output,
  cache_read_input_tokens: tokens.cacheRead,
  total_tokens: sumOf(tokens),
});

export interface FakeQwen extends FakeAgent {
  readonly model: string;
}

/**
 * Qwen Code, which counts a response with its last block. Of one that breaks off it says that it asks again; what
 * it threw away, and what it asks for itself, is in the result's count only. Told to stop, it says nothing.
 */
export function fakeQwen(random: Random, kinds: TurnKinds, maxOutput: number): FakeQwen {
  const model = kinds.hasUnknownModel
    ? UNKNOWN
    : pick(random, ["claude-sonnet-5-5", "gpt-5.5", "gpt-5.4-mini"]);
  let prompt = between(random, 1000, 20_000);
  let used = NO_TOKENS;
  let ids = 0;

  const sent = (tokens: Partial<Tokens>): Sent => ({
    ...{ thread: "", model, tokens: { ...NO_TOKENS, ...tokens } },
  });
  const ask = (): Sent => {
    // No cache of an hour: Qwen Code does not tell of one.
    const { cacheWriteLong, ...said } = promptTokens(random, prompt, kinds);
    const cacheWrite = said.cacheWrite + cacheWriteLong;
    return sent({ ...said, cacheWrite, output: outputTokens(random, maxOutput) });
  };
  const count = ({ tokens }: Sent): void => {
    const before = used;
    used = mapTokens((key) => before[key] + tokens[key]);
  };
  const assistant = (block: object, tokens: Tokens): object => {
    const message = { id: `m${++ids}`, model, content: [block], usage: usageOf(tokens) };
    return { type: "assistant", parent_tool_use_id: null, message };
  };
  const text = { type: "text", text: "Done." };

  function* work(): Generator<Step, void> {
    let asked = ask();
    yield { line: { type: "system", subtype: "init", model, session_id: "s" }, sends: asked };
    for (let left = between(random, 1, 10); left > 0; left -= 1) {
      while (kinds.drops && chance(random, 0.2)) {
        const isThrownAway = chance(random, 0.5);
        if (isThrownAway) count(asked);
        asked = ask();
        const data = { reason: "retry", discardedToolCalls: 0 };
        yield { line: { type: "system", subtype: "retry", data }, sends: asked };
      }
      count(asked);
      if (left === 1) break;
      if (chance(random, 0.5)) yield { line: assistant(text, NO_TOKENS) };
      const call = { type: "tool_use", id: `t${ids}`, name: "read_file", input: {} };
      yield { line: assistant(call, asked.tokens) };
      const content = "x".repeat(between(random, 1, 3000));
      const block = { type: "tool_result", tool_use_id: `t${ids}`, is_error: false, content };
      const line = { type: "user", parent_tool_use_id: null, message: { content: [block] } };
      prompt = grown(asked, between(random, 1, Buffer.byteLength(JSON.stringify(line))));
      asked = ask();
      yield { line, sends: asked };
    }
    const title = sent({ cacheWrite: 500, output: 20 });
    const isAsked = chance(random, 0.3);
    if (isAsked) count(title);
    yield { line: assistant(text, asked.tokens), ...(isAsked && { sends: title }) };
    const result = { subtype: "success", is_error: false, result: "Done.", num_turns: 1 };
    yield { line: { type: "result", ...result, usage: usageOf(used), permission_denials: [] } };
  }

  const steps = work();
  return { model, next: () => steps.next().value ?? undefined, interrupt: () => [] };
}
