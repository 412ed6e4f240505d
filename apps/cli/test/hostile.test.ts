import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { createCheckpoint, encodeCheckpoint } from "@quasar/checkpoint";
import { sample } from "@quasar/vitest/lane";
import { expect, onTestFinished, test } from "vitest";
import { git, lastRecord, type Place, place, quasar, type StartOptions } from "./harness.ts";
import { agents, oneCycle } from "./scripts.ts";

/** What a hostile input is answered with: an error of this code, or success. */
type Answer = `ERR_${string}` | "ok";

/** Makes the hostile thing; gives the arguments of `quasar`. */
type Attack = (at: Place) => readonly string[] | (StartOptions & { args: readonly string[] });

type Case = readonly [what: string, answer: Answer, attack: Attack];

const ESC = "\u001b";

// --- the things that can stand where a file should be --------------------------------------------

function fifo(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync("mkfifo", [path]);
}

function sparse(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  truncateSync(path, 2 ** 30);
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

function socket(path: string): void {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function folderAt(path: string): void {
  mkdirSync(path, { recursive: true });
}

/** What replaces a file, with the canary's path where it needs one. */
const IMPOSTORS: readonly (readonly [string, (path: string, canary: string) => void])[] = [
  ["a FIFO", fifo],
  ["a folder", folderAt],
  ["a sparse gigabyte", sparse],
  ["a link to a file outside", (path, canary) => link(canary, path)],
  ["a link to /dev/zero", (path) => link("/dev/zero", path)],
  ["a link to itself", (path) => link(path, path)],
  ["invalid UTF-8", (path) => put(path, Uint8Array.of(0x61, 0x3d, 0xff, 0xfe, 0xc0, 0x80))],
  ["binary zeros", (path) => put(path, new Uint8Array(5000))],
];

const canaryOf = (at: Place): string => join(at.outside, "canary.txt");
const inRepo = (at: Place, ...names: string[]): string => join(at.repo, ...names);
const run = (at: Place, ...args: string[]): readonly string[] => [
  "run",
  ...args,
  ...agents(at, oneCycle()),
];

// --- the cases ------------------------------------------------------------------------------------

const IDS = [
  "../../etc",
  "..",
  "/etc/passwd",
  "a/b",
  "",
  "a".repeat(300),
  "__proto__",
  "20261121-101500-7f3a9c/../x",
  "20261121-101500-7F3A9C",
  "20261121-101500-7f3a9c\n",
  `${ESC}[2Jx`,
  "\u202ex",
  "🎉".repeat(80),
];

const idCases: readonly Case[] = IDS.flatMap((id): Case[] => [
  [`status of the run ${JSON.stringify(id)}`, "ERR_USAGE", () => ["status", "--", id]],
  [`resume of the run ${JSON.stringify(id)}`, "ERR_USAGE", () => ["resume", "--", id]],
]);

const FLAGS: readonly (readonly string[])[] = [
  ["--max-cycles", "0"],
  ["--max-cycles", "-1"],
  ["--max-cycles", "99999999999999999999"],
  ["--max-cycles", "NaN"],
  ["--max-budget", "-1"],
  ["--max-budget", "nan"],
  ["--max-budget", "1e999"],
  ["--turn-timeout", "0"],
  ["--coder", ""],
  ["--coder", "claude; rm -rf /"],
  ["--lint", `make${ESC}[31m`],
  ["--coder-model", "x".repeat(100_000)],
  ["--upload-pack=touch canary.txt"],
  [`--${ESC}[2J`],
  ["one", "two"],
];

const flagCases: readonly Case[] = FLAGS.map((flags) => [
  `run with ${JSON.stringify(flags).slice(0, 60)}`,
  "ERR_USAGE",
  (at) => ["run", "Write", ...agents(at, oneCycle()).slice(2), ...flags],
]);

const scriptCases: readonly Case[] = [
  ...IMPOSTORS.map(
    ([what, make]): Case => [
      `${what} as an agent's script`,
      "ERR_CONFIG",
      (at) => {
        make(join(at.outside, "evil.json"), canaryOf(at));
        return ["run", "Write", "--coder", `scripted:${join(at.outside, "evil.json")}`];
      },
    ],
  ),
  [
    "a script that writes outside the work tree",
    "ERR_CONFIG",
    (at) => {
      const turns = oneCycle().map((turn) => ({ ...turn, files: { "../canary.txt": "x" } }));
      return ["run", "Write", ...agents(at, turns)];
    },
  ],
];

const taskCases: readonly Case[] = [
  ["an empty task", "ERR_TASK", (at) => run(at, "")],
  ["a task of white space", "ERR_TASK", (at) => run(at, " \n\t ")],
  ["no task", "ERR_TASK", (at) => run(at)],
  ["a task twice", "ERR_TASK", (at) => run(at, "Write", "-f", "a.txt")],
  ["a task with a NUL", "ERR_TASK", (at) => ({ args: run(at, "-"), input: "a\0b" })],
  [
    "a task of a megabyte",
    "ERR_TASK",
    (at) => ({ args: run(at, "-"), input: "x".repeat(2 ** 20) }),
  ],
  ["a task that clears the screen", "ok", (at) => run(at, `${ESC}[2J${ESC}]0;x\u0007Write`)],
  ["a task that reads backwards", "ok", (at) => run(at, "\u202eetirW\u2066")],
  [
    "a task that looks like an option to git",
    "ok",
    (at) => [...run(at), "--", "--output=canary.txt"],
  ],
  [
    "a task that forges trailers",
    "ok",
    (at) => run(at, "x\n\nQuasar-Task: other\nQuasar-Cycle: 9"),
  ],
  ...IMPOSTORS.filter(([what]) => what !== "a link to a file outside").map(
    ([what, make]): Case => [
      `a task from ${what}`,
      "ERR_TASK",
      (at) => {
        make(join(at.outside, "task"), canaryOf(at));
        return run(at, "-f", join(at.outside, "task"));
      },
    ],
  ),
  [
    "a task from a socket",
    "ERR_TASK",
    (at) => {
      socket(join(at.outside, "task.sock"));
      return run(at, "-f", join(at.outside, "task.sock"));
    },
  ],
];

const configCases: readonly Case[] = [
  ...IMPOSTORS.map(
    ([what, make]): Case => [
      `${what} as .quasar/config.toml`,
      "ERR_CONFIG",
      (at) => {
        make(inRepo(at, ".quasar", "config.toml"), canaryOf(at));
        return run(at, "Write");
      },
    ],
  ),
  ...(
    [
      ["a hundred thousand dotted keys", `${"a.".repeat(30_000)}a = 1`, "ok"],
      ["deep nesting", `a = ${"[".repeat(60_000)}`, "ERR_CONFIG"],
      ["a prototype", "[__proto__]\nmax_cycles = 9\n[constructor.prototype]\nx = 1", "ok"],
      ["a budget that is not a number", "max_budget_usd = nan", "ERR_CONFIG"],
      ["a date", "max_cycles = 1979-05-27T07:32:00Z", "ERR_CONFIG"],
      ["a program to run", 'lint = ["touch ../canary.txt"]', "ERR_UNTRUSTED_CONFIG"],
      ["an agent of its own", 'coder = "command:touch ../canary.txt"', "ERR_UNTRUSTED_CONFIG"],
      ["an endless budget", "max_budget_usd = 0", "ERR_UNTRUSTED_CONFIG"],
    ] as const
  ).map(
    ([what, toml, answer]): Case => [
      `a config.toml with ${what}`,
      answer,
      (at) => {
        put(inRepo(at, ".quasar", "config.toml"), toml);
        put(inRepo(at, ".quasar", ".gitignore"), "*\n");
        return run(at, "Write");
      },
    ],
  ),
];

const folderCases: readonly Case[] = (
  [
    ["a link", (path, at) => link(join(at.outside, "away"), path)],
    [
      "a link to a folder",
      (path, at) => {
        folderAt(join(at.outside, "away"));
        link(join(at.outside, "away"), path);
      },
    ],
    ["a file", (path) => put(path, "x")],
    ["a FIFO", (path) => fifo(path)],
  ] satisfies [string, (path: string, at: Place) => void][]
).flatMap(([what, make]) =>
  [[".quasar"], [".git", "quasar"], [".git", "quasar", "runs"]].flatMap((names) =>
    (["run", "resume"] as const).map(
      (command): Case => [
        `${what} as ${names.join("/")}, on ${command}`,
        "ERR_UNSAFE_PATH",
        (at) => {
          const path = inRepo(at, ...names);
          mkdirSync(dirname(path), { recursive: true });
          make(path, at);
          return command === "run" ? run(at, "Write", "--accept-dirty") : ["resume"];
        },
      ],
    ),
  ),
);

/** A checkpoint as another program could have left it. */
function checkpointText(at: Place, change: (toml: string) => string): string {
  const sha = git(at, "rev-parse", "HEAD");
  const checkpoint = createCheckpoint({
    gitSha: sha,
    baseCommitSha: sha,
    taskBeadId: "task-1",
    taskTitle: "Somebody else's task",
    cycle: 1,
    maxCycles: 3,
    maxBudgetUsd: 5,
    phase: "coding",
  });
  return change(encodeCheckpoint(checkpoint));
}

const CHECKPOINTS: readonly (readonly [string, Answer, (toml: string) => string])[] = [
  ["no seal", "ERR_FOREIGN_CHECKPOINT", (toml) => toml],
  [
    "a title that clears the screen",
    "ERR_FOREIGN_CHECKPOINT",
    (toml) =>
      toml
        .replace("'Somebody else''s task'", '"x"')
        .replace(/^task_title = .*$/mu, 'task_title = "\\u001b[2Jevil\\u202e"'),
  ],
  [
    "a cost that is not a number",
    "ERR_CORRUPT",
    (toml) => toml.replace(/^total_cost_usd = .*$/mu, "total_cost_usd = nan"),
  ],
  [
    "an endless budget",
    "ERR_CORRUPT",
    (toml) => toml.replace(/^max_budget_usd = .*$/mu, "max_budget_usd = inf"),
  ],
  [
    "a huge cycle",
    "ERR_CORRUPT",
    (toml) => toml.replace(/^cycle = .*$/mu, "cycle = 99999999999999999999"),
  ],
  ["half a cycle", "ERR_CORRUPT", (toml) => toml.replace(/^cycle = .*$/mu, "cycle = 1.5")],
  ["a later version", "ERR_STATE", (toml) => toml.replace(/^version = .*$/mu, "version = 2")],
  ["deep nesting", "ERR_CORRUPT", (toml) => `${toml}\nx = ${"[".repeat(100_000)}`],
  ["half of it", "ERR_CORRUPT", (toml) => toml.slice(0, 200)],
  ["nothing", "ERR_CORRUPT", () => ""],
];

const checkpointCases: readonly Case[] = [
  ...CHECKPOINTS.map(
    ([what, answer, change]): Case => [
      `a .quasar/checkpoint.toml with ${what}`,
      answer,
      (at) => {
        put(inRepo(at, ".quasar", "checkpoint.toml"), checkpointText(at, change));
        return ["resume", ...agents(at, oneCycle())];
      },
    ],
  ),
  [
    "a checkpoint of somebody else that is trusted",
    "ok",
    (at) => {
      put(
        inRepo(at, ".quasar", "checkpoint.toml"),
        checkpointText(at, (toml) => toml),
      );
      put(inRepo(at, ".quasar", ".gitignore"), "*\n");
      return ["resume", "--trust", ...agents(at, oneCycle())];
    },
  ],
];

const RUN = "20261121-101500-7f3a9c";

const stateCases: readonly Case[] = [
  ...IMPOSTORS.map(
    ([what, make]): Case => [
      `${what} as a run's checkpoint`,
      "ERR_CORRUPT",
      (at) => {
        make(inRepo(at, ".git", "quasar", "runs", RUN, "checkpoint.toml"), canaryOf(at));
        return ["resume"];
      },
    ],
  ),
  [
    "a run's folder that is a link",
    "ERR_UNSAFE_PATH",
    (at) => {
      folderAt(join(at.outside, "away"));
      link(join(at.outside, "away"), inRepo(at, ".git", "quasar", "runs", RUN));
      return ["resume"];
    },
  ],
  ...(
    [
      ["a folder", folderAt],
      ["a link", (path: string, canary: string) => link(canary, path)],
      ["a FIFO", fifo],
      ["somebody's file", (path: string) => put(path, "mine")],
    ] as const
  ).map(
    ([what, make]): Case => [
      `${what} as the lock`,
      what === "somebody's file" ? "ERR_STATE" : "ERR_UNSAFE_PATH",
      (at) => {
        make(inRepo(at, ".git", "quasar", "lock"), canaryOf(at));
        return ["resume"];
      },
    ],
  ),
  [
    "a description of the lock's holder that is hostile",
    "ok",
    (at) => {
      const owner = { pid: 1, host: `${ESC}[2Jx`, bootId: "x" };
      put(inRepo(at, ".git", "quasar", "lock.owner.json"), JSON.stringify(owner));
      return ["status"];
    },
  ],
  [
    "a sparse gigabyte as the description of the lock's holder",
    "ok",
    (at) => {
      sparse(inRepo(at, ".git", "quasar", "lock.owner.json"));
      return ["status"];
    },
  ],
  [
    "a seal key that others can read",
    "ERR_STATE",
    (at) => {
      const path = join(at.outside, "home", ".local", "state", "quasar", "seal.key");
      put(path, new Uint8Array(32));
      return ["resume"];
    },
  ],
];

const CASES: readonly Case[] = [
  ...idCases,
  ...flagCases,
  ...scriptCases,
  ...taskCases,
  ...configCases,
  ...folderCases,
  ...checkpointCases,
  ...stateCases,
];

// --- what must hold for each ----------------------------------------------------------------------

/** All that is outside of the work tree and the user's home, with what it holds. */
function outsideOf(at: Place): Record<string, string> {
  const entries = readdirSync(at.outside, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^(repo|home)(\/|$)/u.test(name))
    .map((name) => {
      const stat = lstatSync(join(at.outside, name));
      if (stat.isSymbolicLink()) return [name, readlinkSync(join(at.outside, name))];
      const isSmallFile = stat.isFile() && stat.size < 2 ** 20;
      return [name, isSmallFile ? readFileSync(join(at.outside, name), "utf8") : String(stat.size)];
    });
  return Object.fromEntries(entries) as Record<string, string>;
}

test("has at least 60 hostile inputs", () => {
  expect(CASES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(CASES.map(([what]) => what)).size).toBe(CASES.length);
});

test.for(sample(CASES, 12, 16))("%s: %s", async ([, answer, attack]) => {
  const at = place();
  writeFileSync(canaryOf(at), "canary\n");
  const made = attack(at);
  const { args, ...options } = "args" in made ? made : { args: made };
  const before = outsideOf(at);
  const [command = "", ...rest] = args;
  const done = await quasar(at, [command, "--json", ...rest], { ...options, cpuSeconds: 20 });

  const last = lastRecord(done);
  const told = last["type"] === "error" ? last["code"] : "ok";
  expect(told, done.stderr + done.stdout).toBe(answer);
  expect(done.code === 0, done.stderr).toBe(answer === "ok");
  expect(outsideOf(at)).toEqual(before);
  expect(`${done.stdout}${done.stderr}`.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(done.stderr).not.toMatch(/^ +at /mu);
  rmSync(at.repo, { recursive: true, force: true });
});
