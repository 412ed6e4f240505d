import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { missing } from "../blackbox/needs.ts";
import { childrenOf } from "../blackbox/place.ts";
import { root } from "../workspace.ts";
import { aRepository, aScript } from "./place.ts";
import { inPairs, type Row } from "./row.ts";

/** The built command. */
export const quasar: string = `${root}apps/cli/dist/main.js`;
const atlas = `${root}apps/cli/dist/atlas.js`;

export interface Place {
  readonly repository: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What a run costs that is long, waits, or works in a large place. */
export async function growthRows(): Promise<Row[]> {
  const scratch = mkdtempSync(join(tmpdir(), "quasar-growth-"));
  try {
    return [
      ...flushesRows(scratch),
      journalRow(scratch),
      ...(await waitingRows(scratch)),
      await tasksRow(scratch),
      ...(await filesRows(scratch)),
    ];
  } finally {
    rmSync(scratch, { recursive: true, maxRetries: 5 });
  }
}

/**
 * Has a command do its work.
 *
 * @param ends - The exit codes with which it may end; 9: a person is waited for.
 * @throws {Error} Where it ends otherwise.
 */
export function done(
  at: Place,
  file: string,
  args: readonly string[],
  wrapper: readonly string[] = [],
  ends: readonly number[] = [0, 9],
): void {
  const [program = "", ...rest] = [...wrapper, process.execPath, file, ...args];
  const options = { cwd: at.repository, env: at.env, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(program, rest, options);
  if (!ends.includes(status ?? -1)) throw new Error(`${args[0]} ended with ${status}: ${stderr}`);
}

/** Agents whose reviewer approves in the cycle with that number, and what both do first. */
export function agents(
  scratch: string,
  name: string,
  cycles: number,
  first: string = "true",
): readonly string[] {
  const counter = join(scratch, `${name}-reviews`);
  const coder = aScript(scratch, `${name}-coder`, `${first}; date +%s%N >> work.txt; echo Done.`);
  const reviewer = aScript(
    scratch,
    `${name}-reviewer`,
    `${first}; echo x >> ${counter}; n=$(wc -l < ${counter})
    if [ "$n" -ge ${cycles} ]; then echo "APPROVED: fine"; else
    printf 'ISSUE:\\nSEVERITY: major\\nDESCRIPTION: more work, the %s\\n' "$n"; fi`,
  );
  return ["--max-budget", "0", "--coder", `command:${coder}`, "--reviewer", `command:${reviewer}`];
}

function runOf(
  scratch: string,
  name: string,
  cycles: number,
  { first, wrapper = [] }: { first?: string; wrapper?: readonly string[] } = {},
): Place {
  const at = aRepository(scratch, name);
  const by = agents(scratch, name, cycles, first);
  const args = ["run", "Work.", "--max-cycles", String(cycles), ...by];
  done(at, quasar, args, wrapper);
  return at;
}

/** What agents do in turns of two seconds, and how often all of their cycle may flush. */
const TURNS: readonly (readonly [what: string, first: string, atMost: number])[] = [
  ["that tell their result", "sleep 2", 22],
  ["that say something at once, too", "echo Looking.; sleep 2", 26],
];

/** A run of three cycles flushes so much more than a run of two; git's own are not counted. */
function flushesRows(scratch: string): readonly Row[] {
  const skipped = missing("strace");
  if (skipped !== undefined) {
    console.warn(skipped);
    return [];
  }
  return TURNS.map(([what, first, atMost], index) => {
    const flushes = (cycles: number): number =>
      flushesOf(scratch, `${index}-${cycles}`, cycles, first);
    const figure = flushes(3) - flushes(2);
    return { what: `flushes of a cycle, git's apart, by agents ${what}`, figure, atMost };
  });
}

function flushesOf(scratch: string, name: string, cycles: number, first: string): number {
  const log = join(scratch, `flushes-${name}`);
  const calls = "trace=fsync,fdatasync,syncfs,execve";
  const wrapper = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", calls, "-o", log];
  runOf(scratch, `flushing-${name}`, cycles, { first, wrapper });
  const ofGit = new Set<string>();
  let count = 0;
  for (const line of readFileSync(log, "utf8").split("\n")) {
    const [, pid = "", call = ""] = /^(\d+) +(.*)$/u.exec(line) ?? [];
    if (call.startsWith("execve(") && call.endsWith("= 0")) {
      if (/^execve\("[^"]*\/git"/u.test(call)) ofGit.add(pid);
      else ofGit.delete(pid);
    } else if (/^(fsync|fdatasync|syncfs)\(/u.test(call) && !ofGit.has(pid)) count += 1;
  }
  return count;
}

/** How much longer the journal of a run of 100 cycles is than of one of 10. */
function journalRow(scratch: string): Row {
  const bytes = (cycles: number): number => {
    const runs = join(runOf(scratch, `cycles-${cycles}`, cycles).repository, ".git/quasar/runs");
    const [id = ""] = readdirSync(runs);
    return statSync(join(runs, id, "events.jsonl")).size;
  };
  return { what: "journal of 100 cycles, against 10", figure: bytes(100) / bytes(10), atMost: 12 };
}

/** What a runner and its supervisor take from the machine while the agent works, in ten seconds. */
async function waitingRows(scratch: string): Promise<Row[]> {
  const at = aRepository(scratch, "waiting");
  const started = join(scratch, "waiting-started");
  const agent = aScript(scratch, "waiting", `touch ${started}; exec sleep 120`);
  const args = ["run", "Wait.", "--max-budget", "0", "--coder", `command:${agent}`];
  const options = { cwd: at.repository, env: at.env, stdio: "ignore" } as const;
  const runner = spawn(
    process.execPath,
    [quasar, ...args, "--reviewer", `command:${agent}`],
    options,
  );
  const bare = spawn(process.execPath, ["-e", "setTimeout(() => {}, 1e6)"], { stdio: "ignore" });
  try {
    while (!existsSync(started)) await sleep(20);
    const pid = runner.pid ?? 0;
    const [supervisor = 0] = childrenOf(pid);
    await sleep(5000);
    const before = [wakeUps(pid), cpuMs(pid)] as const;
    await sleep(10_000);
    const rss = (each: number): number =>
      statusOf(each, "VmRSS") / statusOf(bare.pid ?? 0, "VmRSS");
    return [
      {
        what: "a runner that waits: wake-ups a second",
        figure: (wakeUps(pid) - before[0]) / 10,
        atMost: 2,
      },
      {
        what: "a runner that waits: % of a core",
        figure: (cpuMs(pid) - before[1]) / 100,
        atMost: 0.1,
      },
      { what: "a runner that waits: RSS, against bare Node", figure: rss(pid), atMost: 1.4 },
      { what: "its supervisor: RSS, against bare Node", figure: rss(supervisor), atMost: 1.1 },
    ];
  } finally {
    const ended = new Promise((resolve) => runner.once("exit", resolve));
    runner.kill("SIGINT");
    bare.kill();
    await ended;
  }
}

function statusOf(pid: number | string, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, "mu").exec(status)?.[1]);
}

function wakeUps(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return tasks.reduce(
    (sum, task) => sum + statusOf(`${pid}/task/${task}`, "voluntary_ctxt_switches"),
    0,
  );
}

function cpuMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const spentNs = (task: string): number =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]);
  return tasks.reduce((sum, task) => sum + spentNs(task), 0) / 1e6;
}

