import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendSignal } from "@quasar/process";
// @boundaries-ignore where real agents run, with no other model than the stub
import { BIN, codexConfig, realEnvironment } from "../../../../packages/agents/real/place.ts";
import { installAnother } from "../../release/beside-another.ts";
import { createHome } from "../../release/home.ts";
import { processesIn } from "../../release/leftovers.ts";
import { type Output, type Typed, type } from "./typed.ts";

export interface NewcomerOptions {
  /** The file of the Node that runs the commands. */
  readonly node: string;
  /** Folder of the tarballs. */
  readonly release: string;
  /** Of the model stub. */
  readonly url: string;
  readonly agents: readonly ("claude" | "codex")[];
  readonly output: Output;
}

/** Somebody with a home, agents, another package's `quasar` and, since a minute, the commands from their tarball. */
export interface Newcomer {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  git(dir: string, ...args: string[]): string;
  type(line: string, cwd: string): Typed;
  remove(): void;
}

/** As many characters as the name has that stands for it on a screen: no line is broken elsewhere. */
export const HOME_SHOWN = "/home/ada-lovelace";

export async function aNewcomer(options: NewcomerOptions): Promise<Newcomer> {
  const { node, release, url, agents, output } = options;
  const dir = mkdtempSync(join(realpathSync("/tmp"), "quasar-"));
  const home = createHome(dir, { node });
  await installAnother(home);
  await home.expect("npm install -g ./quasar-loop-*.tgz", {}, release);
  const bin = join(dir, "bin");
  mkdirSync(bin);
  for (const agent of agents) symlinkSync(join(BIN, agent), join(bin, agent));
  mkdirSync(join(dir, ".codex"));
  writeFileSync(join(dir, ".codex", "config.toml"), codexConfig(url));
  const env = {
    ...realEnvironment(dir, url),
    ...home.env,
    PATH: `${bin}:${home.env["PATH"]}`,
    HOME: dir,
    CLAUDE_CONFIG_DIR: join(dir, ".claude"),
    CODEX_HOME: join(dir, ".codex"),
    GIT_CONFIG_NOSYSTEM: "1",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    PAGER: "cat",
    SHELL: "/bin/sh",
    TERM: "xterm-256color",
    TZ: "UTC",
  };
  return {
    home: dir,
    env,
    git: (cwd, ...args) =>
      execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: "pipe" }).trim(),
    type: (line, cwd) => type(line, { cwd, env, output }),
    remove() {
      for (const pid of processesIn(dir)) sendSignal(pid, "SIGKILL");
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
