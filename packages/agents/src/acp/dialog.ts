import {
  type ClientContext,
  type LoadSessionRequest,
  type LoadSessionResponse,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type StopReason,
} from "@agentclientprotocol/sdk";
import * as v from "valibot";
import { SessionId } from "./event.ts";
import { untilLoadable } from "./minute.ts";
import type { AcpTurn } from "./turn.ts";

/** Of an agent that wants to know first who is there. */
const AUTH_REQUIRED = -32000;

/**
 * Leads an agent through a turn. What it answers is on record: who reads that learns how far it came.
 *
 * @param onPrompt - Told the session when the prompt is about to be sent.
 * @param wasDenied - Whether the last that the agent did was a tool that it was not allowed to use.
 * @returns Why the turn ended; `undefined`: it was not begun.
 * @throws what the agent answers in place of what it was asked for.
 * @see SPEC.md, "ACP"
 */
export async function leadTurn(
  agent: ClientContext,
  turn: AcpTurn,
  onPrompt: (sessionId: string) => void,
  wasDenied: () => boolean,
): Promise<StopReason | undefined> {
  const { protocolVersion, agentCapabilities } = await agent.request("initialize", {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "quasar", version: "0" },
  });
  if (protocolVersion !== PROTOCOL_VERSION) return undefined;
  if (turn.sessionId !== undefined && agentCapabilities?.loadSession !== true) return undefined;
  const { sessionId, options } = await authenticated(agent, turn, () => openSession(agent, turn));
  if (turn.mode !== undefined) {
    await agent.request("session/set_mode", { sessionId, modeId: turn.mode });
  }
  if (turn.model !== undefined) await chooseModel(agent, sessionId, turn.model, options);
  onPrompt(sessionId);
  const ask = async (text: string): Promise<StopReason> => {
    const prompt = [{ type: "text" as const, text }];
    const answer = await agent.request<PromptResponse>("session/prompt", { sessionId, prompt });
    return answer.stopReason;
  };
  let stopReason = await ask(turn.prompt);
  for (let left = MOST_DENIALS; left > 0 && stopReason === "end_turn"; left -= 1) {
    if (turn.endsWhenDenied !== true || !wasDenied()) break;
    stopReason = await ask(CONTINUE);
  }
  return stopReason;
}

/** How often in a turn an agent is asked to continue. */
const MOST_DENIALS = 10;

const CONTINUE =
  "You may not use that tool like that. Continue without it, and finish the task as far as you can.";

interface OpenSession {
  readonly sessionId: string;
  /** What may be set in it: the ids, by what they are about. */
  readonly options: ReadonlyMap<unknown, string>;
}

async function openSession(agent: ClientContext, turn: AcpTurn): Promise<OpenSession> {
  const place = { cwd: turn.workTree, mcpServers: [] };
  const { sessionId } = turn;
  const opened =
    sessionId === undefined
      ? await agent.request<NewSessionResponse>("session/new", place)
      : { sessionId, ...(await load(agent, turn, { sessionId, ...place })) };
  // The package takes an answer for what it should be.
  if (!v.is(SessionId, opened.sessionId)) throw new TypeError("the session has no id");
  const options = (opened.configOptions ?? []).map(({ category, id }) => [category, id] as const);
  return { sessionId: opened.sessionId, options: new Map(options) };
}

async function load(
  agent: ClientContext,
  { records }: AcpTurn,
  session: LoadSessionRequest,
): Promise<LoadSessionResponse> {
  if (records !== undefined) await untilLoadable(records, session.sessionId);
  return agent.request("session/load", session);
}

async function authenticated<T>(
  agent: ClientContext,
  { authMethod }: AcpTurn,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const isAsked = error instanceof RequestError && error.code === AUTH_REQUIRED;
    if (!isAsked || authMethod === undefined) throw error;
  }
  await agent.request("authenticate", { methodId: authMethod });
  return act();
}

/** Agents of before the protocol had options for it know a request of their own. */
async function chooseModel(
  agent: ClientContext,
  sessionId: string,
  model: string,
  options: OpenSession["options"],
): Promise<void> {
  const configId = options.get("model");
  if (configId === undefined) {
    await agent.request("session/set_model", { sessionId, modelId: model });
  } else {
    await agent.request("session/set_config_option", { sessionId, configId, value: model });
  }
}
