import * as v from "valibot";

/** What a client asks, in one shape for all APIs. */
export interface ModelRequest {
  readonly api: "anthropic" | "openai" | "gemini";
  readonly model: string;
  readonly system: string;
  /** The last text of the user's own. */
  readonly prompt: string;
  /** All texts of the user's own, of earlier turns of the session too. */
  readonly prompts: readonly string[];
  /** How many rounds of tool calls there have been since. */
  readonly step: number;
  /** Names of the tools on offer. */
  readonly tools: readonly string[];
}

/** Text that clients add in the user's name. */
const NOT_A_PROMPT =
  /^\s*(<(system-reminder|environment_context|session_context|user_instructions|permissions|skills_instructions|turn_aborted)|\[(structured-output-enforce|Request interrupted))/;

interface Round {
  readonly prompt: string;
  readonly calls: boolean;
}

const Block = v.object({ type: v.optional(v.string(), ""), text: v.optional(v.string(), "") });
const Content = v.optional(v.union([v.string(), v.array(Block)]), "");

const blocksOf = (content: v.InferOutput<typeof Content>) =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

const textOf = (content: v.InferOutput<typeof Content>) =>
  blocksOf(content)
    .map(({ text }) => text)
    .filter((text) => text !== "" && !NOT_A_PROMPT.test(text))
    .join("\n");

const Anthropic = v.object({
  model: v.string(),
  system: Content,
  tools: v.optional(v.array(v.object({ name: v.string() })), []),
  messages: v.array(v.object({ role: v.string(), content: Content })),
});

const OpenAi = v.object({
  model: v.string(),
  instructions: v.optional(v.string(), ""),
  tools: v.optional(v.array(v.object({ name: v.optional(v.string(), "") })), []),
  input: v.array(
    v.object({
      type: v.optional(v.string(), ""),
      role: v.optional(v.string(), ""),
      content: v.nullish(Content, ""),
    }),
  ),
});

const GeminiContent = v.object({
  role: v.optional(v.string(), "user"),
  parts: v.array(
    v.object({
      text: v.optional(v.string(), ""),
      functionCall: v.optional(v.object({ name: v.string() })),
    }),
  ),
});

const Gemini = v.object({
  systemInstruction: v.optional(v.object({ parts: v.array(Block) })),
  tools: v.optional(
    v.array(
      v.object({
        functionDeclarations: v.optional(v.array(v.object({ name: v.string() })), []),
      }),
    ),
    [],
  ),
  contents: v.array(GeminiContent),
});

function positionIn(rounds: readonly Round[]): Pick<ModelRequest, "prompt" | "prompts" | "step"> {
  const last = rounds.findLastIndex(({ prompt }) => prompt !== "");
  const step = rounds.slice(last + 1).filter(({ calls }) => calls).length;
  const prompts = rounds.map(({ prompt }) => prompt).filter((prompt) => prompt !== "");
  return { prompt: rounds[last]?.prompt ?? "", prompts, step };
}

function ofAnthropic(body: unknown): ModelRequest {
  const { model, system, tools, messages } = v.parse(Anthropic, body);
  const rounds = messages.map(({ role, content }) => ({
    prompt: role === "user" ? textOf(content) : "",
    calls: role === "assistant" && blocksOf(content).some(({ type }) => type === "tool_use"),
  }));
  const more = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  return {
    api: "anthropic",
    model,
    system: [system, ...more].map(textOf).join("\n"),
    tools: tools.map(({ name }) => name),
    ...positionIn(rounds),
  };
}

function ofOpenAi(body: unknown): ModelRequest {
  const { model, instructions, tools, input } = v.parse(OpenAi, body);
  const rounds = input.map(({ type, role, content }) => ({
    prompt: role === "user" ? textOf(content) : "",
    calls: type.endsWith("_call"),
  }));
  const more = input.filter(({ role }) => role === "developer" || role === "system");
  return {
    api: "openai",
    model,
    system: [instructions, ...more.map(({ content }) => textOf(content))].join("\n"),
    tools: tools.map(({ name }) => name),
    ...positionIn(rounds),
  };
}

function ofGemini(model: string, body: unknown): ModelRequest {
  const { systemInstruction, tools, contents } = v.parse(Gemini, body);
  const rounds = contents.map(({ role, parts }) => ({
    prompt: role === "user" ? textOf(parts.map((part) => ({ type: "text", ...part }))) : "",
    calls: parts.some(({ functionCall }) => functionCall !== undefined),
  }));
  return {
    api: "gemini",
    model,
    system: textOf(systemInstruction?.parts ?? ""),
    tools: tools.flatMap(({ functionDeclarations }) =>
      functionDeclarations.map(({ name }) => name),
    ),
    ...positionIn(rounds),
  };
}

/** The request to a model at a path; `undefined` when it is none. */
export function modelRequestOf(path: string, body: unknown): ModelRequest | undefined {
  const [, gemini] = /\/models\/([^/:]+):(?:streamG|g)enerateContent(?:\?|$)/.exec(path) ?? [];
  if (gemini !== undefined) {
    return ofGemini(gemini, body);
  }
  if (/\/messages(\?|$)/.test(path)) {
    return ofAnthropic(body);
  }
  return /\/responses(\?|$)/.test(path) ? ofOpenAi(body) : undefined;
}
