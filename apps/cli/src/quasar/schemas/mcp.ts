import { text, word } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";

export const mcpConfigLine = result("mcp_config", "The entry of a client for the MCP server", {
  client: word(["claude", "codex", "gemini", "cursor", "vscode"], "Which"),
  file: text("That the entry goes into: in the repository, or in the home folder"),
  format: word(["json", "toml"], "Of the file"),
  text: text("The entry"),
});

export type McpConfigLine = Printed<typeof mcpConfigLine>;
