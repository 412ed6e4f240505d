import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A repository with one commit of its own user. */
export function aRepository(
  scratch: string,
  name: string,
  files: Readonly<Record<string, string>> = { "README.md": "# A repository\n" },
): { repository: string; env: NodeJS.ProcessEnv } {
  const repository = join(scratch, name);
  const home = join(scratch, `${name}-home`);
  mkdirSync(repository);
  mkdirSync(home);
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    NODE_COMPILE_CACHE: join(scratch, "compile-cache"),
  };
  const git = (...args: string[]) => spawnSync("git", args, { cwd: repository, env });
  git("init", "-q");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(repository, path, ".."), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  git("add", "-A");
  git("config", "user.name", "b");
  git("config", "user.email", "b@localhost");
  git("commit", "-qm", "Start");
  return { repository, env };
}

/** An agent by command. */
export function aScript(scratch: string, name: string, body: string): string {
  const path = join(scratch, `${name}.sh`);
  writeFileSync(path, `#!/bin/sh\ncat > /dev/null\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}
