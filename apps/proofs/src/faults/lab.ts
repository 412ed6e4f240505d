import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listRunProcesses } from "@quasar/agents/turns";
import { createFileCheckpointStore } from "@quasar/checkpoint";
import {
  agents,
  type Finished,
  git,
  makePlace,
  oneCycle,
  type Place,
  quasar,
  removePlace,
  runIds,
  runsOf,
} from "../blackbox/place.ts";
import { parseTrace } from "../blackbox/strace.ts";
import { type FaultCase, FAULTY_CALLS, faultsOf, isFaultOf } from "./cases.ts";

export type Target = "run" | "resume";

/** A place that can be put back to what it was, and a command to strike there. */
export interface Lab {
  readonly target: Target;
  readonly at: Place;
  readonly args: readonly string[];
  readonly saved: string;
  /** Paths of the next turn's files, and of their folder, where they are known beforehand. */
  readonly turnFiles: readonly string[];
  /** What the command had said before it was killed, where it is one to resume. */
  readonly before: string;
}

const COMMAND = ["run", "Write work.txt", "--json"];

/** What is struck is a new run, or the resume of one that was killed while the coder worked. */
export async function makeLab(target: Target): Promise<Lab> {
  const at = makePlace("faults");
  const script = agents(at, oneCycle(target === "run" ? 0 : 250));
  const run = [...COMMAND, ...script];
  let before = "";
  if (target === "resume") {
    const killed = await quasar(at, run, {
      onOutput: (stdout, pid) => {
        if (stdout.includes('"agent_start"')) process.kill(pid, "SIGKILL");
      },
    });
    before = killed.stdout;
    await untilAllEnded(at); // its agent works until its end
  }
  agents(at, oneCycle());
  const saved = `${at.root}.saved`;
  cpSync(at.root, saved, { recursive: true, preserveTimestamps: true });
  const turns = join(runsOf(at), runIds(at)[0] ?? "", "turns");
  const names = target === "run" ? [] : ["", "2.out", "2.start", "2.exit"];
  const turnFiles = names.map((name) => join(turns, name));
  const command = target === "run" ? run : ["resume", "--json"];
  return { target, at, args: command, saved, before, turnFiles };
}

export function removeLab({ at, saved }: Lab): void {
  removePlace(at);
  rmSync(saved, { recursive: true, force: true });
}

function restore({ at, saved }: Lab): void {
  removePlace(at);
  cpSync(saved, at.root, { recursive: true, preserveTimestamps: true });
}

/** The calls of git in which it writes. */
const GIT_COMMANDS = ["add", "commit", "status"] as const;

/** Every fault that can strike the command, by a look at it without one. */
export async function faultsIn(lab: Lab): Promise<readonly FaultCase[]> {
  const faults: FaultCase[] = [];
  const processes = [
    "runner",
    ...GIT_COMMANDS,
    ...(lab.turnFiles.length > 0 ? ["supervisor"] : []),
  ];
  for (const name of processes) {
    restore(lab);
    const log = join(lab.at.root, "strace.log");
    await strike(lab, name, [...LOGGED, "-o", log, "-e", `trace=${FAULTY_CALLS.join()}`]);
    const calls = Map.groupBy(parseTrace(readLog(log)), ({ pid }) => pid);
    for (const own of calls.values()) faults.push(...faultsOf(name, own, lab.at));
  }
  return faults;
}

const LOGGED = ["-xx", "-y", "-s", "4096"];

/** Without `-f` a line has no pid: it is given one. */
function readLog(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8").replaceAll(/^(?=\w+\()/gmu, "1 ") : "";
}

function isHit(log: string, at: Place): boolean {
  const first = parseTrace(readLog(log)).find(({ isInjected }) => isInjected);
  return first !== undefined && isFaultOf(first, at);
}

/** Runs the command with one process of it under strace. */
function strike(
  { at, args, turnFiles }: Lab,
  name: string,
  options: readonly string[],
): Promise<Finished> {
  const strace = ["strace", "-qq", ...options];
  if (name === "runner") return quasar(at, args, { under: strace });
  if (name === "supervisor") {
    const paths = turnFiles.flatMap((path) => ["-P", path]);
    return quasar(at, args, { under: [...strace, "-f", ...paths] });
  }
  const bin = join(at.root, "bin");
  const { PATH = "" } = at.env;
  mkdirSync(bin);
  const marker = join(bin, "struck");
  const words = strace.map((word) => `'${word}'`).join(" ");
  const wrapper = `#!/bin/sh
PATH='${PATH}'
case " $* " in
  *" ${name} "*) if mkdir '${marker}' 2> /dev/null; then exec ${words} git "$@"; fi ;;
esac
exec git "$@"
`;
  writeFileSync(join(bin, "git"), wrapper, { mode: 0o755 });
  return quasar(at, args, { env: { PATH: `${bin}:${PATH}` } });
}

export interface Outcome {
  /** Whether it was the call that it should have been. */
  readonly isStruck: boolean;
  readonly code: number | null;
  /** What was broken, in words. */
  readonly bad: readonly string[];
}

/** Exit codes that a command may leave with after such a fault. */
const DEFINED: ReadonlySet<number | null> = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 75]);

