import { expect, test } from "vitest";
import { aRequest } from "../test/request.ts";
import { claudeArgs, type ClaudeArgsOptions } from "./claude/args.ts";
import { codexArgs } from "./codex/args.ts";

const TURN = { commands: [], guard: () => "/guard.js" };
const NO_HOOKS = ["-c", "features.hooks=false", "-c", "notify=[]"];

const argsFor = (access: "read" | "write", options: ClaudeArgsOptions): readonly string[] =>
  claudeArgs(aRequest({ access }), options, TURN);

const valueOf = (args: readonly string[], flag: string): string | undefined =>
  args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;

test("a coder of Claude Code is told to run no hooks only where the user's are left out", () => {
  expect(valueOf(argsFor("write", {}), "--settings")).toBeUndefined();
  const args = argsFor("write", { userHooks: false });
  expect(JSON.parse(valueOf(args, "--settings") ?? "")).toEqual({ disableAllHooks: true });
});

test("a reviewer of Claude Code without hooks has no commands, which no guard would judge", () => {
  const args = argsFor("read", { userHooks: false });
  expect(JSON.parse(valueOf(args, "--settings") ?? "")).toEqual({ disableAllHooks: true });
  expect(valueOf(args, "--tools")).toBe("Read,Glob,Grep");
  expect(args.filter((arg) => arg.startsWith("Bash("))).toEqual(["Bash(git *--out*)"]);
  expect(valueOf(argsFor("read", {}), "--tools")).toContain("Bash");
});

test.for(["read", "write"] as const)(
  "a turn of Codex that may %s runs no hooks where they are left out",
  (access) => {
    const request = aRequest({ access });
    expect(codexArgs(request, { userHooks: false }, undefined)).toEqual(
      expect.arrayContaining(NO_HOOKS),
    );
    expect(codexArgs(request, {}, undefined)).not.toContain(NO_HOOKS[1]);
  },
);
