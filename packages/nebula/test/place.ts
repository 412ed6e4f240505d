import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentInvoker, AgentRequest } from "@quasar/agents";
import { openRepository } from "@quasar/git";
import { createKeyManager } from "@quasar/receipts";
import { onTestFinished, vi } from "vitest";
import { type ApplyEnd, type ApplyOptions, applyNebula } from "../src/engine/apply.ts";
import type { PhaseRunOptions } from "../src/context/context.ts";
import type { Told } from "../src/events.ts";
import { loadNebula } from "../src/spec/index.ts";
import { listNebulae, unfinishedOf } from "../src/state/list.ts";
import type { NebulaState } from "../src/state/state.ts";

/** What a coder does in a work tree, and says of it, by the title of its phase. */
export type Work = Readonly<Record<string, (workTree: string, request: AgentRequest) => Said>>;

type Said = void | string | Promise<void | string>;

/** A repository, and a nebula in a folder beside it. */
export interface Place {
  readonly root: string;
  readonly repo: string;
  readonly dir: string;
  readonly told: Told[];
  git(...args: string[]): string;
  /** What hears of the events of an engine, unless `apply` is given another listener. */
  tell(event: Told): void;
  /** Resolves once an event of this type has been told of a phase, and rejects once a phase has failed. */
  after(type: Told["type"], phase: string): Promise<void>;
  /** Titles of the landings, oldest first. */
  landings(): readonly string[];
  apply(work: Work, change?: Partial<ApplyOptions>): Promise<ApplyEnd>;
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
  costUsd = 0.01,
): AgentInvoker {
  return {
    name,
    capabilities,
    invoke: async (request) => ({
      text: await answer(request),
      costUsd,
      costSource: "reported",
      durationMs: 1,
    }),
  };
}

interface AgentsOptions {
  readonly coderUsd?: number;
  /** @default it approves */
  readonly reviewer?: AgentInvoker | undefined;
}

/** Agents in the test's own process: the coder does a phase's work, the reviewer approves. */
export function agentsOf(
  work: Work,
  { coderUsd, reviewer = agent("reviewer", () => "APPROVED: it is there") }: AgentsOptions = {},
): (phase: { readonly title: string }) => PhaseRunOptions {
  return ({ title }) => ({
    coder: agent(
      "coder",
      async (request) => {
        const said = await work[title]?.(request.workTree, request);
        return said ?? `Did ${title}.`;
      },
      coderUsd,
    ),
    reviewer,
  });
}

/** @param files - Of the nebula's folder. */
export function aPlace(
  committed: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>>,
): Place {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "nebula-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  vi.stubEnv("HOME", root);
  vi.stubEnv("XDG_STATE_HOME", join(root, "state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  const [repo, dir] = [join(root, "repo"), join(root, "nebula")];
  execFileSync("git", ["init", "-q", "-b", "main", repo]);
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: repo, encoding: "utf8" }).trim();
  git("config", "user.name", "A");
  git("config", "user.email", "a@example.org");
  write(repo, committed);
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "Start");
  write(dir, files);
  const told: Told[] = [];
  const listeners = new Set<() => void>();
  const tell = (event: Told): void => {
    told.push(event);
    for (const look of listeners) look();
  };
  return {
    ...{ root, repo, dir, told, git, tell },
    after: (type, id) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          for (const event of told) {
            if (event.type === "phase_failed") reject(new Error(event.reason));
            if (event.type === type && "phase" in event && event.phase === id) resolve();
          }
        };
        listeners.add(look);
        look();
      }),
    landings: () =>
      git("log", "--first-parent", "--reverse", "--format=%s", "main..nebula/demo")
        .split("\n")
        .filter((line) => line !== ""),
    async apply(work, change = {}) {
      const repository = change.repository ?? (await openRepository(repo));
      return applyNebula({
        repository,
        loaded: "loaded" in change ? change.loaded : loadNebula(dir),
        resumed: "resumed" in change ? change.resumed : unfinishedOf(repository.commonDir, dir),
        base: change.base ?? git("rev-parse", "main"),
        limits: { maxWorkers: 2, totalUsd: 0, phaseUsd: 5 },
        optionsOf: agentsOf(work),
        keys: createKeyManager({ dir: join(root, "keys") }),
        env: {},
        commandEnv: process.env,
        stateFolder: join(root, "state", "quasar"),
        onEvent: tell,
        signal: new AbortController().signal,
        ...change,
      });
    },
  };
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Each of two phases writes a file. */
export const WRITES_BOTH: Work = {
  "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
  "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
};

/** The newest nebula of a repository. */
export function newest({ repo }: Place): NebulaState {
  const [state] = listNebulae(`${repo}/.git`);
  if (state === undefined) throw new Error("there is no nebula");
  return state;
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

/** A manifest by which a person approves each change. */
export const GATED = `${MANIFEST}[execution]\ngate = "review"\n`;

export function commonDir({ repo }: Pick<Place, "repo">): string {
  return join(repo, ".git");
}

export function warnings({ told }: Pick<Place, "told">): readonly string[] {
  return told.flatMap((event) => (event.type === "warning" ? [event.message] : []));
}
