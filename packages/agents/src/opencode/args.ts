import type { AgentRequest } from "../agent.ts";
import { AGENT } from "./settings.ts";

export interface OpencodeArgsOptions {
  /** As `provider/model`. @default OpenCode's own choice */
  readonly model?: string | undefined;
  /** Whether the user's own plugins run, which may be how a person is logged in. @default true */
  readonly userHooks?: boolean | undefined;
  /** More arguments for turns that write; a turn that only reads has none. @default none */
  readonly args?: readonly string[] | undefined;
}

/**
 * OpenCode's arguments for a turn. The title keeps it from asking a model for one.
 *
 * @see SPEC.md, "OpenCode"
 */
export function opencodeArgs(
  { access, role, resumesSession, sessionId }: AgentRequest,
  { model, userHooks = true, args = [] }: OpencodeArgsOptions,
): string[] {
  return [
    ...["run", "--format", "json", "--agent", AGENT, "--title", `Quasar ${role}`],
    ...(resumesSession && sessionId !== undefined ? [`--session=${sessionId}`] : []),
    ...(model === undefined ? [] : ["--model", model]),
    ...(userHooks ? [] : ["--pure"]),
    ...(access === "read" ? [] : args),
  ];
}
