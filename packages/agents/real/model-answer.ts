import { randomUUID } from "node:crypto";
import type { ModelRequest } from "./model-request.ts";

/** Tokens of an answer. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  /** Of Gemini, which counts them beside the output and bills them like it. @default 0 */
  readonly thoughts?: number | undefined;
}

/** What the scripted model answers with. */
export interface ModelTurn {
  readonly text?: string | undefined;
  /** Asks for a file to be written, by its absolute path. */
  readonly write?: { readonly path: string; readonly content: string } | undefined;
  readonly shell?: string | undefined;
  /** Calls a tool of the client's by its name; Codex knows those of a server by the server, too. */
  readonly tool?:
    | { readonly name: string; readonly namespace?: string | undefined; readonly input: object }
    | undefined;
  /** The structured answer. */
  readonly json?: object | undefined;
  /** What the answer waits for. @default nothing */
  readonly after?: Promise<unknown> | undefined;
  /** Called when half of its events have been sent; the others wait for it. @default nothing */
  readonly halfway?: (() => Promise<unknown>) | undefined;
  /** Called when the last of it has been sent. @default nothing */
  readonly sent?: (() => void) | undefined;
  /** Tokens. @default 100 in, 20 out */
  readonly usage?: Usage | undefined;
  /** Ends by the provider's own refusal. @default false */
  readonly refuses?: boolean | undefined;
}

/** A server-sent event; Gemini's have no type. */
export interface ModelEvent {
  readonly type?: string;
  readonly [key: string]: unknown;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  /** Text for a free-form tool. */
  readonly input: object | string;
}

const patchOf = (path: string, content: string) =>
  `*** Begin Patch\n*** Add File: ${path}\n${content
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `+${line}`)
    .join("\n")}\n*** End Patch\n`;

/** The clients' tools that write a file. */
const WRITE: Readonly<Record<string, (path: string, content: string) => Call["input"]>> = {
  Write: (file_path, content) => ({ file_path, content }),
  write_file: (file_path, content) => ({ file_path, content }),
  write: (filePath, content) => ({ filePath, content }),
  create: (path, content) => ({ path, file_text: content }),
  apply_patch: patchOf,
};

/** The clients' tools that run a line of shell. */
const SHELL: Readonly<Record<string, (command: string) => Call["input"]>> = {
  Bash: (command) => ({ command, description: "scripted" }),
  bash: (command) => ({ command, description: "scripted" }),
  run_shell_command: (command) => ({ command }),
  exec_command: (cmd) => ({ cmd }),
};

/** The clients' tools that take the structured answer. */
const ANSWER: readonly string[] = ["StructuredOutput", "structured_output"];

const answerTool = ({ tools }: ModelRequest): string | undefined =>
  ANSWER.find((name) => tools.includes(name));

/** The tool of a table that the client offers, its first one where it offers none. */
function offered<T>(table: Readonly<Record<string, T>>, tools: readonly string[]): [string, T] {
  const entries = Object.entries(table);
  return (entries.find(([name]) => tools.includes(name)) ?? entries[0]) as [string, T];
}

/** Tool calls, in the words of the client that asks. */
function callsOf({ write, shell, tool, json }: ModelTurn, request: ModelRequest): Call[] {
  const { api, tools } = request;
  const id = () => `${api === "anthropic" ? "toolu" : "call"}_${randomUUID()}`;
  const calls: Call[] = [];
  if (write) {
    const [name, inputOf] = offered(WRITE, tools);
    calls.push({ id: id(), name, input: inputOf(write.path, write.content) });
  }
  if (shell !== undefined) {
    const [name, inputOf] = offered(SHELL, tools);
    calls.push({ id: id(), name, input: inputOf(shell) });
  }
  if (tool) calls.push({ id: id(), ...tool });
  const answer = answerTool(request);
  if (json && answer !== undefined) calls.push({ id: id(), name: answer, input: json });
  return calls;
}

export const usageOf = ({ usage }: ModelTurn): Usage => usage ?? { input: 100, output: 20 };

/** The events of a streamed answer. */
export function eventsOf(turn: ModelTurn, request: ModelRequest): ModelEvent[] {
  const calls = callsOf(turn, request);
  const asText = turn.json && answerTool(request) === undefined;
  const text = asText ? JSON.stringify(turn.json) : (turn.text ?? "");
  return EVENTS[request.api]({
    text,
    calls,
    usage: usageOf(turn),
    model: request.model,
    refuses: turn.refuses ?? false,
  });
}

interface Answer {
  readonly text: string;
  readonly calls: readonly Call[];
  readonly usage: Usage;
  readonly model: string;
  readonly refuses: boolean;
}

const EVENTS: Readonly<Record<ModelRequest["api"], (answer: Answer) => ModelEvent[]>> = {
  anthropic: anthropicEvents,
  openai: openAiEvents,
  gemini: geminiEvents,
};

function anthropicEvents({
  text,
  calls,
  usage: { input, output },
  model,
  refuses,
}: Answer): ModelEvent[] {
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
  const stop_reason = refuses ? "refusal" : calls.length > 0 ? "tool_use" : "end_turn";
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

function openAiEvents({
  text,
  calls,
  usage: { input, output },
  model,
  refuses,
}: Answer): ModelEvent[] {
  const id = `resp_${randomUUID()}`;
  const content = refuses
    ? [{ type: "refusal", refusal: text }]
    : [{ type: "output_text", text, annotations: [] }];
  const items = [
    ...(text === ""
      ? []
      : [{ type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content }]),
    ...calls.map(({ id: call_id, name, namespace, input: value }) => {
      const call = { id: `fc_${call_id}`, call_id, name, namespace, status: "completed" };
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

function geminiEvents({
  text,
  calls,
  usage: { input, output, thoughts = 0 },
  model,
  refuses,
}: Answer): ModelEvent[] {
  const usageMetadata = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    thoughtsTokenCount: thoughts,
    totalTokenCount: input + output + thoughts,
  };
  const parts = calls.map(({ id, name, input: args }) => ({ functionCall: { id, name, args } }));
  const event = (content: readonly object[], finishReason?: string) => ({
    candidates: [{ index: 0, content: { role: "model", parts: content }, finishReason }],
    modelVersion: model,
    responseId: randomUUID(),
    usageMetadata,
  });
  const end = event(parts.length > 0 ? parts : [{ text: "" }], refuses ? "SAFETY" : "STOP");
  return text === "" ? [end] : [event([{ text }]), end];
}