/** `atlas start` where 1,000 tasks are, against one. */
async function tasksRow(scratch: string): Promise<Row> {
  const starting = (tasks: number): (() => void) => {
    const at = aRepository(scratch, `tasks-${tasks}`);
    const home = join(scratch, `atlas-${tasks}`);
    const made = { ...at, env: { ...at.env, ATLAS_HOME: home } };
    const start = (workspace: string): void => {
      const by = agents(scratch, `${tasks}-${workspace}`, 1);
      const args = ["start", "Look.", "--template", "bugfix", "--workspace", workspace];
      done(made, atlas, [...args, "--validate", "true", ...by]);
    };
    start("first");
    const first = join(home, "workspaces/first");
    for (let n = 1; n < tasks; n += 1) {
      cpSync(first, join(home, `workspaces/w-${n}`), { recursive: true });
    }
    let n = 0;
    return () => start(`next-${(n += 1)}`);
  };
  const { ratio, ms } = await inPairs(3, starting(1000), starting(1));
  return { what: "atlas start with 1,000 tasks, against 1", figure: ratio, atMost: 1.2, ms };
}

function manyFiles(count: number): Readonly<Record<string, string>> {
  const path = (n: number): string => `d${n % 100}/e${Math.floor(n / 100) % 100}/f${n}.txt`;
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [path(n), `${n}\n`]));
}

