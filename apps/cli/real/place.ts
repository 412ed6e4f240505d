import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endTaskAgents, listTasks } from "@quasar/tasks";
// @boundaries-ignore the model stub and the place of the real agents are for all tests that run them
import {
  type ModelScript,
  type ModelStub,
  startModelStub,
} from "../../../packages/agents/real/model-stub.ts";
// @boundaries-ignore where real agents run, with no other model than the stub
import { realEnvironment } from "../../../packages/agents/real/place.ts";
// @boundaries-ignore one fake of GitHub's program for the tests of steps and of the command
import { type FakeGh, installFakeGh } from "../../../packages/tasks/test/fake-gh.ts";

const ATLAS = fileURLToPath(new URL("../dist/atlas.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly finished: Promise<Finished>;
  readonly pid: number;
  /** Resolves when it has printed a text, or has ended. */
  printed(text: string): Promise<void>;
  /** As a crash: its agents live on. */
  kill(): void;
}

/** A repository with a remote, and Claude Code that talks to a model of ours. */
export interface RealPlace {
  readonly repo: string;
  readonly bare: string;
  readonly home: string;
  readonly gh: FakeGh;
  readonly stub: ModelStub;
  git(dir: string, ...args: string[]): string;
  start(...args: string[]): Running;
  atlas(...args: string[]): Promise<Finished>;
  /** The one task's hook file. */
  hook(): HookJson;
  /** Kills all agents of the task, as a reboot would. */
  endAgents(): Promise<void>;
  remove(): Promise<void>;
}

/** What is read of hook.json. */
export interface HookJson {
  readonly state: string;
  readonly branch: string;
  readonly worktree_path: string;
  readonly steps: readonly {
    readonly name: string;
    readonly status: string;
    readonly type: string;
  }[];
  readonly receipts: readonly { readonly receipt_id: string }[];
}

/** Starts one of the commands, as it is shipped. */
export function startProgram(
  file: string,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Running {
  const child = spawn(process.execPath, [file, ...args], {
    ...place,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  const finished = Promise.all([text(child.stderr), once(child, "close")]).then(
    ([stderr, [code]]) => ({ code: code as number | null, stdout, stderr }),
  );
  return {
    finished,
    pid: child.pid ?? Number.NaN,
    async printed(text) {
      while (!stdout.includes(text) && child.exitCode === null && child.signalCode === null) {
        await sleep(20);
      }
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Makes one; the script gets the path of the task's work tree, once there is one. */
export async function realPlace(
  script: (workTree: () => string) => ModelScript,
): Promise<RealPlace> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "atlas-real-")));
  const [repo, bare, home] = [join(root, "repo"), join(root, "bare"), join(root, "atlas")];
  const stub = await startModelStub(script(() => hook().worktree_path));
  const gh = installFakeGh(join(root, "gh"));
  gh.set({ remote: bare, checks: [[{ name: "build", bucket: "pass" }]] });
  const real = realEnvironment(root, stub.url);
  const env = {
    ...real,
    PATH: `${gh.bin}${delimiter}${real["PATH"] ?? ""}`,
    ATLAS_HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    ATLAS_IDLE_TIMEOUT: "1",
  };
  const git = (dir: string, ...args: string[]): string =>
    execFileSync("git", args, { cwd: dir, env, encoding: "utf8", stdio: "pipe" }).trim();
  mkdirSync(join(root, "home"));
  mkdirSync(repo);
  git(root, "init", "--quiet", "--bare", bare);
  git(repo, "init", "--quiet", "--initial-branch=main");
  git(repo, "config", "user.name", "Test");
  git(repo, "config", "user.email", "test@localhost");
  writeFileSync(join(repo, "README.md"), "# A project\n");
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "--message=Begin");
  git(repo, "remote", "add", "origin", "https://github.com/acme/widgets.git");
  git(repo, "config", "remote.origin.pushurl", bare);
  git(repo, "push", "--quiet", "origin", "main");

  const start = (...args: string[]): Running => startProgram(ATLAS, args, { cwd: repo, env });
  const dirs = (): readonly string[] => listTasks(home).map(({ dir }) => dir);
  const hook = (): HookJson =>
    JSON.parse(readFileSync(join(dirs()[0] ?? "", "hook.json"), "utf8")) as HookJson;
  const endAgents = async (): Promise<void> => {
    for (const dir of dirs()) await endTaskAgents(dir);
  };
  return {
    repo,
    bare,
    home,
    gh,
    stub,
    git,
    start,
    atlas: (...args) => start(...args).finished,
    hook,
    endAgents,
    remove: async () => {
      await endAgents();
      await stub.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
