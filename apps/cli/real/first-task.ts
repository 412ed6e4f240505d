import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { endRunProcesses } from "@quasar/agents/turns";
// @boundaries-ignore the model stub of the real agents is for all tests that run them
import { type ModelStub, startModelStub } from "../../../packages/agents/real/model-stub.ts";
// @boundaries-ignore what that stub bills by
import { costOf, NO_TOKENS } from "../../../packages/agents/src/prices.ts";
// @boundaries-ignore what that stub answers
import type { ModelTurn } from "../../../packages/agents/real/model-answer.ts";
// @boundaries-ignore what that stub is asked
import type { ModelRequest } from "../../../packages/agents/real/model-request.ts";
// @boundaries-ignore where real agents run, with no other model than the stub
import { BIN, codexConfig, realEnvironment } from "../../../packages/agents/real/place.ts";
import { type Finished, type Running, startProgram } from "./place.ts";

const QUASAR = fileURLToPath(new URL("../dist/main.js", import.meta.url));

type Files = Readonly<Record<string, string>>;

/** A small project whose test is red, and what the two turns of the coder add to it. */
export interface Project {
  readonly name: string;
  readonly files: Files;
  /** As `quasar init` has to find it by itself. */
  readonly test: string;
  /** What the coder's turns write, one file each. */
  readonly writes: readonly (readonly [path: string, text: string])[];
  readonly outcome: Outcome;
  isRed(): boolean;
}

/** What is to be the same however often the run was killed. */
interface Outcome {
  readonly files: Files;
  readonly status: string;
  readonly isGreen: boolean;
}

export function project(plan: Pick<Project, "name" | "files" | "test" | "writes">): Project {
  return {
    ...plan,
    outcome: { files: Object.fromEntries(plan.writes), status: "", isGreen: true },
    isRed: () => {
      const root = mkdtempSync(join(realpathSync(tmpdir()), "quasar-red-"));
      writeAll(root, plan.files);
      const { status } = spawnSync("sh", ["-c", plan.test], { cwd: root });
      rmSync(root, { recursive: true, force: true });
      return status !== 0;
    },
  };
}

export const PROJECTS: readonly Project[] = [
  project({
    name: "a TypeScript project",
    files: {
      "package.json": `{ "name": "totals", "type": "module", "scripts": { "test": "node --test" } }\n`,
      "test/total.test.ts": `import assert from "node:assert";
import { test } from "node:test";
import { total } from "../src/total.ts";

test("adds the prices", () => assert.equal(total([1, 2]), 3));
`,
    },
    test: "npm test",
    writes: [
      [
        "src/total.ts",
        "export const total = (prices: number[]): number => prices.reduce((sum, price) => sum + price);\n",
      ],
      ["src/empty.ts", "export const EMPTY: number[] = [];\n"],
    ],
  }),
  project({
    name: "a Python project",
    files: {
      "pyproject.toml": '[project]\nname = "totals"\nversion = "1.0"\n',
      ".gitignore": "__pycache__/\n",
      "test_total.py": `import unittest
from total import total


class TotalTest(unittest.TestCase):
    def test_adds_the_prices(self):
        self.assertEqual(total([1, 2]), 3)
`,
    },
    test: "python3 -m unittest",
    writes: [
      ["total.py", "def total(prices):\n    return sum(prices)\n"],
      ["empty.py", "EMPTY = []\n"],
    ],
  }),
  project({
    name: "a project with a Makefile",
    files: { Makefile: "test:\n\t@sh ./total.sh 1 2 | grep -qx 3\n" },
    test: "make test",
    writes: [
      ["total.sh", "echo $(($1 + $2))\n"],
      ["empty.sh", "echo 0\n"],
    ],
  }),
];

/** Turns of a run that is refused once. */
export const TURNS: readonly string[] = ["coder 1", "reviewer 1", "coder 2", "reviewer 2"];

