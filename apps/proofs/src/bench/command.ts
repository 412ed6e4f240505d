import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../workspace.ts";
import { aRepository, aScript } from "./place.ts";
import { inPairs, median, type Row } from "./row.ts";

const quasar = `${root}apps/cli/dist/main.js`;
const bareNode = () => spawnSync(process.execPath, ["-e", "0"]);

/** What the command costs beside an empty program. */
export async function commandRows(): Promise<Row[]> {
  const scratch = mkdtempSync(join(tmpdir(), "quasar-bench-"));
  try {
    return [await versionRow(), await resumeRow(scratch), gitProcessesRow(scratch)];
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

async function versionRow(): Promise<Row> {
  const ours = () => spawnSync(process.execPath, [quasar, "--version"]);
  const { ratio, ms } = await inPairs(30, ours, bareNode);
  return { what: "quasar --version, against node -e 0", figure: ratio, atMost: 1.4, ms };
}

/** From the start of `quasar resume` to the first instruction of the agent. */
async function resumeRow(scratch: string): Promise<Row> {
  const place = aRepository(scratch, "resume");
  const marker = join(scratch, "agent-started");
  // The agent says when it began, to the nanosecond, and under which pid, then works for ever.
  const agent = aScript(
    scratch,
    "waits",
    `echo "$(date +%s%N) $$" > ${marker}.new
    mv ${marker}.new ${marker}; exec sleep 60`,
  );
  // Without a limit, so that the killed turns do not use up a budget.
  const agents = [
    "--max-budget",
    "0",
    "--coder",
    `command:${agent}`,
    "--reviewer",
    `command:${agent}`,
  ];
  const command = (...args: string[]) =>
    spawn(process.execPath, [quasar, ...args, ...agents], {
      cwd: place.repository,
      env: place.env,
      stdio: "ignore",
    });
  const untilAgentStarts = async (child: ChildProcess): Promise<void> => {
    for (let waited = 0; !existsSync(marker); waited += 2) {
      if (child.exitCode !== null || waited > 20_000) throw new Error("the agent never started");
      await sleep(2);
    }
  };
  const endBoth = async (child: ChildProcess): Promise<number> => {
    const [nanoseconds = "", pid = ""] = readFileSync(marker, "utf8").trim().split(" ");
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    process.kill(Number(pid), "SIGKILL");
    await exited;
    rmSync(marker);
    return Number(BigInt(nanoseconds) / 1000n) / 1000;
  };
  const first = command("run", "Say when you start.");
  await untilAgentStarts(first);
  await endBoth(first);

  const startedAfter: number[] = [];
  const resume = async () => {
    const start = Date.now();
    const child = command("resume");
    await untilAgentStarts(child);
    startedAfter.push((await endBoth(child)) - start);
  };
  const empties: number[] = [];
  const empty = () => {
    const start = performance.now();
    bareNode();
    empties.push(performance.now() - start);
  };
  await inPairs(15, resume, empty);
  const { ratio, ms } = compare(startedAfter, empties);
  return {
    what: "quasar resume until the agent starts, against node -e 0",
    figure: ratio,
    atMost: 4,
    ms,
  };
}

/** A run of two cycles starts this many more git processes than a run of one. */
function gitProcessesRow(scratch: string): Row {
  const one = gitProcesses(scratch, 1);
  const two = gitProcesses(scratch, 2);
  return { what: "git processes started by a cycle", figure: two - one, atMost: 6 };
}

function gitProcesses(scratch: string, cycles: number): number {
  const place = aRepository(scratch, `git-${cycles}`);
  const log = join(scratch, `git-${cycles}.log`);
  const bin = join(scratch, `bin-${cycles}`);
  mkdirSync(bin);
  const real = spawnSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).stdout.trim();
  const wrapper = join(bin, "git");
  writeFileSync(wrapper, `#!/bin/sh\necho "$*" >> ${log}\nexec ${real} "$@"\n`);
  chmodSync(wrapper, 0o755);
  const counter = join(scratch, `reviews-${cycles}`);
  const coder = aScript(scratch, `coder-${cycles}`, "date +%s%N >> work.txt; echo Done.");
  const reviewer = aScript(
    scratch,
    `reviewer-${cycles}`,
    `echo x >> ${counter}
    if [ "$(wc -l < ${counter})" -ge ${cycles} ]; then echo "APPROVED: fine"; else
    printf 'ISSUE:\\nSEVERITY: major\\nDESCRIPTION: more work\\n'; fi`,
  );
  const args = ["run", "Work.", "--coder", `command:${coder}`, "--reviewer", `command:${reviewer}`];
  const env = { ...place.env, PATH: `${bin}:${process.env["PATH"]}` };
  const run = spawnSync(process.execPath, [quasar, ...args], {
    cwd: place.repository,
    env,
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Error(`a run of ${cycles} cycles failed: ${run.stderr}`);
  return readFileSync(log, "utf8").trim().split("\n").length;
}

function compare(ours: readonly number[], yardstick: readonly number[]) {
  const ms = { ours: median(ours), yardstick: median(yardstick) };
  return { ratio: ms.ours / ms.yardstick, ms };
}
