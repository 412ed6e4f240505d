import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentInvoker, AgentRequest } from "@quasar/agents";
import type { PhaseRunOptions } from "@quasar/nebula";
import { onTestFinished, vi } from "vitest";

/** What a coder does in a work tree, and says of it, by the title of its phase. */
export type Work = Readonly<Record<string, (workTree: string, request: AgentRequest) => Said>>;

type Said = void | string | Promise<void | string>;

/** A repository, and a nebula in a folder beside it. */
export interface Place {
  readonly root: string;
  readonly repo: string;
  readonly dir: string;
  git(...args: string[]): string;
}

const capabilities: AgentInvoker["capabilities"] = {
  structuredOutput: false,
  choosesSessionId: false,
  reportsCost: true,
  streamsUsage: false,
  resumesSession: false,
};

export function agent(
  name: string,
  answer: (request: AgentRequest) => string | Promise<string>,
): AgentInvoker {
  return {
    name,
    capabilities,
    invoke: async (request) => ({
      text: await answer(request),
      costUsd: 0.01,
      costSource: "reported",
      durationMs: 1,
    }),
  };
}

/** Agents in the test's own process: the coder does a phase's work, the reviewer approves. */
export function agentsOf(
  work: Work,
  reviewer: AgentInvoker = agent("reviewer", () => "APPROVED: it is there"),
): (phase: { readonly title: string }) => PhaseRunOptions {
  return ({ title }) => ({
    coder: agent("coder", async (request) => {
      const said = await work[title]?.(request.workTree, request);
      return said ?? `Did ${title}.`;
    }),
    reviewer,
  });
}

/** @param files - Of the nebula's folder. */
export function aPlace(
  committed: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
): Place {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "fleet-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  vi.stubEnv("HOME", root);
  vi.stubEnv("XDG_STATE_HOME", join(root, "state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const [repo, dir] = [join(root, "repo"), join(root, "nebula")];
  execFileSync("git", ["init", "-q", "-b", "main", repo]);
  execFileSync("git", ["config", "--global", "user.name", "A"]);
  execFileSync("git", ["config", "--global", "user.email", "a@example.org"]);
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: repo, encoding: "utf8" }).trim();
  write(repo, committed);
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "Start");
  write(dir, files);
  return { root, repo, dir, git };
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** The file of a phase. */
export function phase(id: string, keys = ""): string {
  return `+++\nid = "${id}"\ntitle = "Phase ${id}"\n${keys}\n+++\nDo ${id}.\n`;
}

export const MANIFEST = '[nebula]\nname = "demo"\n';

/** A nebula's folder with a phase that needs another one. */
export const IN_ORDER = {
  "nebula.toml": MANIFEST,
  "a.md": phase("a"),
  "b.md": phase("b", 'depends_on = ["a"]'),
};
