import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { atlasPlace, startAtlas } from "./atlas/harness.ts";
import {
  emptyPlace,
  type Finished,
  git,
  type Place,
  place,
  type Running,
  start,
  write,
} from "./harness.ts";
import { fakeClaude } from "./fake-claude.ts";
import { agents, dearTurns, LONG, neverContent, oneCycle, type Turn } from "./scripts.ts";
import { advice, advised, linksTo, type, withCommands } from "./typing.ts";

/** What a newcomer meets: what is typed, what the screen says, and what its advice does. */
interface Situation {
  readonly set: () => Place | Promise<Place>;
  /** @default quasar run "Write" */
  readonly typed?: string;
  readonly code: number;
  /** What the screen has to say. */
  readonly says: readonly (string | RegExp)[];
  /** Types what the screen advises, and judges what comes of it. */
  readonly then: (said: Finished, at: Place) => Promise<void>;
}

/** Makes the turns those of both agents of both commands, without a flag. */
function working<P extends Place>(
  at: P,
  turns: readonly Turn[] = oneCycle(),
): P & { readonly bin: string } {
  const [, coder = "", , reviewer = ""] = agents(at, turns);
  const env = { QUASAR_CODER: coder, QUASAR_REVIEWER: reviewer };
  const ofAtlas = { ATLAS_CODER: coder, ATLAS_REVIEWER: reviewer };
  return withCommands({ ...at, env: { ...at.env, ...env, ...ofAtlas } });
}

/** No agent is installed; `npm` installs a Claude Code that does the work. */
function withoutAgents<P extends Place>(at: P): P {
  const made = withCommands(at);
  fakeClaude(made, { coder: [{ runs: "echo two > a.txt" }] });
  const away = join(at.outside, "not-installed");
  renameSync(join(made.bin, "claude"), away);
  write(made.bin, { npm: `#!/bin/sh\nmv ${away} ${join(made.bin, "claude")}\n` });
  chmodSync(join(made.bin, "npm"), 0o755);
  const PATH = linksTo(made.bin, ["git", "sh", "node", "mv"]);
  return { ...made, env: { ...made.env, PATH } };
}

/** A Claude Code that works once somebody has logged in to it. */
function loggedOut<P extends Place>(at: P): P {
  const made = withCommands(at);
  const says = "Not logged in · Please run /login";
  const { env } = fakeClaude(made, { coder: [{ loggedOut: says, runs: "echo two > a.txt" }] });
  return { ...made, env: { ...made.env, ...env } };
}

async function typed(at: Place, line: string, code: number = 0): Promise<Finished> {
  const said = await type(at, line);
  expect(said.code, `${line}\n${said.stdout}${said.stderr}`).toBe(code);
  return said;
}

/** That the advice ends in an approval. */
async function approves(at: Place, line: string): Promise<void> {
  expect((await typed(at, line)).stdout).toMatch(/^approved after \d/mu);
}

/** A task that needs nobody. */
const PATCH = 'atlas start "Write" --template patch --validate true';
const PATCH_ARGS = ["start", "Write", "--template", "patch", "--validate", "true"];

/** That the task comes to its end. */
async function completes(at: Place, line: string): Promise<void> {
  expect((await typed(at, line)).stdout).toMatch(/^completed$/mu);
}

/** That the step is tried again where the screen advises that, and the task then comes to its end. */
async function retries(at: Place, said: Finished): Promise<void> {
  const retried = await typed(at, advice(said, "atlas retry"));
  await completes(at, advice(retried, "atlas resume"));
}

/** To root nothing is forbidden, unless it gives that up. */
const AS_PERSON =
  process.getuid?.() === 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search " : "";

const failing = (kind: string, message: string): readonly Turn[] => [
  { role: "coder", text: "", failure: { kind, message }, costUsd: 0 },
];

