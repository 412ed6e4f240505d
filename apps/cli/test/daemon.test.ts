import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listRunProcesses } from "@quasar/agents/turns";
import { identityOf, isAlive, sendSignal } from "@quasar/process";
import { cgroupToHoldIn } from "@quasar/vitest/cgroup";
import { describe, expect, onTestFinished, test } from "vitest";
import { ATLAS, atlasPlace } from "./atlas/harness.ts";
import { MAIN, type Place, start, write } from "./harness.ts";
import { APPROVAL } from "./scripts.ts";

// A daemon has left its parent, its group and its session, and has no variables: a cgroup alone can hold it.

/** Says whether the daemon of an earlier one lives; one that the system has not cleared away yet does not. */
const LOOK = (dir: string): string => `
  old=$(cat ${dir}/daemon 2> /dev/null)
  if [ -n "$old" ] && kill -0 "$old" 2> /dev/null && ! grep -q ') Z ' "/proc/$old/stat"
  then echo "$old" >> ${dir}/lived; fi
`;

const WITH_DAEMON = (dir: string): string => `${LOOK(dir)}
  rm -f ${dir}/daemon
  (setsid env -i sh -c 'echo $$ > ${dir}/daemon.new; mv ${dir}/daemon.new ${dir}/daemon; exec sleep 600' \
    > /dev/null 2>&1 < /dev/null &)
  while [ ! -e ${dir}/daemon ]; do sleep 0.02; done
  while [ ! -e ${dir}/go ]; do sleep 0.05; done
  echo right > work.txt
`;

/** Who starts the daemon, by the command, and the exit code when all is done. */
const BY = {
  "an agent of quasar": [MAIN, ["run", "Write", "--json"], "coder", 0],
  "a check of quasar": [MAIN, ["run", "Write", "--json"], "filter", 0],
  "an agent of atlas": [ATLAS, ["start", "Write", "--template", "write"], "coder", 9],
  "a validation command of atlas": [
    ATLAS,
    ["start", "Write", "--template", "check"],
    "validate",
    0,
  ],
} as const;

const FLAGS = ({ outside }: Place, by: "coder" | "filter" | "validate"): readonly string[] => {
  const [coder, daemon] = [`${outside}/coder.sh`, `${outside}/daemon.sh`];
  const agents = ["--coder", `command:sh ${by === "coder" ? daemon : coder}`];
  const reviewer = ["--reviewer", `command:sh ${outside}/reviewer.sh`];
  return [...agents, ...reviewer, ...(by === "coder" ? [] : [`--${by}`, `sh ${daemon}`])];
};

function aPlace(): Place {
  const at = atlasPlace();
  const { outside } = at;
  write(outside, {
    "daemon.sh": WITH_DAEMON(outside),
    "coder.sh": "echo right > work.txt\n",
    "reviewer.sh": `${LOOK(outside)}\ncat ${outside}/review`,
    review: APPROVAL,
  });
  onTestFinished(() => {
    if (existsSync(join(outside, "daemon"))) sendSignal(daemonOf(at), "SIGKILL");
  });
  return at;
}

const daemonOf = ({ outside }: Place): number =>
  Number(readFileSync(join(outside, "daemon"), "utf8"));

async function daemonBegun(at: Place): Promise<number> {
  while (!existsSync(join(at.outside, "daemon"))) await sleep(20);
  return daemonOf(at);
}

/** With force, and at once: no supervisor sees its agent end. */
function killRunsIn({ outside }: Place): void {
  const all = listRunProcesses() ?? [];
  const here = all.filter(({ workTree }) => workTree?.startsWith(outside));
  const runs = new Set(here.map(({ runId }) => runId));
  const pids = all.filter(({ runId }) => runs.has(runId)).map(({ pid }) => pid);
  for (const pid of pids) sendSignal(pid, "SIGSTOP");
  for (const pid of pids) sendSignal(pid, "SIGKILL");
}

describe.skipIf(cgroupToHoldIn() === undefined).for(Object.entries(BY))(
  "a daemon that %s has started",
  ([, [main, args, by, code]]) => {
    test("ends with it", async () => {
      const at = aPlace();
      write(at.outside, { go: "" });
      const done = await start(at, [...args, ...FLAGS(at, by)], { main }).finished;
      expect(done, done.stderr).toMatchObject({ code });
      expect(isAlive(identityOf(daemonOf(at)))).toBe(false);
      expect(existsSync(join(at.outside, "lived"))).toBe(false);
    });

    test("is gone before anything else works, where all was killed and is resumed", async () => {
      const at = aPlace();
      const running = start(at, [...args, ...FLAGS(at, by)], { main });
      const daemon = await daemonBegun(at);
      running.child.kill("SIGKILL");
      await running.finished;
      killRunsIn(at);
      expect(isAlive(identityOf(daemon))).toBe(true);
      write(at.outside, { go: "" });
      const done = await start(at, ["resume"], { main }).finished;
      expect(done, done.stderr).toMatchObject({ code });
      expect(existsSync(join(at.outside, "lived"))).toBe(false);
      expect(isAlive(identityOf(daemon))).toBe(false);
      expect(daemonOf(at)).not.toBe(daemon);
    });
  },
);
