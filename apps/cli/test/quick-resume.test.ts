import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents/turns";
import { expect, test } from "vitest";
import {
  type Finished,
  git,
  killAll,
  lastRecord,
  type Place,
  place,
  quasar,
  records,
  start,
  write,
} from "./harness.ts";

/** What `quasar resume` asks of git before the agent begins, where the turn before was killed. */
const QUICK = 3;
/** A snapshot of a tree in which nothing is uncommitted. */
const LOOK = 2;

/** Does something until it is killed, without a word to git. */
const WORKS = "echo begun; exec sleep 600";

/** Says how many git processes there were when it began, and that it is done. */
const COUNTS = "wc -l < git.log > count; echo Done";

/** A place whose git processes are counted. */
interface Counted {
  readonly at: Place;
  readonly env: Readonly<Record<string, string>>;
  readonly agents: readonly string[];
  /** Has the coder do this from its next turn on, in the folder outside the work tree. */
  does(work: string): void;
  /** Starts of git before the last coder that counted began. */
  before(): number;
}

function counted(work = WORKS): Counted {
  const at = place();
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const log = join(at.outside, "git.log");
  const does = (next: string): void => {
    writeFileSync(join(at.outside, "coder.sh"), `cat >/dev/null; cd '${at.outside}'; ${next}\n`);
    writeFileSync(log, "");
  };
  write(at.outside, {
    "bin/git": `#!/bin/sh
      echo "$*" >> '${log}'
      cd '${at.outside}'
      [ -e watched ] && grep -sl "QUASAR_RUN_ID=$(cat watched)" /proc/[0-9]*/environ >> seen
      cd "$OLDPWD"; exec '${real}' "$@"\n`,
  });
  chmodSync(join(at.outside, "bin/git"), 0o755);
  does(work);
  const coder = `command:sh '${join(at.outside, "coder.sh")}'`;
  const reviewer = "command:cat >/dev/null; echo APPROVED: fine";
  return {
    at,
    env: { PATH: `${join(at.outside, "bin")}${delimiter}${at.env["PATH"] ?? ""}` },
    agents: ["--json", "--max-budget", "0", "--coder", coder, "--reviewer", reviewer],
    does,
    before: () => Number(readFileSync(join(at.outside, "count"), "utf8")),
  };
}

/** A run whose runner is killed while its coder works; `all`: the coder too. */
async function killed({ at, agents }: Counted, all = true): Promise<string> {
  const first = start(at, ["run", "Write", ...agents]);
  expect(await first.sees('"text":"begun'), first.stdout()).toBe(true);
  if (all) await killAll(first);
  else first.child.kill("SIGKILL");
  const [{ runId = "" } = {}] = records((await first.finished).stdout) as { runId?: string }[];
  return runId;
}

function resume({ at, agents, env }: Counted): Promise<Finished> {
  return quasar(at, ["resume", ...agents], { env });
}

/** The processes of a run once they are so, or after a minute. */
async function processesOnce(
  runId: string,
  areSo: (pids: readonly number[]) => boolean,
): Promise<readonly number[]> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const pids = findRunProcesses(runId) ?? [];
    if (areSo(pids) || performance.now() > deadline) return pids;
    await sleep(20);
  }
}

/** What the first snapshot of a run has in half.txt. */
async function keptFile(at: Place, runId: string): Promise<string> {
  rmSync(join(at.repo, "half.txt"), { force: true });
  const restored = await quasar(at, ["restore", "1", "--run", runId]);
  expect(restored, restored.stderr).toMatchObject({ code: 0 });
  return readFileSync(join(at.repo, "half.txt"), "utf8");
}

const eventsOf = ({ stdout }: Finished, type: string) =>
  records(stdout).filter((record) => record["type"] === type);

test(`in a clean tree a killed coder is come back to with ${QUICK} git processes`, async () => {
  const of = counted();
  await killed(of);
  of.does(COUNTS);
  const resumed = await resume(of);
  expect(resumed, resumed.stderr).toMatchObject({ code: 0 });
  expect(eventsOf(resumed, "turn_recovered")).toMatchObject([{ how: "restarted" }]);
  expect(of.before()).toBe(QUICK);
});

test("uncommitted work of a killed coder is kept before it is come back to", async () => {
  const of = counted();
  const runId = await killed(of);
  write(of.at.repo, { "half.txt": "half\n" });
  of.does(COUNTS);
  const resumed = await resume(of);
  expect(resumed, resumed.stderr).toMatchObject({ code: 0 });
  expect(await keptFile(of.at, runId)).toBe("half\n");
  expect(of.before()).toBeGreaterThan(QUICK + LOOK);
});

test("git is asked again where a coder without its supervisor was left: it may have written", async () => {
  const of = counted();
  const runId = await killed(of, false);
  const { runs } = lastRecord(await quasar(of.at, ["status", "--json"])) as {
    runs: { openTurn: { alivePid: number } }[];
  };
  const supervisor = runs[0]?.openTurn.alivePid ?? 0;
  process.kill(supervisor, "SIGKILL");
  const left = await processesOnce(runId, (pids) => !pids.includes(supervisor));
  expect(left).not.toEqual([]);
  of.does(COUNTS);
  const resumed = await resume(of);
  expect(resumed, resumed.stderr).toMatchObject({ code: 0 });
  expect(of.before()).toBe(QUICK + LOOK);
});

test("what a coder did while it was followed is kept when it fails and is come back to", async () => {
  const of = counted(`
    echo begun
    if [ -e go ]; then echo Done; exit; fi
    until [ -e go ]; do sleep 0.05; done
    echo half > repo/half.txt; exit 1`);
  const runId = await killed(of, false);
  const resumed = start(of.at, ["resume", ...of.agents]);
  expect(await resumed.sees('"how":"followed"'), resumed.stdout()).toBe(true);
  expect(existsSync(join(of.at.repo, "half.txt"))).toBe(false);
  write(of.at.outside, { go: "" });
  const done = await resumed.finished;
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect(eventsOf(done, "turn_recovered")).toMatchObject([
    { how: "followed" },
    { how: "restarted" },
  ]);
  expect(await keptFile(of.at, runId)).toBe("half\n");
});

// What ran in a moment that is over: only Linux's /proc can be asked by a shell.
test.runIf(process.platform === "linux")(
  "a resume that is refused ends, and what it got ready with it",
  async () => {
    const of = counted();
    const runId = await killed(of);
    write(of.at.repo, { "theirs.txt": "x\n" });
    git(of.at, "add", "theirs.txt");
    git(of.at, "-c", "user.name=Eve", "-c", "user.email=eve@localhost", "commit", "-qm", "Theirs");
    expect(findRunProcesses(runId)).toEqual([]);
    write(of.at.outside, { watched: runId });
    const refused = await resume(of);
    // The processes of the run while git was asked about the tree.
    expect(readFileSync(join(of.at.outside, "seen"), "utf8")).toMatch(/^\/proc\/\d+\/environ\n/u);
    expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining("--accept-head") });
    expect(await processesOnce(runId, (pids) => pids.length === 0)).toEqual([]);
  },
);
