import { createHash } from "node:crypto";
import { once } from "node:events";
import { anthropicConversation, type Conversation, openAiConversation } from "./conversation.ts";
import { eventsOf, type ModelTurn } from "./events.ts";
import type { ModelRequest, ModelWire } from "./server.ts";

/** What a model does that real agents ask. */
export interface RealModel {
  /** Which piece of work a conversation is about. */
  workOf(conversation: Conversation): string;
  turnOf(account: string, conversation: Conversation): ModelTurn;
}

/** The wires of Claude Code and Codex. What an answer costs is the same for each: one. */
export function realWires(model: RealModel): readonly ModelWire[] {
  const wire = (ending: string, conversationOf: (body: unknown) => Conversation): ModelWire => ({
    fits: (path) => path.endsWith(ending),
    read(body): ModelRequest {
      const conversation = conversationOf(body);
      const { history, step, model: name } = conversation;
      const work = model.workOf(conversation);
      const sha256 = createHash("sha256").update(history).digest("hex");
      return { work, key: `${work}, step ${step} (${name})`, turnId: "", sha256, costUsd: 1 };
    },
    async answer(body, response, account) {
      const conversation = conversationOf(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of eventsOf(model.turnOf(account, conversation), conversation)) {
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
      await once(response, "close");
    },
  });
  return [wire("/messages", anthropicConversation), wire("/responses", openAiConversation)];
}
