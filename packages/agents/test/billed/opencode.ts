import { NO_TOKENS, type Tokens } from "../../src/prices.ts";
import {
  between,
  billOf,
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

const UNKNOWN = "acme-new-9";
const SESSION = "ses_e046d505fffesXNW30ykKV3rab";

const usageOf = ({ input, output, cacheRead: read, cacheWrite: write }: Tokens): object => ({
  ...{ input, output: output - Math.min(output, 10), reasoning: Math.min(output, 10) },
  cache: { read, write },
});

/** OpenCode, which says what a response has used when its tools have ended, and nothing of one that breaks off. */
export interface FakeOpencode extends FakeAgent {
  readonly model: string;
}

export function fakeOpencode(random: Random, kinds: TurnKinds, maxOutput: number): FakeOpencode {
  const model = kinds.hasUnknownModel
    ? UNKNOWN
    : pick(random, ["claude-sonnet-5-5", "gpt-5.5", "gpt-5.4-mini"]);
  const knowsPrice = !kinds.hasUnknownModel && chance(random, 0.7);
  let prompt = between(random, 1000, 20_000);

  const ask = (): Sent => {
    const { cacheWriteLong, ...said } = promptTokens(random, prompt, kinds);
    const input = said.input + cacheWriteLong;
    const output = outputTokens(random, maxOutput);
    return { thread: "", model, tokens: { ...NO_TOKENS, ...said, input, output } };
  };
  const line = (type: string, part: object = {}): object => ({ type, sessionID: SESSION, part });
  const call = (): object => {
    const output = "x".repeat(between(random, 1, 3000));
    return line("tool_use", { tool: "read", state: { status: "completed", input: {}, output } });
  };
  const finish = (sent: Sent, reason: string): object => {
    const cost = knowsPrice ? billOf(sent) : 0;
    return line("step_finish", { reason, tokens: usageOf(sent.tokens), cost });
  };

  function* work(): Generator<Step, void> {
    let sent = ask();
    let asked: Sent | undefined = sent;
    for (let left = between(random, 1, 10); left > 0; left -= 1) {
      yield { line: line("step_start"), sends: asked };
      while (kinds.drops && chance(random, 0.2)) {
        sent = ask();
        yield { line: line("step_start"), sends: sent };
      }
      if (left === 1) {
        yield { line: line("text", { text: "Done." }) };
        yield { line: finish(sent, "stop") };
        return;
      }
      let said = 0;
      for (let calls = between(random, 1, 2); calls > 0; calls -= 1) {
        const called = call();
        said += between(random, 1, Buffer.byteLength(JSON.stringify(called)));
        yield { line: called };
      }
      const finished = finish(sent, "tool-calls");
      prompt = grown(sent, said);
      sent = ask();
      asked = undefined;
      yield { line: finished, sends: sent };
    }
  }

  const steps = work();
  return {
    model,
    next: () => steps.next().value ?? undefined,
    // It says nothing more.
    interrupt: () => [],
  };
}
