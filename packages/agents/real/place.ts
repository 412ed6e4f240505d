import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentInvoker } from "../src/agent.ts";
import { createClaudeAgent, createCodexAgent } from "../src/index.ts";

/** The real agents. */
export type RealAgents = Readonly<Record<"claude" | "codex", AgentInvoker>>;

/** Where real agents run: a home and a work tree of their own, and no other model than the stub. */
export interface Place {
  readonly root: string;
  readonly workTree: string;
  readonly agents: RealAgents;
  git(...args: string[]): string;
  /** Puts a line of shell in a program's place, until the returned function is called. */
  breakProgram(name: string, script: string): () => void;
  readonly remove: () => void;
}

/** Where the programs are. */
export const BIN: string = join(import.meta.dirname, "node_modules", ".bin");

/** With `/tmp` out of the sandbox: a Codex that is killed while it sets it up leaves an empty `.git` there. */
export const codexConfig = (url: string) => `model = "gpt-5.5"
model_provider = "stub"
check_for_update_on_startup = false
[analytics]
enabled = false
[sandbox_workspace_write]
exclude_slash_tmp = true
[model_providers.stub]
name = "stub"
base_url = "${url}/v1"
env_key = "CODEX_STUB_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`;

/** Of agents that run in a place and reach nothing but the stub at `url`. */
export function realEnvironment(root: string, url: string): Record<string, string> {
  return {
    PATH: `${join(root, "broken")}:${BIN}:${process.env["PATH"]}`,
    HOME: join(root, "home"),
    CLAUDE_CONFIG_DIR: join(root, "home", ".claude"),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-stub",
    // Nothing but loopback is reached: not by Codex, which asks for news at each start, either.
    HTTPS_PROXY: "http://127.0.0.1:9",
    HTTP_PROXY: "http://127.0.0.1:9",
    NO_PROXY: "127.0.0.1",
    CODEX_HOME: join(root, "home", ".codex"),
    CODEX_STUB_KEY: "stub",
  };
}

/** The agents of a place, for another process too. */
export function createRealAgents(root: string, url: string): RealAgents {
  const env = realEnvironment(root, url);
  const options = { env, limits: { idleTimeoutMs: 60_000, totalTimeoutMs: 90_000 } };
  return {
    claude: createClaudeAgent({ ...options, allowedTools: ["Bash(sleep *)", "Bash(node *)"] }),
    codex: createCodexAgent(options),
  };
}

/** Makes a place whose agents talk to the stub at `url`. */
export function createPlace(url: string): Place {
  const root = mkdtempSync(join(tmpdir(), "quasar-real-"));
  const home = join(root, "home");
  const workTree = join(root, "work");
  const codexHome = join(home, ".codex");
  mkdirSync(codexHome, { recursive: true });
  const broken = join(root, "broken");
  mkdirSync(workTree);
  mkdirSync(broken);
  writeFileSync(join(codexHome, "config.toml"), codexConfig(url));
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: workTree, encoding: "utf8" }).trim();
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Test");
  git("config", "user.email", "test@example.com");
  writeFileSync(join(workTree, "README.md"), "# A project\n");
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
  return {
    root,
    workTree,
    agents: createRealAgents(root, url),
    git,
    breakProgram(name, script) {
      const file = join(broken, name);
      writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
      return () => rmSync(file);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