const SITUATIONS: Readonly<Record<string, Situation>> = {
  "that no agent is installed": {
    set: () => withoutAgents(place()),
    code: 1,
    says: ["error: there is no program claude on the PATH"],
    then: async (said, at) => {
      await typed(at, advice(said, "npm install -g @anthropic-ai/claude-code"));
      await approves(at, 'quasar run "Write"');
    },
  },
  "that the agent is not logged in": {
    set: () => loggedOut(place()),
    code: 5,
    says: ["because  Claude Code: Not logged in · Please run /login"],
    then: async (said, at) => {
      await typed(at, advice(said, "claude auth login"));
      await approves(at, advice(said, "quasar resume "));
    },
  },
  "a value that a setting cannot have": {
    set: () => {
      const at = withEditor(working(place()), "max_cycles = 4");
      write(at.repo, { ".quasar/config.toml": "max_cycles = 400\n" });
      return at;
    },
    code: 2,
    says: [/config\.toml:1:1: max_cycles must be a whole number from 1 to 100, not 400$/mu],
    then: async (said, at) => {
      await typed(at, advice(said, "${EDITOR:-vi} "));
      await approves(at, 'quasar run "Write"');
    },
  },
  "a tree with changes that are not committed": {
    set: () => {
      const at = working(place());
      write(at.repo, { "mine.txt": "mine\n" });
      return at;
    },
    code: 6,
    says: ["error: the work tree has changes that are not committed:", "mine.txt"],
    then: async (said, at) => {
      const accepting = advice(said, "quasar run --accept-dirty");
      await approves(at, accepting);
      expect(git(at, "status", "--porcelain")).toBe("?? mine.txt");
      await approves(at, advice(said, "quasar run --worktree"));
    },
  },
  "a HEAD that is on no branch": {
    set: () => {
      const at = working(place());
      git(at, "switch", "--quiet", "--detach");
      return at;
    },
    code: 0,
    says: ["warning: HEAD is on no branch"],
    then: async (said, at) => {
      const [, line = ""] = /: (git switch -c .*)$/mu.exec(said.stderr) ?? [];
      await typed(at, line);
      expect(git(at, "show", "HEAD:work.txt")).toBe("right");
      expect((await typed(at, 'quasar run "Write"')).stderr).not.toContain("on no branch");
    },
  },
  "a folder that is no repository": {
    set: () => withIdentity(working(emptyPlace())),
    code: 1,
    says: ["error: "],
    then: async (said, at) => {
      await typed(at, advice(said, "git init"));
      await approves(at, 'quasar run "Write"');
    },
  },
  "a repository without a commit": {
    set: () => {
      const at = withIdentity(working(emptyPlace()));
      git(at, "init", "--quiet", "--initial-branch=main");
      return at;
    },
    code: 1,
    says: ["error: refs/heads/main has no commit yet"],
    then: async (said, at) => {
      await typed(at, advice(said, "git add -A"));
      await approves(at, 'quasar run "Write"');
    },
  },
  "a network that is down": {
    set: () => working(place(), failing("network", "getaddrinfo ENOTFOUND api.example.com")),
    typed: 'quasar run "Write" --retries 0',
    code: 1,
    says: ["because  getaddrinfo ENOTFOUND api.example.com"],
    then: async (said, at) => {
      agents(at, oneCycle());
      await approves(at, advice(said, "quasar resume "));
    },
  },
  "a key that no setting has": {
    set: () => {
      const at = working(place());
      write(at.repo, { ".quasar/config.toml": "max_cylces = 4\n" });
      return at;
    },
    typed: "quasar config",
    code: 0,
    says: [
      /^warning: \S+config\.toml:1:1: unknown key "max_cylces"; did you mean "max_cycles"\?$/mu,
    ],
    then: async (said, at) => {
      const [, key = ""] = /did you mean "(\w+)"/u.exec(said.stderr) ?? [];
      write(at.repo, { ".quasar/config.toml": `${key} = 4\n` });
      const { stdout, stderr } = await typed(at, "quasar config");
      expect(stdout).toMatch(/^ {2}max_cycles +4 /mu);
      expect(stderr).toBe("");
    },
  },
  "a command that is misspelt": {
    set: () => working(place()),
    typed: 'quasar rnu "Write it"',
    code: 2,
    says: ["error: unknown command 'rnu'"],
    then: async (said, at) => {
      await approves(at, advice(said, "quasar run "));
      expect((await typed(at, advice(said, "quasar --help"))).stdout).toContain("Usage: quasar");
    },
  },
  "a flag that is misspelt": {
    set: () => working(place()),
    typed: 'quasar run "Write it" --max-cylces=2',
    code: 2,
    says: ["error: unknown option '--max-cylces=2'"],
    then: async (said, at) => {
      const [again = "", help = ""] = advised(said);
      const run = await typed(at, again);
      expect(run.stdout).toContain("2 cycles");
      expect((await typed(at, help)).stdout).toContain("--max-cycles <n>");
    },
  },
  "cycles that are used up": {
    set: () => working(place(), neverContent()),
    typed: 'quasar run "Write" --max-cycles 1',
    code: 3,
    says: ["not approved: no cycles left"],
    then: async (said, at) => {
      agents(at, oneCycle());
      await approves(at, advice(said, "quasar resume "));
    },
  },
  "a budget that is used up": {
    set: () => working(place(), dearTurns("second")),
    typed: 'quasar run "Write" --max-budget 3.5',
    code: 4,
    says: ["stopped: budget used up", "of $3.50"],
    then: async (said, at) => {
      await approves(at, advice(said, "quasar resume "));
    },
  },
  "that the agent was denied a command": {
    set: () => denied(place()),
    code: 5,
    says: ["Claude Code made no changes: `npm test` was denied"],
    then: async (said, at) => {
      await approves(at, advice(said, "quasar resume "));
    },
  },
  "that a git hook refuses the commit": {
    set: () => hooked(working(place())),
    code: 1,
    says: ["because  the pre-commit hook refused the commit", "work.txt: 1 problem"],
    then: async (said, at) => {
      rmSync(join(at.repo, HOOK));
      const [resume = ""] = advised(said);
      await approves(at, resume);
    },
  },
  "a checkpoint of another machine": {
    set: async () => {
      const at = working(place(), neverContent());
      await typed(at, 'quasar run "Write" --max-cycles 1', 3);
      rmSync(join(at.env["HOME"] ?? "", ".local/state/quasar"), { recursive: true });
      agents(at, oneCycle());
      return at;
    },
    typed: "quasar resume --max-cycles 2",
    code: 6,
    says: ["was sealed by another machine or user", "its task: Write"],
    then: async (said, at) => {
      await approves(at, advice(said, "quasar resume --trust"));
    },
  },
  "a state folder that may not be written": {
    set: () => {
      const at = working(place());
      mkdirSync(join(at.env["HOME"] ?? "", ".local/state/quasar"), { recursive: true });
      chmodSync(join(at.env["HOME"] ?? "", ".local/state/quasar"), 0o500);
      return at;
    },
    typed: `${AS_PERSON}quasar run "Write"`,
    code: 1,
    says: ["permission denied"],
    then: async (said, at) => {
      const shown = await typed(at, advice(said, "ls -ld "));
      expect(shown.stdout).toMatch(/^dr-x------ .*\.local\/state\/quasar\n$/u);
      chmodSync(join(at.env["HOME"] ?? "", ".local/state/quasar"), 0o700);
      await approves(at, `${AS_PERSON}quasar run "Write"`);
    },
  },
  "that no agent is installed, with atlas": {
    set: () => withoutAgents(atlasPlace()),
    typed: PATCH,
    code: 1,
    says: ["error: there is no program claude on the PATH"],
    then: async (said, at) => {
      await typed(at, advice(said, "npm install -g @anthropic-ai/claude-code"));
      await completes(at, PATCH);
    },
  },
  "that the agent is not logged in, with atlas": {
    set: () => loggedOut(atlasPlace()),
    typed: PATCH,
    code: 9,
    says: ["Not logged in · Please run /login"],
    then: async (said, at) => {
      await typed(at, "claude auth login");
      await retries(at, said);
    },
  },
  "a network that is down, with atlas": {
    set: () => working(atlasPlace(), failing("network", "getaddrinfo ENOTFOUND api.example.com")),
    typed: `${PATCH} --retries 0`,
    code: 9,
    says: ["because  getaddrinfo ENOTFOUND api.example.com"],
    then: async (said, at) => {
      agents(at, oneCycle());
      await retries(at, said);
    },
  },
  "a value that a setting cannot have, with atlas": {
    set: () => {
      const at = withEditor(working(atlasPlace()), "max_cycles = 4");
      write(at.home, { "config.toml": "max_cycles = 400\n" });
      return at;
    },
    typed: PATCH,
    code: 2,
    says: [/config\.toml:1:1: max_cycles must be a whole number from 1 to 100, not 400$/mu],
    then: async (said, at) => {
      await typed(at, advice(said, "${EDITOR:-vi} "));
      await completes(at, PATCH);
    },
  },
  "a command that is misspelt, with atlas": {
    set: () => working(atlasPlace()),
    typed: PATCH.replace("start", "strat"),
    code: 2,
    says: ["error: unknown command 'strat'"],
    then: async (said, at) => completes(at, advice(said, "atlas start ")),
  },
  "a budget that is used up, with atlas": {
    set: () => working(atlasPlace(), dearTurns("second")),
    typed: `${PATCH} --max-budget 3.5`,
    code: 4,
    says: ["of $3.50"],
    then: async (said, at) => completes(at, advice(said, "atlas resume ")),
  },
  "that a git hook refuses the commit, with atlas": {
    set: () => hooked(working(atlasPlace())),
    typed: PATCH,
    code: 9,
    says: ["the pre-commit hook refused the commit", "work.txt: 1 problem"],
    then: async (said, at) => {
      rmSync(join(at.repo, HOOK));
      await retries(at, said);
    },
  },
};

