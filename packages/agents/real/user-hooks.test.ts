import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInvoker } from "../src/agent.ts";
import { expect, onTestFinished, test } from "vitest";
import { createClaudeAgent, createCodexAgent } from "../src/index.ts";
import { startModelStub } from "./model-stub.ts";
import { createPlace, realEnvironment } from "./place.ts";

interface Hooked {
  /** Has the user's own settings run a command, whenever they may. */
  hook(home: string, command: string): void;
  create(env: Record<string, string>, userHooks: boolean | undefined): AgentInvoker;
}

const hooksOf = (command: string): object => {
  const hooks = [{ hooks: [{ type: "command", command }] }];
  return { hooks: { SessionStart: hooks, UserPromptSubmit: hooks, Stop: hooks } };
};

const CLAUDE: Hooked = {
  hook(home, command) {
    mkdirSync(join(home, ".claude"), { recursive: true });
    writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify(hooksOf(command)));
  },
  create: (env, userHooks) => createClaudeAgent({ env, userHooks }),
};

const CODEX: Hooked = {
  hook(home, command) {
    const config = join(home, ".codex", "config.toml");
    const notify = `notify = ["sh", "-c", "${command}"]\n`;
    writeFileSync(config, notify + readFileSync(config, "utf8"));
    writeFileSync(join(home, ".codex", "hooks.json"), JSON.stringify(hooksOf(command)));
  },
  create: (env, userHooks) =>
    createCodexAgent({ env, userHooks, args: ["--dangerously-bypass-hook-trust"] }),
};

test.for([
  ["a coder of Claude Code", CLAUDE, "coder"],
  ["a reviewer of Claude Code", CLAUDE, "reviewer"],
  ["a coder of Codex", CODEX, "coder"],
  ["a reviewer of Codex", CODEX, "reviewer"],
] as const)("%s runs the user's hooks unless they are left out", async ([, agent, role]) => {
  const stub = await startModelStub(() => ({ text: "Done.", usage: { input: 10, output: 5 } }));
  const { root, workTree, remove } = createPlace(stub.url);
  onTestFinished(async () => {
    await stub.close();
    remove();
  });
  const ran = join(root, "ran");
  agent.hook(join(root, "home"), `touch ${ran}`);
  const hooksRun = async (userHooks: boolean | undefined): Promise<boolean> => {
    rmSync(ran, { force: true });
    const runId = `hooks-${process.pid}-${role}-${userHooks}`;
    const { failure, text } = await agent
      .create(realEnvironment(root, stub.url), userHooks)
      .invoke({
        ...{ runId, turnId: `${runId}.1`, role, workTree, maxCostUsd: 1 },
        access: role === "coder" ? "write" : "read",
        ...{ prompt: "Say that it is done.", systemPrompt: "You are an agent." },
      });
    expect([failure, text]).toEqual([undefined, "Done."]);
    return existsSync(ran);
  };
  expect(await hooksRun(undefined)).toBe(true);
  expect(await hooksRun(false)).toBe(false);
});
