import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { GitError, type GitErrorCode } from "../src/errors.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "quasar-git-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

// The settings of whoever runs the tests must not decide them.
const globalConfig = join(base, "gitconfig");
writeFileSync(
  globalConfig,
  '[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
);
for (const name of Object.keys(process.env)) if (name.startsWith("GIT_")) delete process.env[name];
delete process.env["EMAIL"];
process.env["GIT_CONFIG_GLOBAL"] = globalConfig;
process.env["GIT_CONFIG_NOSYSTEM"] = "1";

const SOMEBODY = {
  GIT_AUTHOR_NAME: "Somebody",
  GIT_AUTHOR_EMAIL: "somebody@localhost",
  GIT_COMMITTER_NAME: "Somebody",
  GIT_COMMITTER_EMAIL: "somebody@localhost",
};

/** A folder of its own for one test, gone when the file's tests are. */
export function aFolder(): string {
  return mkdtempSync(join(base, "t-"));
}

/** Git as a user runs it, without any hardening. Resolves to stdout; throws on a failure. */
export function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, ...SOMEBODY };
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" });
}

/** The same where a failure is part of the scene, such as a merge with conflicts. */
export function tryGit(cwd: string, ...args: string[]): void {
  try {
    git(cwd, ...args);
  } catch {
    // The tests look at what it left.
  }
}

export function write(root: string, path: string, content: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

export function read(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** A repository without a commit. */
export function anEmptyRepository(root: string = aFolder(), ...options: string[]): string {
  mkdirSync(root, { recursive: true });
  git(root, "init", "-q", ...options);
  return root;
}

/** A repository with one commit of one file, `a.txt`. */
export function aRepository(root: string = aFolder(), ...options: string[]): string {
  anEmptyRepository(root, ...options);
  write(root, "a.txt", "one\n");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  return root;
}

export function headOf(root: string): string {
  return git(root, "rev-parse", "HEAD").trim();
}

/** A program that leaves a mark when anybody starts it. */
export interface Canary {
  readonly program: string;
  /** Whether it was started since the last time it was asked. */
  readonly sang: () => boolean;
}

export function aCanary(): Canary {
  const dir = aFolder();
  const mark = join(dir, "sang");
  // It takes what it is given and fails: the callers do not depend on what it answers.
  const program = script(dir, "canary", `touch '${mark}'; exit 1`);
  return {
    program,
    sang: () => {
      const found = existsSync(mark);
      rmSync(mark, { force: true });
      return found;
    },
  };
}

export function script(dir: string, name: string, body: string): string {
  const file = write(dir, name, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** What a promise was rejected with. */
export async function failure(promise: Promise<unknown>): Promise<GitError> {
  const error: unknown = await promise.then(
    () => new Error("it was not rejected"),
    (reason: unknown) => reason,
  );
  if (error instanceof GitError) return error;
  throw error;
}

export async function failureCode(promise: Promise<unknown>): Promise<GitErrorCode> {
  return (await failure(promise)).code;
}

/** One for each git process that ran, also those that git itself started. */
export interface Traced {
  readonly argv: readonly string[];
  readonly flushes: number;
}

/** Runs an action with git tracing itself, through the only way in that scrubbing leaves. */
export async function traced(action: () => Promise<unknown>): Promise<readonly Traced[]> {
  const dir = aFolder();
  const log = join(dir, "trace");
  const config = write(dir, "config", `[include]\n\tpath = ${globalConfig}\n`);
  git(dir, "config", "-f", config, "trace2.eventTarget", log);
  process.env["GIT_CONFIG_GLOBAL"] = config;
  try {
    await action();
  } finally {
    process.env["GIT_CONFIG_GLOBAL"] = globalConfig;
  }
  const processes = new Map<string, { argv: readonly string[]; flushes: number }>();
  for (const line of existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []) {
    const { event, sid, argv = [], key, value } = traceEvent(JSON.parse(line));
    if (event === "start") processes.set(sid, { argv, flushes: 0 });
    const process = processes.get(sid);
    if (process !== undefined && key === "fsync/hardware-flush") process.flushes += Number(value);
  }
  return [...processes.values()];
}

interface TraceEvent {
  readonly event: string;
  readonly sid: string;
  readonly argv?: readonly string[];
  readonly key?: string;
  readonly value?: string | number;
}

function traceEvent(value: unknown): TraceEvent {
  if (isTraceEvent(value)) return value;
  throw new Error("git's trace has an unknown form");
}

function isTraceEvent(value: unknown): value is TraceEvent {
  return typeof value === "object" && value !== null && "event" in value && "sid" in value;
}
