/** A program that starts MCP servers. */
export const CLIENTS = ["claude", "codex", "gemini", "cursor", "vscode"] as const;
export type Client = (typeof CLIENTS)[number];

/** What a client has to be told of a server. */
export interface ClientEntry {
  readonly client: Client;
  /** The file that the entry goes into: in the repository, or in the home folder. */
  readonly file: string;
  readonly format: "json" | "toml";
  /** The entry, in the file's format, ending in a new line. */
  readonly text: string;
}

/** The server as a command. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Of the repository. @default the open one, or where the client starts it */
  readonly folder?: string | undefined;
}

/** Some clients start servers in another folder, and name the one that is open. */
const OPEN_FOLDER = "${workspaceFolder}";

/** The entry of a client for a server. */
export function clientEntry(client: Client, server: ServerCommand): ClientEntry {
  const { command, folder } = server;
  const args = [...server.args, ...(folder === undefined ? [] : [folder])];
  const inOpenFolder = [...server.args, folder ?? OPEN_FOLDER];
  switch (client) {
    case "claude":
      return json(client, ".mcp.json", "mcpServers", { type: "stdio", command, args });
    case "codex":
      return {
        client,
        file: "~/.codex/config.toml",
        format: "toml",
        text: toml({ command, args }),
      };
    case "gemini":
      return json(client, ".gemini/settings.json", "mcpServers", { command, args });
    case "cursor":
      return json(client, ".cursor/mcp.json", "mcpServers", {
        type: "stdio",
        command,
        args: inOpenFolder,
      });
    case "vscode":
      return json(client, ".vscode/mcp.json", "servers", {
        type: "stdio",
        command,
        args: inOpenFolder,
      });
  }
}

function json(client: Client, file: string, key: string, server: object): ClientEntry {
  const text = `${JSON.stringify({ [key]: { quasar: server } }, undefined, 2)}\n`;
  return { client, file, format: "json", text };
}

/** Strings of JSON are strings of TOML. */
function toml({ command, args }: Omit<ServerCommand, "folder">): string {
  const list = args.map((arg) => JSON.stringify(arg)).join(", ");
  return `[mcp_servers.quasar]\ncommand = ${JSON.stringify(command)}\nargs = [${list}]\n`;
}