/** A real agent, and the settings by which it asks nothing but the stub at a URL. */
export interface RealAgent {
  readonly name: string;
  readonly program: string;
  /** The folder that has its program. */
  readonly bin: string;
  /** @default only what all agents get */
  readonly env?: ((url: string) => Readonly<Record<string, string>>) | undefined;
  /** Files of its user's home. @default none */
  readonly home?: ((url: string) => Files) | undefined;
  /** Whether its reviews are in words, for want of a form that it is held to. @default false */
  readonly reviewsInText?: boolean | undefined;
  /** Whether it writes no file into a folder that is not there. @default false */
  readonly needsFolders?: boolean | undefined;
}

export const AGENTS: readonly RealAgent[] = [
  { name: "Claude Code", program: "claude", bin: BIN },
  {
    name: "Codex",
    program: "codex",
    bin: BIN,
    home: (url) => ({ ".codex/config.toml": codexConfig(url) }),
  },
];

const FINDING = "There is no list without prices.";

/** Which turn a request is of. */
export function turnOf({ system, prompts }: ModelRequest): string {
  const said = `${system}\n${prompts.join("\n")}`;
  const role = said.includes("You are the reviewer") ? "reviewer" : "coder";
  return `${role} ${said.includes(FINDING) ? 2 : 1}`;
}

function review(approved: boolean, inText: boolean): ModelTurn {
  if (inText) {
    const issue = `ISSUE:\nSEVERITY: major\nDESCRIPTION: ${FINDING}\n`;
    return { text: approved ? "APPROVED: Fine.\n" : issue };
  }
  const findings = approved ? [] : [{ severity: "major", description: FINDING }];
  return {
    json: {
      verdict: approved ? "approved" : "changes_requested",
      findings,
      verifications: [],
      report: { satisfaction: "high", risk: "low", needs_human_review: false, summary: "Fine." },
    },
  };
}

export interface FirstTaskOptions {
  /** Whether the first review refuses. @default true */
  readonly isRefused?: boolean | undefined;
  /** US dollars that the first response of each turn costs. @default next to nothing */
  readonly turnUsd?: number | undefined;
  /** Who reviews; then the run's options name both agents. @default the settings name them */
  readonly reviewer?: RealAgent | undefined;
}

/** Who works on what, and where. */
interface Scene extends Pick<FirstTaskOptions, "isRefused"> {
  readonly project: Project;
  readonly repo: string;
  readonly coder: RealAgent;
  readonly reviewer: RealAgent;
}

/** Runs the tests, writes, runs them again; the reviewer reads, and refuses once. */
function answersIn(turn: string, scene: Scene): readonly ModelTurn[] {
  const { project, repo, coder, reviewer, isRefused = true } = scene;
  if (turn.startsWith("reviewer")) {
    return [review(!isRefused || turn.endsWith("2"), reviewer.reviewsInText ?? false)];
  }
  const [path, content] = project.writes[turn.endsWith("1") ? 0 : 1] ?? ["", ""];
  const folder = dirname(path);
  return [
    { shell: project.test },
    ...(coder.needsFolders === true && folder !== "." ? [{ shell: `mkdir -p ${folder}` }] : []),
    { write: { path: join(repo, path), content } },
    { shell: project.test },
    { text: `Wrote ${path}.\nCOMMIT: feat: add ${path}` },
  ];
}

/** What the first response of a turn uses, so that the turn costs so much. */
function usageOf({ step, model }: ModelRequest, { turnUsd }: FirstTaskOptions): ModelTurn["usage"] {
  if (turnUsd === undefined || step > 0) return undefined;
  const million = costOf(model, { ...NO_TOKENS, output: 1e6 }) ?? Number.NaN;
  return { input: 0, output: Math.round((turnUsd / million) * 1e6) };
}

export interface FirstTaskPlace {
  /** What has all of it, and is removed with it. */
  readonly root: string;
  readonly repo: string;
  readonly env: Readonly<Record<string, string>>;
  /** Starts the run. */
  begin(): Running;
  /** Starts another command. */
  start(...args: string[]): Running;
  git(...args: string[]): string;
  run(): Promise<Finished>;
  /** Kills quasar and all that works for it when the model is asked in mid-turn. */
  runKilledIn(turn: string): Promise<void>;
  resume(...args: string[]): Promise<Finished>;
  /** What the model was asked, turn by turn. */
  turns(): readonly string[];
  outcome(): Outcome;
  readonly stub: ModelStub;
  readonly remove: () => Promise<void>;
}

