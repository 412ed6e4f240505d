import * as v from "valibot";

/** What a client of a real model asks, in one shape for Anthropic's Messages and OpenAI's Responses. */
export interface Conversation {
  readonly api: "anthropic" | "openai";
  readonly model: string;
  readonly system: string;
  /** All that the user has said, the client's own additions left out. */
  readonly history: string;
  /** How many rounds of tool calls there have been. */
  readonly step: number;
  /** Names of the tools on offer. */
  readonly tools: readonly string[];
}

/** Text that clients add in the user's name. */
const ADDED =
  /^\s*(<(system-reminder|environment_context|user_instructions|permissions|skills_instructions|turn_aborted)|\[(structured-output-enforce|Request interrupted))/u;

const Block = v.object({ type: v.optional(v.string(), ""), text: v.optional(v.string(), "") });
const Content = v.optional(v.union([v.string(), v.array(Block)]), "");
type Content = v.InferOutput<typeof Content>;

function blocksOf(content: Content): readonly v.InferOutput<typeof Block>[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textOf(content: Content): string {
  return blocksOf(content)
    .map(({ text }) => text)
    .filter((text) => text !== "" && !ADDED.test(text))
    .join("\n");
}

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

/** Reads the body of a request to Anthropic's Messages. */
export function anthropicConversation(body: unknown): Conversation {
  const { model, system, tools, messages } = v.parse(Anthropic, body);
  const said = (...roles: string[]): string =>
    messages
      .filter(({ role }) => roles.includes(role))
      .map(({ content }) => textOf(content))
      .join("\n");
  const calls = messages.filter(
    ({ role, content }) =>
      role === "assistant" && blocksOf(content).some(({ type }) => type === "tool_use"),
  );
  return {
    api: "anthropic",
    model,
    system: `${textOf(system)}\n${said("system")}`,
    history: said("user"),
    step: calls.length,
    tools: tools.map(({ name }) => name),
  };
}

/** Reads the body of a request to OpenAI's Responses. */
export function openAiConversation(body: unknown): Conversation {
  const { model, instructions, tools, input } = v.parse(OpenAi, body);
  const said = (...roles: string[]): string =>
    input
      .filter(({ role }) => roles.includes(role))
      .map(({ content }) => textOf(content))
      .join("\n");
  return {
    api: "openai",
    model,
    system: `${instructions}\n${said("system", "developer")}`,
    history: said("user"),
    step: input.filter(({ type }) => type.endsWith("_call")).length,
    tools: tools.map(({ name }) => name),
  };
}
