import { setTimeout as sleep } from "node:timers/promises";
import { readdirSync, readFileSync } from "node:fs";
import { createChooser } from "@quasar/durable/testing";
import {
  ATLAS,
  type Finished,
  makePlace,
  type Place,
  QUASAR,
  quasar,
  removePlace,
  type StartOptions,
} from "../blackbox/place.ts";
import {
  agentsOf,
  BUG,
  commit,
  type Expected,
  FIX,
  run,
  type Setting,
  turnsIn,
  write,
} from "./setting.ts";
import { join } from "node:path";

/** When everything is killed: after so many records of a run's output, and so many milliseconds more. */
export interface Kill {
  readonly record: number;
  readonly delayMs: number;
}

/** How a run has ended. */
export interface Ending {
  readonly code: number | null;
  readonly message: string;
  /** How many records its output has. */
  readonly records: number;
  /** Id of HEAD's tree; `""` where there is none. */
  readonly tree: string;
  readonly branch: string;
  readonly dirty: readonly string[];
  /** What is not as the setting expects it, in words. */
  readonly bad: readonly string[];
}

/** The same commits have the same ids, those that a tree names too. */
const DATES = {
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
};

/** Has a run in a setting, from its beginning to its end, killed and resumed where that is said. */
export function runIn(setting: Setting, kill?: Kill): Promise<Ending> {
  return inPlace(setting, QUASAR, async (at, start) => {
    const args = ["run", "Fix sum()", "--json", "--max-budget", "0", ...agentsOf(at, setting)];
    const begin = [...args, ...(setting.flags ?? [])];
    const finished = kill === undefined ? await start(begin) : await killed(at, start, begin, kill);
    return endingOf(at, setting.ends, finished, kill !== undefined);
  });
}

/** Has `atlas` take a bugfix to its review in a setting, in a work tree of its own. */
export function bugfixIn(setting: Setting, kill?: Kill): Promise<Ending> {
  return inPlace(setting, ATLAS, async (at, start) => {
    const validated = ["--template", "bugfix", "--validate", "grep -q 'a + b' sum.js"];
    const args = ["start", "Fix sum()", "--json", "--max-budget", "0", ...validated];
    const begin = [...args, ...agentsOf(at, setting)];
    const finished = kill === undefined ? await start(begin) : await killed(at, start, begin, kill);
    const trees = run(at, "git", "worktree", "list", "--porcelain", "-z").split("\0");
    const paths = trees.filter((line) => line.startsWith("worktree "));
    const repo = paths.at(-1)?.slice("worktree ".length) ?? at.repo;
    return endingOf({ ...at, repo }, bugfixEnds(setting), finished);
  });
}

/** It waits for a review where a run would be approved, and has turns of other steps before. */
function bugfixEnds({ ends }: Setting): Expected {
  return { ...ends, code: WAITS_FOR_REVIEW, turns: undefined };
}

/** What `atlas` leaves with where a person has to decide. */
const WAITS_FOR_REVIEW = 9;
const REFUSED = 6;

type Start = (args: readonly string[], options?: StartOptions) => Promise<Finished>;

async function inPlace(
  setting: Setting,
  main: string,
  act: (at: Place, start: Start) => Promise<Ending>,
): Promise<Ending> {
  const place = makePlace("repositories");
  const made = { ...place, env: { ...place.env, ...DATES, ATLAS_HOME: join(place.root, "atlas") } };
  try {
    configure(made);
    const at = setting.lay?.(made) ?? made;
    const under = setting.isUnprivileged === true ? unprivileged() : [];
    return await act(at, (args, options = {}) => quasar(at, args, { ...options, main, under }));
  } finally {
    endAll(made);
    run(made, "chmod", "-R", "u+rwX", made.root); // an agent may have closed a folder
    removePlace(made);
  }
}

/**
 * What runs a command as one to whom the modes of files count; nothing where we are not root. The
 * user stays the same, for the runtime itself may lie in a folder that only root may enter.
 */
function unprivileged(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const dropped = "-dac_override,-dac_read_search";
  return ["setpriv", `--bounding-set=${dropped}`, `--inh-caps=${dropped}`];
}