function joined(all: readonly (Files | undefined)[]): Files {
  return Object.fromEntries(all.flatMap((each) => Object.entries(each ?? {})));
}

/** A project in a repository of its own, with none but its real agents on the path, after `quasar init`. */
export async function firstTaskPlace(
  made: Project,
  coder: RealAgent,
  options: FirstTaskOptions = {},
): Promise<FirstTaskPlace> {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "quasar-first-"));
  const repo = join(root, "repo");
  const home = join(root, "home");
  const { reviewer = coder } = options;
  const scene: Scene = { project: made, repo, coder, reviewer, isRefused: options.isRefused };
  const stub = await startModelStub((request) => {
    const answers = answersIn(turnOf(request), scene);
    return { ...(answers[request.step] ?? answers.at(-1)), usage: usageOf(request, options) };
  });
  const agents = [...new Set([coder, reviewer])];
  writeAll(home, {
    ".gitconfig": "[user]\n  name = Ada\n  email = ada@localhost\n",
    ...joined(agents.map((agent) => agent.home?.(stub.url))),
  });
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const { program, bin: from } of agents) symlinkSync(join(from, program), join(bin, program));
  const real = realEnvironment(root, stub.url);
  const env = {
    ...real,
    ...joined(agents.map((agent) => agent.env?.(stub.url))),
    PATH: `${bin}:${(real["PATH"] ?? "")
      .split(":")
      .filter((dir) => dir !== BIN)
      .join(":")}`,
    GIT_CONFIG_NOSYSTEM: "1",
  };
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: repo, env, encoding: "utf8", stdio: "pipe" }).trim();
  writeAll(repo, made.files);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");

  const start = (...args: string[]): Running => startProgram(QUASAR, args, { cwd: repo, env });
  const initialised = await start("init", "--yes").finished;
  if (initialised.code !== 0) throw new Error(initialised.stdout + initialised.stderr);
  git("add", "--all");
  if (git("status", "--porcelain") !== "") git("commit", "--quiet", "--message=Set up quasar");

  const who =
    options.reviewer === undefined
      ? []
      : ["--coder", coder.program, "--reviewer", reviewer.program];
  const begin = (): Running => start("run", "Make the tests pass", ...who);
  return {
    ...{ root, repo, env, stub, begin, start, git },
    run: () => begin().finished,
    async runKilledIn(turn) {
      const script = stub.script;
      const running = begin();
      const killed = Promise.withResolvers<void>();
      let isOver = false;
      stub.script = (request) => {
        const answer = script(request);
        if (isOver || turnOf(request) !== turn) return answer;
        // A coder after it has written, a reviewer before it has said anything.
        if (request.step < answersIn(turn, scene).length - 2) return answer;
        isOver = true;
        void (async () => {
          running.kill();
          const { stdout } = await running.finished;
          const [runId] = /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(stdout) ?? [];
          if (runId !== undefined) await endRunProcesses(runId, { graceMs: 0 });
          killed.resolve();
        })();
        return { ...answer, after: killed.promise };
      };
      await Promise.race([killed.promise, running.finished]);
      if (!isOver) throw new Error(`the run ended before it could be killed in ${turn}`);
      await killed.promise;
    },
    resume: (...args) => start("resume", ...args).finished,
    turns: () => stub.requests.filter(({ step }) => step === 0).map(turnOf),
    outcome: () => ({
      files: Object.fromEntries(
        made.writes.map(([path]) => [path, `${git("show", `HEAD:${path}`)}\n`]),
      ),
      status: git("status", "--porcelain"),
      isGreen: spawnSync("sh", ["-c", made.test], { cwd: repo, env }).status === 0,
    }),
    remove: async () => {
      await stub.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function writeAll(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
