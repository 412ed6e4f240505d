import { createHash } from "node:crypto";
import { once } from "node:events";
import { anthropicConversation, type Conversation, openAiConversation } from "./conversation.ts";
import { ANSWER_TOKENS, eventsOf, type ModelTurn } from "./events.ts";
import type { ModelWire } from "./server.ts";

/** List prices of a model, in US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** A model that real agents ask. */
export interface RealModel {
  readonly price: ModelPrice;
  /** Which piece of work a conversation is about. */
  workOf(conversation: Conversation): string;
  turnOf(conversation: Conversation, account: string): ModelTurn;
  /** Id of the turn that asks: real agents do not say it. */
  turnIdOf(account: string): string;
  /** Prompts without what differs from run to run. */
  normalise(prompts: string, account: string): string;
}

/** Where each API is asked, and how its requests are read. */
const APIS = {
  anthropic: { path: "/messages", conversationOf: anthropicConversation },
  openai: { path: "/responses", conversationOf: openAiConversation },
} as const;

/** What one answer costs, in US dollars: the same for each. */
export function answerUsd(price: ModelPrice): number {
  const { input, cached, output } = ANSWER_TOKENS;
  return (input * price.input + cached * price.cached + output * price.output) / 1e6;
}

/** The wire of Claude Code, which asks `anthropic`, or of Codex, which asks `openai`. */
export function realWire(api: Conversation["api"], model: RealModel): ModelWire {
  const { path: ending, conversationOf } = APIS[api];
  return {
    fits: (path) => path.endsWith(ending),
    read(body, _headers, account) {
      const conversation = conversationOf(body);
      const { prompts, step } = conversation;
      const work = model.workOf(conversation);
      const asked = model.normalise(prompts, account);
      return {
        work,
        key: `${work}, step ${step}`,
        turnId: model.turnIdOf(account),
        sha256: createHash("sha256").update(asked).digest("hex"),
        costUsd: answerUsd(model.price),
      };
    },
    async answer(body, response, account) {
      const conversation = conversationOf(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of eventsOf(model.turnOf(conversation, account), conversation)) {
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
      await once(response, "close");
    },
  };
}
