import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root as workspace } from "../workspace.ts";

/** The command as it is shipped. */
export const QUASAR: string = join(workspace, "apps/cli/dist/main.js");
export const ATLAS: string = join(workspace, "apps/cli/dist/atlas.js");

/** A repository with a user, both of their own. */
export interface Place {
  /** Holds all the rest. */
  readonly root: string;
  /** The work tree. */
  readonly repo: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a scripted agent does in its turns, in the format of its script. */
export type Turns = readonly Readonly<Record<string, unknown>>[];

const REPORT = "SATISFACTION: high\nRISK: low\nNEEDS_HUMAN_REVIEW: no\nSUMMARY: Small and right.";

/** One cycle, approved at once. */
export function oneCycle(delayMs = 0): Turns {
  const text = `APPROVED: it does what was asked.\n\nREPORT:\n${REPORT}\n`;
  return [
    { role: "coder", text: "Written.", files: { "work.txt": "right\n" }, costUsd: 0.3, delayMs },
    { role: "reviewer", text, costUsd: 0.1, delayMs },
  ];
}

/** A repository with one commit, in a folder that {@link removePlace} takes away. */
export function makePlace(name: string, parent: string = tmpdir()): Place {
  const root = mkdtempSync(join(realpathSync(parent), `quasar-${name}-`));
  const repo = join(root, "repo");
  const home = join(root, "home");
  mkdirSync(repo);
  mkdirSync(home);
  writeFileSync(join(repo, "a.txt"), "one\n");
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: home, TZ: "UTC", GIT_CONFIG_NOSYSTEM: "1" };
  const made = { root, repo, env };
  git(made, "init", "--quiet", "--initial-branch=main");
  git(made, "add", "--all");
  git(made, "-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "-qm", "Start");
  return made;
}

export function removePlace({ root }: Place): void {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

export function git({ repo, env }: Place, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: repo, env, encoding: "utf8", stdio: "pipe" }).trim();
}

/** Writes a script and gives the arguments that make it both agents. */
export function agents({ root }: Place, turns: Turns): readonly string[] {
  const path = join(root, "script.json");
  writeFileSync(path, JSON.stringify({ turns }));
  return ["--coder", `scripted:${path}`, "--reviewer", `scripted:${path}`];
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  /** @default {@link QUASAR} */
  readonly main?: string | undefined;
  /** A program and its arguments that run the command: a tracer … */
  readonly under?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Told of what it prints, as it comes. */
  readonly onOutput?: ((stdout: string, pid: number) => void) | undefined;
  /** Ends it the hard way. @default two minutes */
  readonly timeoutMs?: number | undefined;
}

/** Runs `quasar`, or the other command, to its end; what it has started and left running is not waited for. */
export function quasar(
  { repo, env }: Place,
  args: readonly string[],
  { main = QUASAR, under = [], timeoutMs = 120_000, ...options }: StartOptions = {},
): Promise<Finished> {
  const [program = "", ...rest] = [...under, process.execPath, main, ...args];
  const child = spawn(program, rest, {
    cwd: repo,
    env: { ...env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true, // in a group of its own, to be ended whole
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      output[name] += chunk;
      if (name === "stdout") options.onOutput?.(output.stdout, child.pid ?? 0);
    });
  }
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), timeoutMs);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, ...output });
    });
  });
}

/** Where the runs of a place are stored. */
export function runsOf({ repo }: Place): string {
  return join(repo, ".git/quasar/runs");
}

export function runIds(at: Place): readonly string[] {
  const dir = runsOf(at);
  return existsSync(dir) ? readdirSync(dir).toSorted() : [];
}

/** Whether a program is there to be started. */
export function isInstalled(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(":");
  return folders.some((folder) => folder !== "" && existsSync(join(folder, program)));
}

/** The processes that a process has started and that are still its own. */
export function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text
    .split(" ")
    .filter((word) => word !== "")
    .map(Number);
}
