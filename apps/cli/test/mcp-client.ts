import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { MAIN, type Place } from "./harness.ts";

/** What a tool has answered. */
export interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A client of a server of its own, both ended with the test. */
export interface Connected {
  readonly client: Client;
  readonly pid: () => number;
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<Told>;
}

/** Starts `quasar mcp` in a place, as an agent does. */
export async function connect(
  at: Place,
  args: readonly string[] = [],
  { env = {}, version }: ConnectOptions = {},
): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, "mcp", ...args],
    cwd: at.repo,
    env: { ...at.env, ...env },
    stderr: "inherit",
  });
  const options = version === undefined ? {} : { versionNegotiation: { mode: { pin: version } } };
  const client = new Client({ name: "a test", version: "1" }, options);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    pid: () => transport.pid ?? 0,
    async call(name, given = {}) {
      const {
        content,
        isError = false,
        structuredContent,
      } = await client.callTool({
        name,
        arguments: given,
      });
      const [first] = content;
      const facts = (structuredContent ?? {}) as Readonly<Record<string, unknown>>;
      return { isError, text: first?.type === "text" ? first.text : "", facts };
    },
  };
}

export interface ConnectOptions {
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Of the protocol. @default what both know */
  readonly version?: string | undefined;
}
