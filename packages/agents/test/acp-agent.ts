// An agent that speaks the Agent Client Protocol and follows a script: acp-agent.ts <script>, in JSON. What it reads
// is in `log` of its script, a message a line, with whether the question that is answered was on record then.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/** What it does when it is prompted, one after the other. */
export type AcpStep =
  | { readonly do: "say"; readonly text: string; readonly inPiecesOf?: number }
  | { readonly do: "update"; readonly update: object }
  | { readonly do: "print"; readonly text: string }
  /** Asks for a permission and waits for the answer; where it is none, the next step is left out. */
  | { readonly do: "ask"; readonly call: object; readonly options?: readonly object[] }
  | { readonly do: "write"; readonly path: string; readonly text: string }
  | { readonly do: "wait"; readonly for: string }
  | { readonly do: "exit"; readonly code: number }
  | { readonly do: "hang" }
  /** Answers the prompt. */
  | { readonly do: "end"; readonly result?: object; readonly error?: object };

export interface AcpScript {
  readonly log: string;
  /** File of the ids of sessions that it has had. */
  readonly sessions: string;
  readonly steps: readonly AcpStep[];
  /** Path of the turn's output. */
  readonly out?: string;
  /** In place of what it answers by itself, by method; `null`: no answer. */
  readonly answers?: Readonly<Record<string, object | null>>;
  /** Done before a method is answered. */
  readonly before?: Readonly<Record<string, readonly AcpStep[]>>;
  readonly ignoresCancel?: boolean;
  readonly ignoresEnd?: boolean;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string };
  readonly result?: { readonly outcome?: { readonly optionId?: string } };
}

const script = JSON.parse(process.argv[2] ?? "") as AcpScript;
const OPTIONS = [
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "once", name: "Once", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const NEW = "0b7e8c56-9df1-4a3f-8b52-8c2f4f1d7a10";
const INITIALIZED = {
  protocolVersion: 1,
  agentInfo: { name: "fake", version: "1.2.3" },
  agentCapabilities: { loadSession: true },
};

let sessionId = NEW;
const turn = { isCancelled: false };
let nextId = 0;
const waiting = new Map<number, (message: Message) => void>();
const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (change: object): void =>
  send({ method: "session/update", params: { sessionId, update: change } });
const hasHad = (id: string): boolean =>
  existsSync(script.sessions) && readFileSync(script.sessions, "utf8").includes(id);

/** Whether a question of this id was kept. */
function isOnRecord(id: number | undefined): boolean {
  const asked = `{"jsonrpc":"2.0","id":${id},"method":`;
  return script.out !== undefined && readFileSync(script.out, "utf8").includes(asked);
}

async function play(steps: readonly AcpStep[], promptId: number | undefined): Promise<boolean> {
  let isLeftOut = false;
  for (const step of steps) {
    if (isLeftOut) {
      isLeftOut = false;
      continue;
    }
    if (turn.isCancelled) return false;
    switch (step.do) {
      case "say": {
        const { text, inPiecesOf = text.length } = step;
        for (let at = 0; at < text.length; at += inPiecesOf) {
          const piece = { type: "text", text: text.slice(at, at + inPiecesOf) };
          update({ sessionUpdate: "agent_message_chunk", content: piece });
        }
        break;
      }
      case "update":
        update(step.update);
        break;
      case "print":
        process.stdout.write(step.text);
        break;
      case "ask": {
        const id = nextId++;
        const answered = new Promise<Message>((resolve) => waiting.set(id, resolve));
        const { call, options = OPTIONS } = step;
        const params = { sessionId, toolCall: call, options };
        send({ id, method: "session/request_permission", params });
        const { result } = await answered;
        isLeftOut = result?.outcome?.optionId !== "once";
        break;
      }
      case "write":
        writeFileSync(step.path, step.text);
        break;
      case "wait":
        while (!existsSync(step.for) && !turn.isCancelled) await sleep(10);
        break;
      case "exit":
        process.exit(step.code);
        break;
      case "hang":
        while (!turn.isCancelled) await sleep(10);
        break;
      case "end":
        send({ id: promptId, ...(step.error ? { error: step.error } : { result: step.result }) });
        return true;
    }
  }
  return false;
}

async function onRequest({ id, method = "", params }: Message): Promise<void> {
  const { answers = {}, before = {} } = script;
  await play(before[method] ?? [], id);
  const own = answers[method];
  if (own === null) return;
  if (own !== undefined) return send({ id, ...own });
  switch (method) {
    case "initialize":
      return send({ id, result: INITIALIZED });
    case "session/new":
      appendFileSync(script.sessions, `${NEW}\n`);
      return send({ id, result: { sessionId } });
    case "session/load":
      sessionId = params?.sessionId ?? "";
      return hasHad(sessionId)
        ? send({ id, result: {} })
        : send({ id, error: { code: -32002, message: "Resource not found" } });
    case "session/prompt": {
      if (await play(script.steps, id)) return;
      return send({ id, result: { stopReason: turn.isCancelled ? "cancelled" : "end_turn" } });
    }
    default:
      return send({ id, error: { code: -32601, message: `no ${method}` } });
  }
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line) as Message;
    const isKept = message.method === undefined && isOnRecord(message.id);
    appendFileSync(script.log, `${JSON.stringify({ ...message, ...(isKept && { isKept }) })}\n`);
    if (message.method === "session/cancel") {
      turn.isCancelled = script.ignoresCancel !== true;
    } else if (message.method === undefined) {
      waiting.get(message.id ?? -1)?.(message);
    } else if (message.id !== undefined) {
      void onRequest(message);
    }
  })
  .on("close", () => {
    if (script.ignoresEnd !== true) process.exit(0);
    setInterval(() => undefined, 1000);
  });
