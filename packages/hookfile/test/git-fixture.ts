import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { folderOfRun } from "@quasar/vitest/folder";

const base = folderOfRun();

// The settings of whoever runs the tests must not decide them.
const globalConfig = join(base, "gitconfig");
writeFileSync(
  globalConfig,
  '[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
);
for (const name of Object.keys(process.env)) if (name.startsWith("GIT_")) delete process.env[name];
process.env["GIT_CONFIG_GLOBAL"] = globalConfig;
process.env["GIT_CONFIG_NOSYSTEM"] = "1";

const SOMEBODY = {
  GIT_AUTHOR_NAME: "Somebody",
  GIT_AUTHOR_EMAIL: "somebody@localhost",
  GIT_COMMITTER_NAME: "Somebody",
  GIT_COMMITTER_EMAIL: "somebody@localhost",
};

/** A folder of its own for one test, gone when all tests are. */
export function aFolder(): string {
  return mkdtempSync(join(base, "t-"));
}

export type Variables = Readonly<Record<string, string>>;

/** Git as a user runs it. Returns stdout and stderr; throws on a failure. */
export function gitWith(env: Variables, cwd: string, ...args: string[]): string {
  const options = { cwd, env: { ...process.env, ...SOMEBODY, ...env }, encoding: "utf8" } as const;
  return execFileSync("/bin/sh", ["-c", 'exec git "$@" 2>&1', "git", ...args], options);
}

export function git(cwd: string, ...args: string[]): string {
  return gitWith({}, cwd, ...args);
}

/** A repository with one commit, which has no files. */
export function aRepository(root: string = aFolder(), ...options: string[]): string {
  mkdirSync(root, { recursive: true });
  git(root, "init", "-q", ...options);
  git(root, "commit", "-q", "--allow-empty", "-m", "first");
  return root;
}

/** Makes a commit of a file of its own, and returns its id. */
export function commit(root: string, subject: string, env: Variables = {}): string {
  writeFileSync(join(root, `${subject.replace(/\W/g, "")}.txt`), subject);
  git(root, "add", "-A");
  gitWith(env, root, "commit", "-q", "-m", subject);
  return headOf(root);
}

export function headOf(root: string): string {
  return git(root, "rev-parse", "HEAD").trim();
}

/** A folder for all tasks, and one task in it that has a hook file. */
export function aTask(tasksRoot: string = aFolder()): {
  readonly tasksRoot: string;
  readonly taskDir: string;
} {
  const taskDir = mkdtempSync(join(tasksRoot, "task-"));
  writeFileSync(join(taskDir, "hook.json"), "{}\n");
  return { tasksRoot, taskDir };
}

export function script(file: string, text: string, mode = 0o755): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

/** Everything in a folder with its mode and bytes. */
export function everythingIn(
  folder: string,
  root: string = folder,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const mode = (statSync(path).mode & 0o7777).toString(8);
    if (entry.isDirectory()) Object.assign(found, everythingIn(path, root));
    found[relative(root, path)] = entry.isFile() ? `${mode} ${readFileSync(path, "latin1")}` : mode;
  }
  return found;
}

/** Waits until something is so, at most a minute; returns whether it became so. */
export async function eventually(isSo: () => boolean): Promise<boolean> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (isSo()) return true;
    await pause(20);
  }
  return isSo();
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** A stand-in for the command: writes down how it was called. */
export interface Recorder {
  readonly command: readonly string[];
  /** For each call the folder that it was made in, and its arguments. */
  readonly calls: () => readonly (readonly string[])[];
}

export function aRecorder(body = "", folder: string = aFolder()): Recorder {
  const log = join(aFolder(), "calls");
  const text = `#!/bin/sh\n{ printf '%s\\0' "$PWD" "$@"; printf '\\1'; } >> '${log}'\n${body}\n`;
  return {
    command: [script(join(folder, "atlas"), text)],
    calls: () => {
      const whole = existsSync(log) ? readFileSync(log, "utf8").split("\u0001").slice(0, -1) : [];
      return whole.map((call) => call.split("\0").slice(0, -1));
    },
  };
}

/** A command that is at work until it is released; by itself it ends after half a minute. */
export interface SlowRecorder extends Recorder {
  /** For the commit: the git hook's patience with the command is as long as a minute in it. */
  readonly env: Variables & { readonly PATH: string };
  /** Lets it go; resolves to whether it was still at work. */
  readonly goesOn: () => Promise<boolean>;
}

export function aSlowRecorder(): SlowRecorder {
  const scene = aFolder();
  const [go, done] = [join(scene, "go"), join(scene, "done")];
  const wait = `for i in $(seq 300); do [ -e '${go}' ] && touch '${done}' && exit; sleep 0.1; done`;
  const recorder = aRecorder(`echo out; echo err >&2; ${wait}`);
  const patient = '[ "$1" = 1 ] && set -- 6\nPATH=${PATH#*:} exec sleep "$@"';
  const bin = join(script(join(scene, "sleep"), `#!/bin/sh\n${patient}\n`), "..");
  const path = [bin, join(recorder.command[0] ?? "", ".."), process.env["PATH"]].join(":");
  return {
    ...recorder,
    env: { PATH: path },
    goesOn: () => {
      writeFileSync(go, "");
      return eventually(() => existsSync(done));
    },
  };
}
