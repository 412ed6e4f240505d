import { expect, test } from "vitest";
import { CLIENTS, clientEntry } from "./clients.ts";

const SERVER = { command: "quasar", args: ["mcp", "--allow", "start"] };

test("claude, gemini, cursor and vscode get JSON, each under its own key", () => {
  const entries = CLIENTS.filter((client) => client !== "codex").map((client) => {
    const { file, text } = clientEntry(client, SERVER);
    return [file, JSON.parse(text)] as const;
  });
  const { args } = SERVER;
  const inFolder = [...args, "${workspaceFolder}"];
  expect(entries).toEqual([
    [".mcp.json", { mcpServers: { quasar: { type: "stdio", command: "quasar", args } } }],
    [".gemini/settings.json", { mcpServers: { quasar: { command: "quasar", args } } }],
    [
      ".cursor/mcp.json",
      { mcpServers: { quasar: { type: "stdio", command: "quasar", args: inFolder } } },
    ],
    [
      ".vscode/mcp.json",
      { servers: { quasar: { type: "stdio", command: "quasar", args: inFolder } } },
    ],
  ]);
});

test("codex gets a table", () => {
  expect(clientEntry("codex", SERVER).text).toBe(
    '[mcp_servers.quasar]\ncommand = "quasar"\nargs = ["mcp", "--allow", "start"]\n',
  );
});
