import type { Tokens } from "../../src/prices.ts";
import {
  between,
  billedPriceOf,
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

const UNKNOWN = "claude-new-9";
const SEARCH_USD = 0.01;

function* waitFor(isSo: () => boolean): Generator<undefined, void> {
  while (!isSo()) yield undefined;
}

interface ThreadState {
  readonly work: Generator<Step | undefined, void>;
  isDone: boolean;
}

const usageOf = ({ input, output, webSearches, ...cached }: Tokens): object => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cached.cacheRead,
  cache_creation_input_tokens: cached.cacheWrite + cached.cacheWriteLong,
  cache_creation: { ephemeral_1h_input_tokens: cached.cacheWriteLong },
  server_tool_use: { web_search_requests: webSearches },
});

/**
 * Claude Code as its recorded streams have it: the main thread is streamed, subagents are not, and each
 * idle time has a result, which counts what is whole. What broke off is billed and never counted.
 */
export function fakeClaude(random: Random, kinds: TurnKinds, maxOutput: number): FakeAgent {
  const threads = new Map<string, ThreadState>();
  let counted = new Map<string, Record<string, number>>();
  let [isAsking, isIdle] = [false, false];
  let [ids, notices] = [0, 0];

  const knownModel = (): string =>
    pick(random, ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-4-5"]);
  const modelOf = (): string =>
    kinds.hasUnknownModel && chance(random, 0.5) ? UNKNOWN : knownModel();

  const ask = (thread: string, model: string, prompt: number): Sent => {
    const said = promptTokens(random, prompt, kinds);
    const { output: rate } = billedPriceOf(model);
    const mayCost = (n: number) => Math.ceil((n * SEARCH_USD * 1e6) / rate);
    const wanted = thread === "" && kinds.searches ? between(random, 0, 2) : 0;
    // A search is paid for by what its response might have said: it is in no bound.
    const webSearches = mayCost(wanted) < maxOutput / 2 ? wanted : 0;
    const output = outputTokens(random, maxOutput - mayCost(webSearches));
    return { thread, model, tokens: { ...said, output, webSearches } };
  };
  const count = (sent: Sent) => {
    const { model, tokens } = sent;
    const sums = counted.get(model) ?? {};
    const add = (key: string, more: number) => (sums[key] = (sums[key] ?? 0) + more);
    add("inputTokens", tokens.input);
    add("outputTokens", tokens.output);
    add("cacheReadInputTokens", tokens.cacheRead);
    add("cacheCreationInputTokens", tokens.cacheWrite + tokens.cacheWriteLong);
    add("cacheCreationEphemeral1hInputTokens", tokens.cacheWriteLong);
    add("webSearchRequests", tokens.webSearches);
    add("costUSD", billOf(sent));
    counted.set(model, sums);
  };
  const result = (change: object = {}): object => {
    const model_usage_since_last_result = Object.fromEntries(counted);
    counted = new Map();
    const said = { subtype: "success", result: "Done.", terminal_reason: "completed", ...change };
    return { type: "result", num_turns: 1, model_usage_since_last_result, ...said };
  };
  const newId = (): string => `id-${++ids}`;
  const parent = (thread: string) => ({ parent_tool_use_id: thread === "" ? null : thread });
  const toolResult = (thread: string, id: string): object => {
    const content = "x".repeat(between(random, 1, 3000));
    const block = { type: "tool_result", tool_use_id: id, content };
    return { type: "user", ...parent(thread), message: { content: [block] } };
  };
  /** Of a line, at most a token a byte. */
  const tokensOf = (line: object): number =>
    between(random, 1, Buffer.byteLength(JSON.stringify(line)));
  const assistant = ({ thread, model, tokens }: Sent, id: string, block: object): object => {
    const message = {
      id,
      model,
      content: [block],
      usage: usageOf({ ...tokens, output: 1, webSearches: 0 }),
    };
    return { type: "assistant", ...parent(thread), message };
  };
  const stream = (event: object): object => ({ type: "stream_event", ...parent(""), event });
  const start = ({ model, tokens }: Sent, id: string): object => {
    const usage = usageOf({ ...tokens, output: 1, webSearches: 0 });
    return stream({ type: "message_start", message: { id, model, usage } });
  };
  const system = (subtype: string, more: object): object => ({ type: "system", subtype, ...more });

  function* subagent(id: string, model: string, isBackground: boolean): ThreadState["work"] {
    let sent = ask(id, model, between(random, 500, 15_000));
    const task = { tool_use_id: id, task_type: "local_agent", is_backgrounded: isBackground };
    yield { line: system("task_started", task), opens: id, sends: sent };
    const responses = between(random, 1, 4);
    for (let n = 1; n <= responses; n += 1) {
      const message = newId();
      const blocks = between(random, 1, 2);
      for (let block = 1; block <= blocks; block += 1) {
        // A byte for each token at least.
        const text = "x".repeat(Math.ceil(sent.tokens.output / blocks));
        yield { line: assistant(sent, message, { type: "text", text }) };
      }
      count(sent);
      if (n === responses) break;
      const line = toolResult(id, newId());
      sent = ask(id, model, grown(sent, tokensOf(line)));
      yield { line, sends: sent };
    }
    if (isBackground) {
      notices += 1;
      const closed = { tool_use_id: id, status: "completed" };
      yield { line: system("task_notification", closed), closes: id };
    }
  }

  function* main(): ThreadState["work"] {
    const model = modelOf();
    yield { line: system("init", { model, session_id: "s" }) };
    let prompt = between(random, 1000, 20_000);
    for (let left = between(random, 1, 8); left > 0; left -= 1) {
      let sent = ask("", model, prompt);
      isAsking = true;
      yield { line: system("status", { status: "requesting" }), sends: sent };
      while (kinds.drops && chance(random, 0.3)) {
        const id = newId();
        yield { line: start(sent, id) };
        if (chance(random, 0.5)) yield { line: assistant(sent, id, { type: "text", text: "…" }) };
        sent = ask("", model, prompt);
        yield { line: system("api_retry", { attempt: 1, error: "dropped" }), sends: sent };
      }
      const id = newId();
      yield { line: start(sent, id) };
      const tool = newId();
      const isAgent = kinds.hasBackground && left > 1 && chance(random, 0.6);
      const isBackground = chance(random, 0.6);
      const name = isAgent ? "Agent" : "Write";
      yield { line: assistant(sent, id, { type: "tool_use", id: tool, name, input: {} }) };
      if (isAgent) {
        threads.set(tool, { work: subagent(tool, modelOf(), isBackground), isDone: false });
        // It has said that it began, before its thread can have come to an end.
        const begun = threads.get(tool)?.work.next().value;
        if (begun !== undefined) yield begun;
      }
      count(sent);
      isAsking = false;
      yield { line: stream({ type: "message_delta", usage: usageOf(sent.tokens) }) };
      if (left > 1) {
        if (isAgent && !isBackground) yield* waitFor(() => threads.get(tool)?.isDone !== false);
        const line = toolResult("", tool);
        prompt = grown(sent, tokensOf(line));
        yield { line, closes: isAgent && !isBackground ? tool : undefined };
        continue;
      }
      isIdle = true;
      yield { line: result() };
      const isOver = () =>
        notices === 0 && [...threads.entries()].every(([key, { isDone }]) => key === "" || isDone);
      if (isOver()) return;
      yield* waitFor(() => notices > 0);
      [notices, isIdle] = [0, false];
      prompt = grown(sent, 0);
      left += 1;
    }
  }

  threads.set("", { work: main(), isDone: false });
  return {
    next() {
      const waiting = [...threads.values()].filter(({ isDone }) => !isDone);
      while (waiting.length > 0) {
        const [thread] = waiting.splice(between(random, 0, waiting.length - 1), 1);
        if (thread === undefined) break;
        const { done, value } = thread.work.next();
        if (done === true) thread.isDone = true;
        else if (value !== undefined) return value;
        if (done === true) return this.next();
      }
      return undefined;
    },
    interrupt() {
      if (isIdle) return [];
      const terminal_reason = isAsking ? "aborted_streaming" : "aborted_tools";
      const failed = { subtype: "error_during_execution", is_error: true, result: "" };
      return [{ line: result({ ...failed, terminal_reason }) }];
    },
  };
}
