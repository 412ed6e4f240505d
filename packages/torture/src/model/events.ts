import { randomUUID } from "node:crypto";
import type { Conversation } from "./conversation.ts";

/** What the model does next: calls a tool, or says something, or answers by the schema it was given. */
export type ModelTurn =
  | { readonly write: { readonly path: string; readonly content: string } }
  | { readonly shell: string }
  | { readonly text: string }
  | { readonly json: object };

/** Tokens of every answer, so that each costs the same. */
const USAGE = { input: 100, output: 20 };

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

function patchOf(path: string, content: string): string {
  const lines = content.replace(/\n$/u, "").split("\n");
  const added = lines.map((line) => `+${line}`).join("\n");
  return `*** Begin Patch\n*** Add File: ${path}\n${added}\n*** End Patch\n`;
}

/** A turn in the words of the client that asks. */
function answerOf(turn: ModelTurn, { api, tools }: Conversation): Answer {
  const isAnthropic = api === "anthropic";
  const id = `${isAnthropic ? "toolu" : "call"}_${randomUUID()}`;
  if ("text" in turn) return { text: turn.text };
  if ("json" in turn) {
    const isTool = tools.includes("StructuredOutput");
    if (!isTool) return { text: JSON.stringify(turn.json) };
    return { text: "", call: { id, name: "StructuredOutput", input: turn.json } };
  }
  if ("write" in turn) {
    const { path, content } = turn.write;
    const call = isAnthropic
      ? { id, name: "Write", input: { file_path: path, content } }
      : { id, name: "apply_patch", input: patchOf(path, content) };
    return { text: "", call };
  }
  const call = isAnthropic
    ? { id, name: "Bash", input: { command: turn.shell, description: "Looks at it" } }
    : { id, name: "exec_command", input: { cmd: turn.shell } };
  return { text: "", call };
}

/** The events of a streamed answer. */
export function eventsOf(turn: ModelTurn, conversation: Conversation): readonly ModelEvent[] {
  const answer = answerOf(turn, conversation);
  return conversation.api === "anthropic"
    ? anthropicEvents(answer, conversation)
    : openAiEvents(answer, conversation);
}

function anthropicEvents({ text, call }: Answer, { model }: Conversation): readonly ModelEvent[] {
  const usage = { input_tokens: USAGE.input, output_tokens: USAGE.output };
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

function openAiEvents({ text, call }: Answer, { model }: Conversation): readonly ModelEvent[] {
  const id = `resp_${randomUUID()}`;
  const item = call === undefined ? messageItem(id, text) : callItem(call);
  const total_tokens = USAGE.input + USAGE.output;
  const usage = { input_tokens: USAGE.input, output_tokens: USAGE.output, total_tokens };
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