/** A cycle, a bugfix and a work tree of its own with 100,000 files. */
async function filesRows(scratch: string): Promise<Row[]> {
  const [few, many] = [100, 100_000].map((count) =>
    aRepository(scratch, `files-${count}`, manyFiles(count)),
  );
  if (few === undefined || many === undefined) throw new Error("there are two");
  let n = 0;
  const cycle = (at: Place) => () => {
    const name = `files-${(n += 1)}`;
    done(at, quasar, ["run", "Work.", ...agents(scratch, name, 1)]);
  };
  const bugfix = (at: Place) => () => {
    const name = `bugfix-${(n += 1)}`;
    const args = [
      "start",
      name,
      "--template",
      "bugfix",
      "--validate",
      "true",
      ...agents(scratch, name, 1),
    ];
    const place = { ...at, env: { ...at.env, ATLAS_HOME: join(scratch, name) } };
    done(place, atlas, args, [], [9]);
    done(place, atlas, ["approve", "--yes"], [], [0]);
  };
  const cycles = await inPairs(3, cycle(many), cycle(few));
  const bugfixes = await inPairs(1, bugfix(many), bugfix(few));
  const waiting: ChildProcess[] = [];
  /** Until the agent begins, which then waits. */
  const ours = async (): Promise<void> => {
    const started = join(scratch, `tree-${(n += 1)}-started`);
    const agent = `command:${aScript(scratch, `tree-${n}`, `touch ${started}; exec sleep 3600`)}`;
    const args = ["run", "Work.", "--worktree", "--max-budget", "0", "--coder", agent];
    const options = { cwd: many.repository, env: many.env, stdio: "ignore" } as const;
    const runner = spawn(process.execPath, [quasar, ...args, "--reviewer", agent], options);
    waiting.push(runner);
    while (!existsSync(started)) {
      if (runner.exitCode !== null) throw new Error(`run ended with ${runner.exitCode}`);
      await sleep(20);
    }
  };
  const plain = (): void => {
    const git = (...args: string[]): void =>
      void spawnSync("git", args, { cwd: many.repository, env: many.env });
    const path = join(scratch, `plain-${(n += 1)}`);
    git("worktree", "add", "-q", "-b", `plain-${n}`, path);
  };
  const trees = await inPairs(3, ours, plain);
  for (const runner of waiting) {
    const ended = once(runner, "exit");
    runner.kill("SIGINT");
    await ended;
  }
  return [
    {
      what: "a cycle with 100,000 files, against 100",
      figure: cycles.ratio,
      atMost: 3,
      ms: cycles.ms,
    },
    {
      what: "a bugfix and its approval with 100,000 files, against 100",
      figure: bugfixes.ratio,
      atMost: 3,
      ms: bugfixes.ms,
    },
    {
      what: "the start of a run --worktree of 100,000 files, against git worktree add",
      figure: trees.ratio,
      atMost: 1.3,
      ms: trees.ms,
    },
  ];
}
