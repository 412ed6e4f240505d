import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { endRunProcesses } from "@quasar/agents/turns";
import { folderOfRun } from "@quasar/vitest/folder";
import { onTestFinished } from "vitest";
import { expectPrinted } from "./printed-lines.ts";

/** The command as it is shipped. */
export const MAIN: string = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** What is compiled once is compiled for all places: it is no state of theirs. */
const CACHE = fileURLToPath(new URL("../node_modules/.cache", import.meta.url));

/** A repository with a user, both of their own. */
export interface Place {
  /** The work tree. */
  readonly repo: string;
  /** Outside the work tree: for scripts, and to see that nothing else is touched. */
  readonly outside: string;
  readonly env: Record<string, string>;
}

/** A folder that goes when the test ends. */
export function folder(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "quasar-cli-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** Git folders with one commit, by the files in it: each is made once and copied. */
const templates = new Map<string, string>();

/** A repository with one commit. */
export function place(files: Readonly<Record<string, string>> = { "a.txt": "one\n" }): Place {
  const made = emptyPlace();
  write(made.repo, files);
  const key = JSON.stringify(files);
  const template = templates.get(key);
  if (template !== undefined) {
    cpSync(template, join(made.repo, ".git"), { recursive: true });
    return made;
  }
  git(made, "init", "--quiet", "--initial-branch=main");
  git(made, "add", "--all");
  git(made, "-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "-qm", "Start");
  const copy = folderOfRun();
  cpSync(join(made.repo, ".git"), copy, { recursive: true });
  templates.set(key, copy);
  return made;
}

/** The same without a repository. */
export function emptyPlace(): Place {
  const outside = folder();
  const repo = join(outside, "repo");
  mkdirSync(repo);
  mkdirSync(join(outside, "home"));
  const { PATH = "" } = process.env;
  const home = join(outside, "home");
  const env = { PATH, HOME: home, TZ: "UTC", GIT_CONFIG_NOSYSTEM: "1", XDG_CACHE_HOME: CACHE };
  return { repo, outside, env };
}

export function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

export function git({ repo, env }: Place, ...args: string[]): string {
  return execFileSync("git", args, { cwd: repo, env, encoding: "utf8" }).trim();
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves when standard output holds the text, or the process has ended without it. */
  sees(what: string | RegExp): Promise<boolean>;
  stdout(): string;
}

export interface StartOptions {
  /** The command's file. @default that of `quasar` */
  readonly main?: string | undefined;
  readonly input?: string | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** How many files it may have open. @default what this process may have */
  readonly openFiles?: number | undefined;
  /** Whether it prints what somebody else has put into a file of ours, which no schema describes. @default false */
  readonly isForged?: boolean | undefined;
  /** Seconds of the CPU after which it is killed. @default none */
  readonly cpuSeconds?: number | undefined;
}

/** The last line that says with which code the command ends has to be right. */
function expectExit(
  args: readonly string[],
  { code, stdout }: Pick<Finished, "code" | "stdout">,
): void {
  const said = records(stdout).at(-1)?.["exit"];
  if (code === null || said === undefined || said === code) return;
  throw new Error(`${args.join(" ")} says exit ${JSON.stringify(said)}, and ends with ${code}`);
}

const RUN_ID = /\d{8}-\d{6}-[0-9a-f]{6}/u;

/** Starts `quasar` in a place; it is ended with the test, and so is what it leaves running. */
export function start(at: Place, args: readonly string[], options: StartOptions = {}): Running {
  const begun = performance.now();
  const limits = { n: options.openFiles, t: options.cpuSeconds };
  const limit = Object.entries(limits)
    .flatMap(([letter, value]) => (value === undefined ? [] : [`ulimit -${letter} ${value} && `]))
    .join("");
  const { main = MAIN } = options;
  const command = [process.execPath, main, ...args];
  const child = spawn("/bin/sh", ["-c", `${limit}exec "$@"`, "sh", ...command], {
    cwd: options.cwd ?? at.repo,
    env: { ...at.env, ...options.env },
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  // What is refused is not read to its end.
  child.stdin?.on("error", () => {}).end(options.input);
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    for (const watch of watchers) watch();
  });
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      resolve({ code, signal, stdout, stderr, ms: performance.now() - begun });
    });
  }).then((end) => {
    // Whatever a test is about: what its commands print is what their schemas say.
    const { isForged = false } = options;
    if (args.includes("--json") && !isForged) {
      expectPrinted(main, args, end.stdout);
      expectExit(args, end);
    }
    return end;
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    const { code } = await finished;
    const [runId] = RUN_ID.exec(stdout) ?? [];
    if (code === null && runId !== undefined) await endRunProcesses(runId, { graceMs: 0 });
  });
  const sees = (what: string | RegExp): Promise<boolean> => {
    const isThere = (): boolean =>
      typeof what === "string" ? stdout.includes(what) : what.test(stdout);
    return new Promise((resolve) => {
      const watch = (): void => {
        if (isThere()) resolve(true);
      };
      watchers.add(watch);
      watch();
      void finished.then(() => resolve(isThere()));
    });
  };
  return { child, finished, sees, stdout: () => stdout };
}

/** Of `--json`: a record of a turn in a cycle. */
export function recordOf(type: string, cycle: number, role: string): RegExp {
  return new RegExp(`"type":"${type}","time":"[^"]*","cycle":${cycle},"role":"${role}"`, "u");
}

/** Kills a runner and its agents with it, as a reboot would. */
export async function killAll({ child, finished }: Running): Promise<void> {
  child.kill("SIGKILL");
  const [runId] = RUN_ID.exec((await finished).stdout) ?? [];
  if (runId !== undefined) await endRunProcesses(runId, { signal: "SIGKILL", graceMs: 0 });
}

/** Runs `quasar` to its end. */
export function quasar(
  at: Place,
  args: readonly string[],
  options: StartOptions = {},
): Promise<Finished> {
  return start(at, args, options).finished;
}

/** Settings that name no agent which has to be installed. */
export const ANY_AGENT = { QUASAR_CODER: "command:true", QUASAR_REVIEWER: "command:true" };

/** Runs `quasar doctor` where it is all the same which agents are installed. */
export function doctor(
  at: Place,
  args: readonly string[] = [],
  options: StartOptions = {},
): Promise<Finished> {
  return quasar(at, ["doctor", ...args], { ...options, env: { ...ANY_AGENT, ...options.env } });
}

/** Milliseconds in which this machine, as busy as it is, gets a few commands done; at least six seconds. */
export async function soon(at: Place): Promise<number> {
  return Math.max(6000, 25 * (await quasar(at, ["ls"])).ms);
}

/** The JSON lines that a command printed. */
export function records(stdout: string): readonly Record<string, unknown>[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The one JSON object that a command printed last. */
export function lastRecord({ stdout }: Pick<Finished, "stdout">): Record<string, unknown> {
  return records(stdout).at(-1) ?? {};
}
