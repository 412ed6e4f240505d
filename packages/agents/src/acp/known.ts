import { join } from "node:path";
import type { AcpAgentOptions } from "../acp.ts";
import type { AgentRequest } from "../agent.ts";

/** What is known of an agent of the protocol beside what it says of itself. */
export interface KnownAcpAgent
  extends Pick<
    AcpAgentOptions,
    | "name"
    | "setEnv"
    | "defaultEnv"
    | "titleIsCommand"
    | "notices"
    | "errorText"
    | "endsWhenDenied"
    | "recordsIn"
    | "runsFrom"
    | "modelVariable"
  > {
  readonly title: string;
  readonly ownEnv: readonly string[];
  /** On the PATH. */
  readonly file: string;
  readonly args: Readonly<Record<AgentRequest["role"], readonly string[]>>;
}

/** @see SPEC.md, "Gemini CLI (by ACP)" */
export const GEMINI: KnownAcpAgent = {
  name: "gemini",
  title: "Gemini CLI",
  file: "gemini",
  args: {
    coder: ["--acp", "--approval-mode", "default"],
    reviewer: ["--acp", "--approval-mode", "default"],
  },
  ownEnv: ["GEMINI_*", "GOOGLE_*"],
  // No such file: of a folder that is not trusted neither settings, hooks, MCP servers, memory nor .env files are taken.
  setEnv: { GEMINI_CLI_TRUSTED_FOLDERS_PATH: "/dev/null/none" },
  // The address is its own default. Without it a session is not loaded for who has a key and no settings; its request for a login
  // would change those, and remove another login.
  defaultEnv: {
    GOOGLE_GEMINI_BASE_URL: "https://generativelanguage.googleapis.com",
    // It would start itself a second time, for a larger heap.
    GEMINI_CLI_NO_RELAUNCH: "true",
  },
  titleIsCommand: true,
  recordsIn: ({ GEMINI_CLI_HOME = "", HOME = "/" }) =>
    join(GEMINI_CLI_HOME === "" ? HOME : GEMINI_CLI_HOME, ".gemini", "tmp"),
};

const COPILOT_ARGS = ["--acp", "--no-auto-update", "--no-ask-user", "--disable-builtin-mcps"];

/** @see SPEC.md, "GitHub Copilot CLI (by ACP)" */
export const COPILOT: KnownAcpAgent = {
  name: "copilot",
  title: "GitHub Copilot CLI",
  file: "copilot",
  // A question that is answered by no ends its turn; what its own rules deny does not.
  args: { coder: COPILOT_ARGS, reviewer: [...COPILOT_ARGS, "--deny-tool=write"] },
  ownEnv: ["COPILOT_*"],
  notices: /^(?:Info|Warning|Error): /,
  errorText: /^Error: ([^]*)/,
  endsWhenDenied: true,
  modelVariable: "COPILOT_MODEL",
  runsFrom: [join(".github", "hooks")],
};