/** Where a run of so many records is killed, by a seed. */
export function killAt(seed: number, records: number): Kill {
  const chooser = createChooser(seed);
  return { record: 1 + chooser.choose(Math.max(1, records - 1)), delayMs: chooser.choose(150) };
}

function configure(at: Place): void {
  run(at, "git", "config", "--global", "user.name", "Test");
  run(at, "git", "config", "--global", "user.email", "test@localhost");
  write(join(at.repo, "sum.js"), BUG);
  commit(at, "Add sum()");
}

/** Kills the runner and all that belongs to its run, and resumes it. */
async function killed(
  at: Place,
  start: Start,
  args: readonly string[],
  kill: Kill,
): Promise<Finished> {
  let isKilled = false;
  const first = await start(args, {
    onOutput: (stdout) => {
      if (isKilled || recordsOf(stdout).length < kill.record) return;
      isKilled = true;
      setTimeout(() => endAll(at), kill.delayMs);
    },
  });
  if (first.signal === null) return first; // it had ended by itself
  await sleep(20);
  const resumed = await start(["resume", "--json"]);
  if (resumed.code !== NOTHING_TO_RESUME) return resumed;
  const hasBegun = recordsOf(first.stdout).some(({ type }) => type === "agent_start");
  if (!hasBegun) return start(args);
  // It had come to its end, and was killed on its way out.
  const [listed] = recordsOf((await start(["ls", "--all", "--json"])).stdout);
  const [run] = (listed?.["runs"] ?? []) as readonly { readonly status: string }[];
  return run?.status === "approved" ? { ...first, code: 0 } : resumed;
}

const NOTHING_TO_RESUME = 8;

/** Ends, the hard way, every process whose user's home is that of the place. */
function endAll({ env }: Place): void {
  const home = `HOME=${env["HOME"]}`;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/u.test(name))) {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
      if (variables.includes(home)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended by itself, or is not ours to look at.
    }
  }
}

function endingOf(
  at: Place,
  ends: Expected,
  { code, stdout, stderr }: Finished,
  wasKilled: boolean = false,
): Ending {
  const records = recordsOf(stdout);
  const last = records.at(-1);
  const message = JSON.stringify(last?.["message"] ?? stderr.slice(-500));
  const bad: string[] = [];
  const tree = ask(at, "rev-parse", "HEAD^{tree}");
  const dirty = ask(at, "status", "--porcelain")
    .split("\n")
    .filter((line) => line !== "");
  const facts = { code, message, records: records.length, tree, dirty };
  // After a kill it may be the resume that finds it, or half of it, and refuses by the same rule.
  const isRefused = wasKilled && ends.code === 5 && code === REFUSED;
  if (code !== ends.code && !isRefused) {
    bad.push(`left with ${code} and not ${ends.code}: ${message}`);
  }
  if (!isRefused && ends.says?.test(message) === false) {
    bad.push(`says ${message}, not ${ends.says}`);
  }
  const isApproved = ends.code === 0 || ends.code === WAITS_FOR_REVIEW;
  const files = isApproved ? { "sum.js": FIX, ...ends.head } : (ends.head ?? {});
  for (const [path, text] of Object.entries(files)) {
    const found = ask(at, "show", `HEAD:${path}`);
    if (found !== (text ?? "").trimEnd()) bad.push(`HEAD has in ${path}: ${found}`);
  }
  const turns = turnsIn(at);
  if (ends.turns !== undefined && turns !== ends.turns && (!wasKilled || ends.turns === 0)) {
    bad.push(`${turns} turns were taken, not ${ends.turns}`);
  }
  const expected = ends.dirty ?? (isApproved ? [] : undefined);
  if (expected !== undefined && dirty.join("\n") !== expected.join("\n")) {
    bad.push(`git status lists ${dirty.join(", ")}`);
  }
  try {
    ends.also?.(at);
  } catch (error) {
    bad.push(String(error));
  }
  return { ...facts, branch: ask(at, "branch", "--show-current"), bad };
}

/** What git says, `""` where it fails. */
function ask(at: Place, ...args: readonly string[]): string {
  try {
    return run(at, "git", ...args).trimEnd();
  } catch {
    return "";
  }
}

function recordsOf(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Record<string, unknown>];
    } catch {
      return []; // cut off by the end of the process, or empty
    }
  });
}
