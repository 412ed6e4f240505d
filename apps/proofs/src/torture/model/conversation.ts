import * as v from "valibot";

/** What a client of a real model asks, in one shape for Anthropic's Messages and OpenAI's Responses. */
export interface Conversation {
  readonly api: "anthropic" | "openai";
  readonly model: string;
  readonly system: string;
  /** All that the user has said, the client's own additions left out. */
  readonly prompts: string;
  /** How many tool calls have come to their end. */
  readonly step: number;
  /** Names of the tools on offer. */
  readonly tools: readonly string[];
}

/** Text that clients add in the user's name. */
const ADDED =
  /^\s*(?:<(?:system-reminder|environment_context|user_instructions|permissions|skills_instructions|turn_aborted)|\[(?:structured-output-enforce|Request interrupted))/u;

/** What clients say of a call whose end nobody has seen, as a killed agent's: it is to be made again. */
const UNKNOWN_END = /^\s*(?:\[?Tool call interrupted|aborted)/iu;

const TextBlock = v.object({ type: v.optional(v.string(), ""), text: v.optional(v.string(), "") });
const Text = v.nullish(v.union([v.string(), v.array(TextBlock)]), "");

/** Texts of a message or of a tool's answer. */
function textsOf(content: v.InferOutput<typeof Text>): readonly string[] {
  return typeof content === "string" ? [content] : content.map(({ text }) => text);
}

function ownTextOf(content: v.InferOutput<typeof Text>): string {
  return textsOf(content)
    .filter((text) => text !== "" && !ADDED.test(text))
    .join("\n");
}

function hasEnded(answer: v.InferOutput<typeof Text>): boolean {
  return !UNKNOWN_END.test(textsOf(answer).join("\n"));
}

const Anthropic = v.object({
  model: v.string(),
  system: Text,
  tools: v.optional(v.array(v.object({ name: v.string() })), []),
  messages: v.array(
    v.object({
      role: v.string(),
      content: v.union([
        v.string(),
        v.array(v.object({ ...TextBlock.entries, content: v.optional(v.unknown()) })),
      ]),
    }),
  ),
});

/** Reads the body of a request to Anthropic's Messages. */
export function anthropicConversation(body: unknown): Conversation {
  const { model, system, tools, messages } = v.parse(Anthropic, body);
  const said = (role: string): string =>
    messages
      .filter((message) => message.role === role)
      .map(({ content }) => ownTextOf(content))
      .filter((text) => text !== "")
      .join("\n");
  const results = messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .filter(({ type }) => type === "tool_result");
  return {
    api: "anthropic",
    model,
    system: `${ownTextOf(system)}\n${said("system")}`,
    prompts: said("user"),
    step: results.filter(({ content }) => hasEnded(v.parse(Text, content))).length,
    tools: tools.map(({ name }) => name),
  };
}

const OpenAi = v.object({
  model: v.string(),
  instructions: v.optional(v.string(), ""),
  tools: v.optional(v.array(v.object({ name: v.optional(v.string(), "") })), []),
  input: v.array(
    v.object({
      type: v.optional(v.string(), ""),
      role: v.optional(v.string(), ""),
      content: v.optional(v.unknown()),
      output: v.optional(v.unknown()),
    }),
  ),
});

/** Reads the body of a request to OpenAI's Responses. */
export function openAiConversation(body: unknown): Conversation {
  const { model, instructions, tools, input } = v.parse(OpenAi, body);
  const said = (...roles: string[]): string =>
    input
      .filter(({ role }) => roles.includes(role))
      .map(({ content }) => ownTextOf(v.parse(Text, content)))
      .filter((text) => text !== "")
      .join("\n");
  const results = input.filter(({ type }) => type.endsWith("_call_output"));
  return {
    api: "openai",
    model,
    system: `${instructions}\n${said("system", "developer")}`,
    prompts: said("user"),
    step: results.filter(({ output }) => hasEnded(v.parse(Text, output))).length,
    tools: tools.map(({ name }) => name),
  };
}
