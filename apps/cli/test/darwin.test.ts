import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents";
import { sendSignal } from "@quasar/process";
import { expect, onTestFinished, test } from "vitest";
import { git, lastRecord, type Place, place, quasar, records, start, write } from "./harness.ts";
import { APPROVAL } from "./scripts.ts";

// To the command the machine is a Mac: no /proc, a `ps` that hides the variables of shells, another host
// name in each process. Its agents are shells.

const DARWIN = import.meta.resolve("@quasar/vitest/darwin");

/**
 * A coder that says where it sees another one at work, and waits until it may write. One that has ended, and that
 * the system has not cleared away yet, is at work no more.
 */
const CODER = (outside: string): string => `
  other=$(cat ${outside}/pid 2> /dev/null)
  if [ -n "$other" ] && kill -0 "$other" 2> /dev/null && ! grep -q ') Z ' "/proc/$other/stat"
  then echo "$other" >> ${outside}/two; fi
  echo $$ > ${outside}/pid
  while [ ! -e ${outside}/go ]; do sleep 0.05; done
  echo right > work.txt
`;

function aMac(): Place {
  const at = place();
  write(at.outside, { "coder.sh": CODER(at.outside), review: APPROVAL });
  onTestFinished(() => letWrite(at));
  return { ...at, env: { ...at.env, NODE_OPTIONS: `--import ${DARWIN}` } };
}

const letWrite = (at: Place): void => writeFileSync(join(at.outside, "go"), "");

const AGENTS = ({ outside }: Place): readonly string[] => [
  ...["--coder", `command:sh ${outside}/coder.sh`],
  ...["--reviewer", `command:cat ${outside}/review`],
];

/** The process of the coder that is at work, once it is another one. */
async function coderAfter(at: Place, before: number): Promise<number> {
  for (;;) {
    const path = join(at.outside, "pid");
    const pid = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
    if (pid !== 0 && pid !== before) return pid;
    await sleep(20);
  }
}

function supervisorOf(runId: string): number {
  const isSupervisor = (pid: number): boolean =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("supervisor.js");
  return findRunProcesses(runId)?.find(isSupervisor) ?? 0;
}

const KILLS = {
  runner: ["runner"],
  agent: ["agent"],
  supervisor: ["supervisor"],
  "runner, then the supervisor": ["runner", "supervisor"],
  all: ["runner", "supervisor", "agent"],
} as const;

test.skipIf(process.platform !== "linux").for(Object.entries(KILLS))(
  "on a Mac a run ends the same, and no two agents work at once, where kill -9 hits the %s",
  async ([, killed]) => {
    const at = aMac();
    const args = ["run", "Write", "--json", "--max-budget", "0", ...AGENTS(at)];
    const running = start(at, args);
    const agent = await coderAfter(at, 0);
    const runId = String(records(running.stdout().split("\n")[0] ?? "")[0]?.["runId"]);
    const pids = { runner: running.child.pid ?? 0, agent, supervisor: supervisorOf(runId) };
    for (const each of killed) sendSignal(pids[each], "SIGKILL");

    const isFollowed = killed.join() === "runner";
    const isResumed = killed.some((each) => each === "runner");
    if (isResumed) await running.finished;
    const going = isResumed ? start(at, ["resume", "--json"]) : running;
    if (isFollowed) expect(await going.sees('"how":"followed"'), going.stdout()).toBe(true);
    else await coderAfter(at, agent);
    letWrite(at);

    const done = await going.finished;
    expect(done, done.stderr).toMatchObject({ code: 0 });
    expect(lastRecord(done)).toMatchObject({ outcome: "approved" });
    expect(existsSync(join(at.outside, "two"))).toBe(false);
    expect(git(at, "show", "HEAD:work.txt")).toBe("right");
    expect(git(at, "rev-list", "--count", "HEAD")).toBe("2");
    expect(await quasar(at, ["status"])).toMatchObject({ code: 0 });
    expect(findRunProcesses(runId)).toEqual([]);
  },
);
