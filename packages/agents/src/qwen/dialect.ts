import type { ClaudeDialect } from "../claude/dialect.ts";
import { toolName } from "../tool-names.ts";
import { parseQwenEvent } from "./event.ts";

/** The tools that a rule may name. */
const IN_RULES = ["run_shell_command", "write_file", "edit", "notebook_edit"];

/** Qwen Code's own words for what Claude Code says. @see SPEC.md, "Qwen Code" */
export const QWEN: ClaudeDialect = {
  title: "Qwen Code",
  parse: parseQwenEvent,
  stopsItself: false,
  answeringTool: "structured_output",
  toolName: (name) => toolName("qwen", name),
  toolNames: new Map(IN_RULES.map((name) => [name, toolName("qwen", name)])),
  said: [
    [/ended with empty response/i, "empty-answer"],
    [/structured_output|--json-schema/i, "schema"],
    [/insufficient_quota|quota (exceeded|exhausted)|arrears/i, "billing"],
    // Its own advice speaks of quotas.
    [/^\[API Error: 429\b/, "rate-limit"],
  ],
  stderr: [
    [/session id .{0,80}already exists/i, "session-busy"],
    [/no saved session found/i, "session-missing"],
    [
      /no auth type is selected|api.?key .{0,60}(not found|missing|required)|set .{0,40}api_key/i,
      "auth",
    ],
    [/unknown arguments?|invalid values|not enough arguments|error in .{0,200}settings/i, "usage"],
  ],
};
