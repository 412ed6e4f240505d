/** The supervisor of a turn, a program of its own, for agents that speak the Agent Client Protocol. */
import { createAcpConversation } from "./acp/conversation.ts";
import { runSupervisor } from "./supervise.ts";

runSupervisor(createAcpConversation);
