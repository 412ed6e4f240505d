import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyPlace, git, place, start, write } from "./harness.ts";
import { agents, dearTurns, LONG, neverContent, oneCycle } from "./scripts.ts";
import {
  working,
  withoutAgents,
  loggedOut,
  typed,
  approves,
  AS_PERSON,
  failing,
  HOOK,
  hooked,
  denied,
  withEditor,
  withIdentity,
  meet,
  type Situation,
  ignoringSignals,
  interruptTwice,
  canMount,
  onDisk,
  fill,
} from "./situations.ts";
import { advice, advised } from "./typing.ts";

const RUN = 'quasar run "Write"';

const SITUATIONS: Readonly<Record<string, Situation>> = {
  "no agent is installed": {
    set: () => withoutAgents(place()),
    typed: RUN,
    code: 1,
    says: ["error: there is no program claude on the PATH"],
    then: async (said, at) => {
      await typed(at, advice(said, "npm install -g @anthropic-ai/claude-code"));
      await approves(at, 'quasar run "Write"');
    },
  },
  "the agent is not logged in": {
    set: () => loggedOut(place()),
    typed: RUN,
    code: 5,
    says: ["because  Claude Code: Not logged in · Please run /login"],
    then: async (said, at) => {
      await typed(at, advice(said, "claude auth login"));
      await approves(at, advice(said, "quasar resume "));
    },
  },
  "a file gives a setting a value that it cannot have": {
    set: () => {
      const at = withEditor(working(place()), "max_cycles = 4");
      write(at.repo, { ".quasar/config.toml": "max_cycles = 400\n" });
      return at;
    },
    typed: RUN,
    code: 2,
    says: [/config\.toml:1:1: max_cycles must be a whole number from 1 to 100, not 400$/mu],
    then: async (said, at) => {
      await typed(at, advice(said, "${EDITOR:-vi} "));
      await approves(at, 'quasar run "Write"');
    },
  },
  "changes are not committed": {
    set: () => {
      const at = working(place());
      write(at.repo, { "mine.txt": "mine\n" });
      return at;
    },
    typed: RUN,
    code: 6,
    says: ["error: the work tree has changes that are not committed:", "mine.txt"],
    then: async (said, at) => {
      const accepting = advice(said, "quasar run --accept-dirty");
      await approves(at, accepting);
      expect(git(at, "status", "--porcelain")).toBe("?? mine.txt");
      await approves(at, advice(said, "quasar run --worktree"));
    },
  },
  "HEAD is on no branch": {
    set: () => {
      const at = working(place());
      git(at, "switch", "--quiet", "--detach");
      return at;
    },
    typed: RUN,
    code: 0,
    says: ["warning: HEAD is on no branch"],
    then: async (said, at) => {
      const [, line = ""] = /: (git switch -c .*)$/mu.exec(said.stderr) ?? [];
      await typed(at, line);
      expect(git(at, "show", "HEAD:work.txt")).toBe("right");
      expect((await typed(at, 'quasar run "Write"')).stderr).not.toContain("on no branch");
    },
  },
  "there is no repository": {
    set: () => withIdentity(working(emptyPlace())),
    typed: RUN,
    code: 1,
    says: ["error: "],
    then: async (said, at) => {
      await typed(at, advice(said, "git init"));
      await approves(at, 'quasar run "Write"');
    },
  },
  "the repository has no commit": {
    set: () => {
      const at = withIdentity(working(emptyPlace()));
      git(at, "init", "--quiet", "--initial-branch=main");
      return at;
    },
    typed: RUN,
    code: 1,
    says: ["error: refs/heads/main has no commit yet"],
    then: async (said, at) => {
      await typed(at, advice(said, "git add -A"));
      await approves(at, 'quasar run "Write"');
    },
  },
  "the network is down": {
    set: () => working(place(), failing("network", "getaddrinfo ENOTFOUND api.example.com")),
    typed: 'quasar run "Write" --retries 0',
    code: 1,
    says: ["because  getaddrinfo ENOTFOUND api.example.com"],
    then: async (said, at) => {
      agents(at, oneCycle());
      await approves(at, advice(said, "quasar resume "));
    },
  },
  "a file has a key that is no setting": {
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
  "a command is misspelt": {
    set: () => working(place()),
    typed: 'quasar rnu "Write it"',
    code: 2,
    says: ["error: unknown command 'rnu'"],
    then: async (said, at) => {
      await approves(at, advice(said, "quasar run "));
      expect((await typed(at, advice(said, "quasar --help"))).stdout).toContain("Usage: quasar");
    },
  },
  "a flag is misspelt": {
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
  "the cycles are used up": {
    set: () => working(place(), neverContent()),
    typed: 'quasar run "Write" --max-cycles 1',
    code: 3,
    says: ["not approved: no cycles left"],
    then: async (said, at) => {
      agents(at, oneCycle());
      await approves(at, advice(said, "quasar resume "));
    },
  },
  "the budget is used up": {
    set: () => working(place(), dearTurns("second")),
    typed: 'quasar run "Write" --max-budget 3.5',
    code: 4,
    says: ["stopped: budget used up", "of $3.50"],
    then: async (said, at) => {
      await approves(at, advice(said, "quasar resume "));
    },
  },
  "the agent was denied a command": {
    set: () => denied(place()),
    typed: RUN,
    code: 5,
    says: ["Claude Code made no changes: `npm test` was denied"],
    then: async (said, at) => {
      await approves(at, advice(said, "quasar resume "));
    },
  },
  "a git hook refuses the commit": {
    set: () => hooked(working(place())),
    typed: RUN,
    code: 1,
    says: ["because  the pre-commit hook refused the commit", "work.txt: 1 problem"],
    then: async (said, at) => {
      const [resume = "", changed = ""] = advised(said);
      rmSync(join(at.repo, HOOK));
      // What has changed since the run began may be an agent's doing: the person says that it was theirs.
      await typed(at, resume, 5);
      await approves(at, changed);
    },
  },
  "the checkpoint is another machine's": {
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
  "the state folder may not be written": {
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
};

test.for(Object.entries(SITUATIONS))(
  "where %s, the screen says what to type, and that works",
  async ([, situation]) => {
    const { at, said } = await meet(situation);
    expect(said.code, said.stdout + said.stderr).toBe(situation.code);
    await situation.then(said, at);
  },
);

test("the end of a run in a tree of its own says how to take its work, and how to remove the tree", async () => {
  const at = working(place(), oneCycle());
  const run = await typed(at, 'quasar run "Write" --worktree');
  const list = await typed(at, "quasar list");
  expect(list.stdout).toContain("approved, in a work tree of its own: run ");
  expect((await typed(at, "quasar status")).stdout).not.toContain("approved, in");
  const [, show = ""] = /^ {2}next +(cd .*)$/mu.exec(list.stdout) ?? [];
  expect((await typed(at, show)).stdout).toContain("approved");
  await typed(at, advice(run, "git merge"));
  expect(readFileSync(join(at.repo, "work.txt"), "utf8")).toBe("right\n");
  await typed(at, advice(run, "git worktree remove"));
  expect(git(at, "worktree", "list").split("\n")).toHaveLength(1);
});

test("a second run while one works says how to stop that, and what to do about its run then", async () => {
  const at = working(place(), oneCycle(LONG));
  const first = start(at, ["run", "Write"]);
  expect(await first.sees("coder    works")).toBe(true);
  const second = await typed(at, 'quasar run "Other"', 6);
  expect(second.stderr).toContain("error: another quasar works on this tree: process ");
  const status = await typed(at, advice(second, "quasar status"));
  expect(advised(status)).toContain(advice(second, "kill -INT "));
  agents(at, oneCycle());
  await approves(at, advice(second, "quasar run --worktree", "Other"));
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

test("a second Ctrl-C exits at once, and the screen says what resumes the run", async () => {
  const at = ignoringSignals(place());
  const said = await interruptTwice(at, start(at, ["run", "Write"]));
  expect(said, said.stderr).toMatchObject({ code: 130 });
  expect(said.stderr).toContain("SIGINT: stopping and saving; press Ctrl-C again to exit now.\n");
  const [, line = ""] =
    /^Stopped\. State as of the last save\. Next: (quasar .*)$/mu.exec(said.stderr) ?? [];
  await approves(at, line);
});

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

  test("a read-only file system is named, and the run works once it can be written", async () => {
    const at = onDisk(working(place()));
    execFileSync("mount", ["-o", "remount,ro", at.disk]);
    const said = await typed(at, 'quasar run "Write"', 1);
    expect(said.stderr).toContain("the file system is read-only");
    expect((await typed(at, advice(said, "df "))).stdout).toContain(at.disk);
    execFileSync("mount", ["-o", "remount,rw", at.disk]);
    await approves(at, 'quasar run "Write"');
  });
});