const HOOK = ".git/hooks/pre-commit";

function hooked<P extends Place>(at: P): P {
  write(at.repo, { [HOOK]: "#!/bin/sh\necho 'work.txt: 1 problem'\nexit 1\n" });
  chmodSync(join(at.repo, HOOK), 0o755);
  return at;
}

/** A Claude Code that does nothing without a command that it may not use. */
function denied<P extends Place>(at: P): P {
  const made = withCommands(at);
  const wants = ["npm test"];
  const turns = [{ match: "npm test", runs: "echo two > a.txt", wants }, { wants }];
  const { env } = fakeClaude(made, { coder: turns });
  return { ...made, env: { ...made.env, ...env } };
}

/** A person whose editor leaves a file with this line. */
function withEditor<P extends Place & { readonly bin: string }>(at: P, line: string): P {
  write(at.bin, { edit: `#!/bin/sh\necho "${line}" > "$1"\n` });
  chmodSync(join(at.bin, "edit"), 0o755);
  return { ...at, env: { ...at.env, EDITOR: "edit" } };
}

/** The same place, whose user has told git who they are. */
function withIdentity<P extends Place>(at: P): P {
  write(at.env["HOME"] ?? "", {
    ".gitconfig": "[user]\n\tname = Ada\n\temail = ada@localhost\n",
  });
  return at;
}

