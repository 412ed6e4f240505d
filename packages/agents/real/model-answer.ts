import { randomUUID } from "node:crypto";
import type { ModelRequest } from "./model-request.ts";

/** What the scripted model answers with. */
export interface ModelTurn {
  readonly text?: string | undefined;
  /** Asks for a file to be written, by its absolute path. */
  readonly write?: { readonly path: string; readonly content: string } | undefined;
  readonly shell?: string | undefined;
  /** Calls a tool of the client's by its name. */
  readonly tool?: { readonly name: string; readonly input: object } | undefined;
  /** The structured answer. */
  readonly json?: object | undefined;
  /** What the answer waits for. @default nothing */
  readonly after?: Promise<unknown> | undefined;
  /** Tokens. @default 100 in, 20 out */
  readonly usage?: { readonly input: number; readonly output: number } | undefined;
}

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

const patchOf = (path: string, content: string) =>
  `*** Begin Patch\n*** Add File: ${path}\n${content
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `+${line}`)
    .join("\n")}\n*** End Patch\n`;

/** Tool calls, in the words of the client that asks. */
function callsOf({ write, shell, tool, json }: ModelTurn, { api, tools }: ModelRequest): Call[] {
  const id = () => `${api === "anthropic" ? "toolu" : "call"}_${randomUUID()}`;
  const calls: Call[] = [];
  if (write) {
    const { path, content } = write;
    calls.push(
      api === "anthropic"
        ? { id: id(), name: "Write", input: { file_path: path, content } }
        : { id: id(), name: "apply_patch", input: patchOf(path, content) },
    );
  }
  if (shell !== undefined) {
    calls.push(
      api === "anthropic"
        ? { id: id(), name: "Bash", input: { command: shell, description: "scripted" } }
        : { id: id(), name: "exec_command", input: { cmd: shell } },
    );
  }
  if (tool) calls.push({ id: id(), ...tool });
  if (json && tools.includes("StructuredOutput")) {
    calls.push({ id: id(), name: "StructuredOutput", input: json });
  }
  return calls;
}

export const usageOf = ({ usage }: ModelTurn): NonNullable<ModelTurn["usage"]> =>
  usage ?? { input: 100, output: 20 };

/** The events of a streamed answer. */
export function eventsOf(turn: ModelTurn, request: ModelRequest): ModelEvent[] {
  const calls = callsOf(turn, request);
  const asText = turn.json && !request.tools.includes("StructuredOutput");
  const text = asText ? JSON.stringify(turn.json) : (turn.text ?? "");
  const usage = usageOf(turn);
  return request.api === "anthropic"
    ? anthropicEvents(text, calls, usage, request.model)
    : openAiEvents(text, calls, usage, request.model);
}

function anthropicEvents(
  text: string,
  calls: readonly Call[],
  { input, output }: { input: number; output: number },
  model: string,
): ModelEvent[] {
  const usage = { input_tokens: input, output_tokens: output };
  const message = { id: `msg_${randomUUID()}`, type: "message", role: "assistant", model };
  const started = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const blocks = [
    ...(text === ""
      ? []
      : [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text } }]),
    ...calls.map((call) => ({
      start: { type: "tool_use", id: call.id, name: call.name, input: {} },
      delta: { type: "input_json_delta", partial_json: JSON.stringify(call.input) },
    })),
  ];
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  return [
    { type: "message_start", message: started },
    ...blocks.flatMap(({ start, delta }, index) => [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

function openAiEvents(
  text: string,
  calls: readonly Call[],
  { input, output }: { input: number; output: number },
  model: string,
): ModelEvent[] {
  const id = `resp_${randomUUID()}`;
  const content = [{ type: "output_text", text, annotations: [] }];
  const items = [
    ...(text === ""
      ? []
      : [{ type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content }]),
    ...calls.map(({ id: call_id, name, input: value }) => {
      const call = { id: `fc_${call_id}`, call_id, name, status: "completed" };
      return typeof value === "string"
        ? { type: "custom_tool_call", ...call, input: value }
        : { type: "function_call", ...call, arguments: JSON.stringify(value) };
    }),
  ];
  const usage = { input_tokens: input, output_tokens: output, total_tokens: input + output };
  const response = { id, object: "response", model, output: items, usage };
  return [
    {
      type: "response.created",
      response: { ...response, status: "in_progress", output: [], usage: null },
    },
    ...items.flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { ...response, status: "completed" } },
  ];
}