/** Strikes once, judges what the command says and leaves, and has a plain `quasar resume` continue. */
export async function tryFault(lab: Lab, fault: FaultCase): Promise<Outcome> {
  const { at } = lab;
  await untilAllEnded(at);
  restore(lab);
  const log = join(at.root, "strace.log");
  const when = `${fault.nth}${fault.forGood ? "+" : ""}`;
  const inject = `inject=${fault.call}:error=${fault.errno}:when=${when}`;
  const options = [...LOGGED, "-o", log, "-e", `trace=${fault.call}`, "-e", inject];
  const struck = await strike(lab, fault.process, options);
  if (!isHit(log, at)) return { isStruck: false, code: struck.code, bad: [] };
  const bad: string[] = [];
  const tell = (message: string): void => void bad.push(message);

  const { code, signal, stdout, stderr } = struck;
  if (!DEFINED.has(code)) tell(`left with ${code ?? signal}: ${lastLine(stderr)}`);
  if (/^ {4}at .*:\d+/mu.test(stderr)) tell(`a stack trace: ${stderr.slice(0, 300)}`);
  const records = recordsOf(stdout);
  // Where writing fails for good, nothing can be said any more.
  const isMute = fault.process === "runner" && fault.call === "write" && fault.forGood;
  if (code !== 0 && !isMute) {
    const said = records.findLast(({ type }) => type === "error" || type === "result");
    const message = said?.["message"];
    const next = said?.["next"];
    if (typeof message !== "string" || message === "") tell(`says nothing: ${lastLine(stderr)}`);
    else if (!Array.isArray(next) || next.length === 0) tell(`names nothing to do: ${message}`);
    if (said?.["code"] === "ERR_UNEXPECTED")
      tell(`takes it for its own defect: ${String(message)}`);
  }
  for (const runId of runIds(at)) {
    const dir = join(runsOf(at), runId);
    for (const folder of [dir, join(dir, "archive")]) {
      try {
        const loaded = await createFileCheckpointStore({ dir: folder }).load();
        for (const problem of loaded?.problems ?? []) tell(`published: ${problem}`);
      } catch (error) {
        tell(`published: ${String(error)}`);
      }
    }
  }
  bad.push(...(await resumeStruck(lab, { fault, said: `${lab.before}${stdout}`, code })));
  if (fault.call !== "unlink") {
    for (const path of temporaries(at)) tell(`left behind: ${path}`);
  }
  return { isStruck: true, code, bad };
}

/** All cases have one run id, and paths: what the one before has left would work in the next one's place. */
async function untilAllEnded(at: Place): Promise<void> {
  const ids = new Set(runIds(at));
  const isLeft = (processes: ReturnType<typeof listRunProcesses> = []): boolean =>
    processes.some(({ runId }) => ids.has(runId));
  while (isLeft(listRunProcesses())) await sleep(20);
}

interface Struck {
  readonly fault: FaultCase;
  /** What the command printed, before the fault and after. */
  readonly said: string;
  readonly code: number | null;
}

/** To git it is a file that nobody may read, which the coder is asked to put right: a turn more. */
function isOfTheCoder({ process, errno }: FaultCase): boolean {
  return process === "add" && errno === "EACCES";
}

/** A plain `quasar resume` with the fault gone: it has to end as if there had been none. */
async function resumeStruck(
  { at, args, target }: Lab,
  { fault, said, code }: Struck,
): Promise<string[]> {
  const bad: string[] = [];
  const resumed = await quasar(at, ["resume", "--json"]);
  let after = resumed.stdout;
  const hasBegun = recordsOf(said).some(({ type }) => type === "agent_start");
  if (resumed.code === 8 && code !== 0 && !hasBegun && target === "run") {
    const again = await quasar(at, args);
    if (again.code !== 0) bad.push(`a new run left with ${again.code}: ${messageOf(again)}`);
    after = again.stdout;
  } else if (resumed.code !== 0 && !(resumed.code === 8 && isApproved(said))) {
    bad.push(`resume left with ${resumed.code}: ${messageOf(resumed)}`);
  }
  const turns = recordsOf(`${said}\n${after}`)
    .filter(({ type }) => type === "agent_done")
    .map(({ taskId, cycle, role }) => `${String(taskId)} ${String(cycle)} ${String(role)}`);
  if (new Set(turns).size !== turns.length && !isOfTheCoder(fault))
    bad.push(`a turn was paid for twice: ${turns.join()}`);
  const trailers = "%(trailers:key=Quasar-Cycle,valueonly,separator=)";
  const cycles = git(at, "log", `--format=${trailers}`)
    .split("\n")
    .filter((line) => line !== "");
  if (cycles.join() !== "1") bad.push(`the commits are of the cycles ${cycles.join()}`);
  const work = git(at, "ls-tree", "-r", "--name-only", "HEAD").split("\n").join();
  if (work !== "a.txt,work.txt") bad.push(`the tree holds ${work}`);
  else if (git(at, "show", "HEAD:work.txt") !== "right") bad.push("work.txt is not right");
  const dirty = git(at, "status", "--porcelain");
  if (dirty !== "") bad.push(`the tree is not clean: ${dirty}`);
  return bad;
}

function isApproved(said: string): boolean {
  return recordsOf(said).some(({ type }) => type === "task_success" || type === "review_complete");
}

function temporaries({ root }: Place): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".tmp") || path.endsWith(".lock"),
  );
}

interface Said {
  readonly [key: string]: unknown;
  readonly type: string;
}

function recordsOf(stdout: string): readonly Said[] {
  return stdout.split("\n").flatMap((line): readonly Said[] => {
    try {
      return [JSON.parse(line) as Said];
    } catch {
      return []; // cut off by the end of the process, or empty
    }
  });
}

function messageOf({ stdout, stderr }: Finished): string {
  const message = recordsOf(stdout).at(-1)?.["message"];
  return typeof message === "string" ? message : lastLine(stderr);
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
