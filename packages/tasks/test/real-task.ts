import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createScriptedAgent, type ScriptedTurn, type AgentInvoker } from "@quasar/agents";
import { createHookFileStore, type HookFile, type HookInput, transition } from "@quasar/hookfile";
import { DEFAULT_AUTO_CHECKPOINTS } from "@quasar/hookfile/checkpoints";
import { createKeyManager } from "@quasar/receipts";
import { createEngine, type DriveOptions, type DriveResult } from "../src/engine/drive.ts";
import { PROGRAM_PARTS } from "../src/engine/drive-task.ts";
import type { EngineParts } from "../src/engine/parts.ts";
import type { TaskPorts } from "../src/steps/step.ts";
import type { TaskEvent } from "../src/task-event.ts";
import type { TaskConfig } from "../src/task-record.ts";
import { resolveTemplate } from "../src/templates/resolve-template.ts";
import type { Template } from "../src/templates/template.ts";
import { prepareTask, type PreparedTask } from "../src/workspaces/prepare-task.ts";
import { type FakeGh, installFakeGh } from "./fake-gh.ts";
import { git, REPOSITORY, write } from "./git-task.ts";

/** A task in a real repository with a remote, real keys and agents that are real processes. */
export interface RealTask {
  readonly dir: string;
  readonly bare: string;
  readonly worktree: string;
  readonly gh: FakeGh;
  readonly events: TaskEvent[];
  readonly prepared: PreparedTask;
  readonly ports: TaskPorts;
  /** What the agents were asked, in order. */
  readonly prompts: string[];
  drive(change?: Partial<DriveOptions>, parts?: Partial<EngineParts>): Promise<DriveResult>;
  happen(...inputs: readonly HookInput[]): HookFile;
  hook(): HookFile;
}

export const TURNS: readonly ScriptedTurn[] = [
  { role: "coder", match: "Find the cause", text: "The parser forgets the null.", costUsd: 0.01 },
  {
    role: "coder",
    match: "Fix this",
    says: ["reading", "writing"],
    files: { "parser.js": "export const parse = (text) => text ?? {};\n" },
    text: "It heeds the null now.",
    costUsd: 0.02,
  },
  { role: "reviewer", text: "APPROVED: fine", costUsd: 0.01 },
];

export interface RealTaskOptions {
  /** One that is built in, or a person's own. */
  readonly template?: string | Template;
  readonly turns?: readonly ScriptedTurn[];
  readonly config?: Partial<TaskConfig>;
}

export async function aRealTask(dir: string, options: RealTaskOptions = {}): Promise<RealTask> {
  const { template = "bugfix", turns = TURNS, config } = options;
  const bare = join(dir, "bare");
  const repository = join(dir, "repo");
  mkdirSync(repository, { recursive: true });
  git(dir, "init", "-q", "--bare", bare);
  git(dir, "init", "-q", repository);
  write(repository, "parser.js", "export const parse = (text) => text;\n");
  git(repository, "add", "-A");
  git(repository, "commit", "-qm", "first");
  git(repository, "remote", "add", "origin", `https://${REPOSITORY}.git`);
  git(repository, "config", "remote.origin.pushurl", bare);
  git(repository, "push", "-q", "origin", "main");
  const gh = installFakeGh(join(dir, "gh"));
  gh.set({ remote: bare });

  const prompts: string[] = [];
  const ports = portsOf(dir, turns, prompts);
  const events: TaskEvent[] = [];
  const prepared = await prepareTask({
    home: ports.home,
    cwd: repository,
    description: "fix null pointer in config",
    template: typeof template === "string" ? resolveTemplate(template) : template,
    variables: {},
    useLocal: true,
    keys: ports.keys,
    now: ports.now,
    onWarning: () => {},
    config: {
      agent: "scripted",
      model: "",
      reviewer: "scripted",
      reviewerModel: "",
      maxBudgetUsd: 1,
      maxCycles: 2,
      validation: {
        commands: [{ name: "check", command: "test -s parser.js && echo checked" }],
        source: "config",
        timeoutMs: 60_000,
        maxFixes: 0,
      },
      checkpoints: { ...DEFAULT_AUTO_CHECKPOINTS, interval: 0 },
      notify: "",
      gitHooks: "auto",
      settings: {},
      ...config,
    },
  });
  const { taskDir } = prepared;
  const store = createHookFileStore({ dir: taskDir });
  return {
    dir,
    bare,
    worktree: prepared.task.metadata.worktreeDir,
    gh,
    events,
    prepared,
    ports,
    prompts,
    drive: (change, parts) =>
      createEngine({ ...PROGRAM_PARTS, ...parts })({
        taskDir,
        ports,
        signal: new AbortController().signal,
        onEvent: (event) => events.push(event),
        ...change,
      }),
    happen: (...inputs) => store.update((hook) => transition(hook, inputs, { now: ports.now() })),
    hook() {
      const hook = store.read();
      if (hook === undefined) throw new Error("there is no task");
      return hook;
    },
  };
}

/** What a process needs to drive the task in a folder. */
export function portsOf(
  dir: string,
  turns: readonly ScriptedTurn[],
  prompts: string[] = [],
): TaskPorts {
  const home = join(dir, "home");
  const keys = createKeyManager({ dir: join(home, "keys") });
  keys.open();
  const listening = (agent: AgentInvoker): AgentInvoker => ({
    ...agent,
    invoke: (request, to) => {
      prompts.push(request.prompt);
      return agent.invoke(request, to);
    },
  });
  const path = `${join(dir, "gh/bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  return {
    home,
    coder: listening(createScriptedAgent({ turns })),
    reviewer: listening(createScriptedAgent({ turns })),
    keys,
    env: { ...process.env, HOME: dir, PATH: path },
    now: () => new Date(),
    redact: (text) => text,
    atlas: [process.execPath, join(dir, "atlas.js")],
    version: "1.0.0",
  };
}