test.for(Object.entries(SITUATIONS))(
  "the screen says what to type in %s, and that works",
  async ([, { set, typed: line = 'quasar run "Write"', code, says, then }]) => {
    const at = await set();
    const said = await type(at, line);
    const screen = said.stdout + said.stderr;
    expect(said.code, screen).toBe(code);
    for (const part of says) expect(screen).toMatch(part instanceof RegExp ? part : literal(part));
    await then(said, at);
  },
);

function literal(text: string): RegExp {
  return new RegExp(text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&"), "u");
}

test("a second run while one works says how to stop that, and what to do about its run then", async () => {
  const at = working(place(), oneCycle(LONG));
  const first = start(at, ["run", "Write"]);
  expect(await first.sees("coder    works")).toBe(true);
  const second = await typed(at, 'quasar run "Other"', 6);
  expect(second.stderr).toContain("error: another quasar works on this tree: process ");
  const status = await typed(at, advice(second, "quasar status"));
  expect(advised(status)).toContain(advice(second, "kill -INT "));
  await typed(at, advice(second, "kill -INT "));
  expect(await first.finished).toMatchObject({ code: 130 });
  agents(at, oneCycle());
  const third = await typed(at, 'quasar run "Other"', 6);
  expect(third.stderr).toMatch(/^error: run \S+ of this work tree was interrupted: Write$/mu);
  await approves(at, advice(third, "quasar run --new", "Other"));
  const moved = await typed(at, advice(third, "quasar resume"), 6);
  expect(moved.stderr).toContain(" Other\n");
  await approves(at, advice(moved, "quasar resume --accept-head"));
});

test("a second atlas on a task while one works says how to stop that, and the task is resumed then", async () => {
  const at = working(atlasPlace(), oneCycle(LONG));
  const first = startAtlas(at, PATCH_ARGS);
  expect(await first.sees("coder    works")).toBe(true);
  const second = await typed(at, "atlas resume", 6);
  const status = await typed(at, advice(second, "atlas status"));
  await typed(at, advice(status, "kill -INT "));
  expect(await first.finished).toMatchObject({ code: 130 });
  agents(at, oneCycle());
  await completes(at, advice(await typed(at, "atlas status"), "atlas resume"));
});

/** An agent that works until there is a file `done`, and hears no signal. */
const DEAF =
  "trap '' INT TERM; cat > ../prompt; until test -e ../done; do sleep 0.1; done; echo two > a.txt";

function deaf<P extends Place>(at: P): P {
  const script = join(at.outside, "deaf.sh");
  write(at.outside, { "deaf.sh": DEAF });
  const [coder, reviewer] = [`command:sh ${script}`, "command:cat >/dev/null; echo APPROVED: fine"];
  const env = { QUASAR_CODER: coder, QUASAR_REVIEWER: reviewer };
  const ofAtlas = { ATLAS_CODER: coder, ATLAS_REVIEWER: reviewer };
  return withCommands({ ...at, env: { ...at.env, ...env, ...ofAtlas } });
}

/** Presses Ctrl-C twice while the agent works. */
async function interruptTwice(at: Place, { child, finished }: Running): Promise<Finished> {
  await expect.poll(() => existsSync(join(at.outside, "prompt"))).toBe(true);
  child.kill("SIGINT");
  await sleep(300);
  child.kill("SIGINT");
  const said = await finished;
  write(at.outside, { done: "" });
  return said;
}

test("a second Ctrl-C leaves at once, and the screen says what resumes the run", async () => {
  const at = deaf(place());
  const said = await interruptTwice(at, start(at, ["run", "Write"]));
  expect(said, said.stderr).toMatchObject({ code: 130 });
  expect(said.stderr).toContain("SIGINT: stopping and saving; press Ctrl-C again to exit now.\n");
  const [, line = ""] =
    /^Stopped\. State as of the last save\. Next: (quasar .*)$/mu.exec(said.stderr) ?? [];
  await approves(at, line);
});

test("a second Ctrl-C leaves atlas at once, and the screen says what resumes the task", async () => {
  const at = deaf(atlasPlace());
  const said = await interruptTwice(at, startAtlas(at, PATCH_ARGS));
  expect(said, said.stderr).toMatchObject({ code: 130 });
  const [, line = ""] =
    /^Stopped\. State as of the last save\. Next: (atlas .*)$/mu.exec(said.stderr) ?? [];
  await completes(at, line);
});

const canMount = process.getuid?.() === 0 && process.platform === "linux";

/** The same place, its repository on a small disk of its own. */
function onDisk<P extends Place>(at: P): P & { readonly disk: string } {
  const disk = join(at.outside, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", disk]);
  onTestFinished(() => void execFileSync("umount", ["--lazy", disk]));
  const repo = join(disk, "repo");
  cpSync(at.repo, repo, { recursive: true });
  return { ...at, disk, repo };
}

function fill(disk: string): void {
  spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "fill")}`, "bs=1k"]);
}

describe.runIf(canMount)("where the repository is on a disk of its own", () => {
  test("a full disk is named, and the run works once there is room", async () => {
    const at = onDisk(working(place()));
    fill(at.disk);
    const said = await typed(at, 'quasar run "Write"', 1);
    expect(said.stderr).toContain("ENOSPC: no space left on device");
    expect((await typed(at, advice(said, "df -h "))).stdout).toContain("100%");
    rmSync(join(at.disk, "fill"));
    await approves(at, 'quasar run "Write"');
  });

  test("a full disk is named by atlas, and the task works once there is room", async () => {
    const at = onDisk(working(atlasPlace()));
    fill(at.disk);
    const said = await typed(at, PATCH, 1);
    expect(said.stderr).not.toContain("core.fsync");
    expect((await typed(at, advice(said, "df -h "))).stdout).toContain("100%");
    rmSync(join(at.disk, "fill"));
    await completes(at, PATCH);
  });

  test("a read-only file system is named, and the run works once it can be written", async () => {
    const at = onDisk(working(place()));
    execFileSync("mount", ["-o", "remount,ro", at.disk]);
    const said = await typed(at, 'quasar run "Write"', 1);
    expect(said.stderr).toContain("read-only file system");
    expect((await typed(at, advice(said, "df "))).stdout).toContain(at.disk);
    execFileSync("mount", ["-o", "remount,rw", at.disk]);
    await approves(at, 'quasar run "Write"');
  });
});
