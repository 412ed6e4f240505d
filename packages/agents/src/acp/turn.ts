import type { PermissionRules } from "./permission.ts";

/** What is talked about with an agent in a turn: data, as it goes to another process. */
export interface AcpTurn {
  /** Absolute path of the work tree. */
  readonly workTree: string;
  readonly prompt: string;
  /** The session to continue in; `undefined`: a new one. */
  readonly sessionId?: string | undefined;
  /** @default the agent's own choice */
  readonly model?: string | undefined;
  /** The agent's name of the mode that the session is put into. @default the one that it begins in */
  readonly mode?: string | undefined;
  /** How to log in where the agent asks for that, by its own id: without a person. @default not at all */
  readonly authMethod?: string | undefined;
  /** How a text begins that the agent says of itself, as the source of a regular expression. @default none */
  readonly notices?: string | undefined;
  /** Whether the agent ends its turn when it may not use a tool: it is then asked to continue without. @default false */
  readonly endsWhenDenied?: boolean | undefined;
  /** Where Gemini CLI keeps its records of sessions: it is waited for until one may be loaded. @default nothing */
  readonly records?: string | undefined;
  readonly permissions: PermissionRules;
}
