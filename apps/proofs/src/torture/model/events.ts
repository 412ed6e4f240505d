import { randomUUID } from "node:crypto";
import type { Conversation } from "./conversation.ts";

/** What the model does next: calls a tool, or says something, or answers by the schema it was given. */
export type ModelTurn =
  /** A path in the work tree, and its content. */
  | { readonly write: { readonly path: string; readonly content: string } }
  | { readonly shell: string }
  | { readonly text: string }
  | { readonly json: object };

/** Tokens of every answer, so that each costs the same. */
export const ANSWER_TOKENS = { input: 10_000, cached: 2_000, output: 1_000 } as const;

/** A server-sent event. */
export interface ModelEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Call {
  readonly id: string;
  readonly name: string;
  /** Text for a free-form tool. */
  readonly input: object | string;
}

interface Answer {
  readonly text: string;
  readonly call?: Call | undefined;
}

/** The events of a streamed answer, in the words of the client that asks. */
export function eventsOf(turn: ModelTurn, conversation: Conversation): readonly ModelEvent[] {
  const { api, model } = conversation;
  const answer = answerOf(turn, conversation);
  return api === "anthropic" ? anthropicEvents(answer, model) : openAiEvents(answer, model);
}

function answerOf(turn: ModelTurn, { api, tools }: Conversation): Answer {
  const isAnthropic = api === "anthropic";
  const call = (name: string, input: Call["input"]): Answer => {
    return {
      text: "",
      call: { id: `${isAnthropic ? "toolu" : "call"}_${randomUUID()}`, name, input },
    };
  };
  if ("text" in turn) return { text: turn.text };
  if ("json" in turn) {
    const isTool = tools.includes("StructuredOutput");
    return isTool ? call("StructuredOutput", turn.json) : { text: JSON.stringify(turn.json) };
  }
  if ("write" in turn) {
    const { path, content } = turn.write;
    return isAnthropic
      ? call("Write", { file_path: path, content })
      : call("apply_patch", patchOf(path, content));
  }
  return isAnthropic
    ? call("Bash", { command: turn.shell, description: "Looks at it" })
    : call("exec_command", { cmd: turn.shell });
}

function patchOf(path: string, content: string): string {
  const lines = content.replace(/\n$/u, "").split("\n");
  const added = lines.map((line) => `+${line}`).join("\n");
  return `*** Begin Patch\n*** Add File: ${path}\n${added}\n*** End Patch\n`;
}

function anthropicEvents({ text, call }: Answer, model: string): readonly ModelEvent[] {
  const usage = {
    input_tokens: ANSWER_TOKENS.input,
    cache_read_input_tokens: ANSWER_TOKENS.cached,
    output_tokens: ANSWER_TOKENS.output,
  };
  const message = { id: `msg_${randomUUID()}`, type: "message", role: "assistant", model };
  const begun = { content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const [start, delta] =
    call === undefined
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text },
        ]
      : [
          { type: "tool_use", id: call.id, name: call.name, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
        ];
  const stop_reason = call === undefined ? "end_turn" : "tool_use";
  return [
    { type: "message_start", message: { ...message, ...begun } },
    { type: "content_block_start", index: 0, content_block: start },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

function openAiEvents({ text, call }: Answer, model: string): readonly ModelEvent[] {
  const { input, cached, output } = ANSWER_TOKENS;
  const id = `resp_${randomUUID()}`;
  const item = call === undefined ? messageItem(id, text) : callItem(call);
  // What was cached is part of the input here.
  const usage = {
    input_tokens: input + cached,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    total_tokens: input + cached + output,
  };
  const response = { id, object: "response", model, output: [item], usage };
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  return [
    { type: "response.created", response: begun },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { ...response, status: "completed" } },
  ];
}

function messageItem(id: string, text: string): object {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content };
}

function callItem({ id: call_id, name, input }: Call): object {
  const call = { id: `fc_${call_id}`, call_id, name, status: "completed" };
  return typeof input === "string"
    ? { type: "custom_tool_call", ...call, input }
    : { type: "function_call", ...call, arguments: JSON.stringify(input) };
}
