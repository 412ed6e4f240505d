import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agents, done, type Place, quasar } from "./growth.ts";
import { aRepository } from "./place.ts";
import { inPairs, type Row } from "./row.ts";

const [FEW, MANY] = [1000, 10_000];

/** What it costs to look at every run of a tree that has many. */
export async function manyRunsRows(): Promise<Row[]> {
  const scratch = mkdtempSync(join(tmpdir(), "quasar-many-runs-"));
  try {
    const [few, many] = [placeWith(scratch, FEW), placeWith(scratch, MANY)];
    const rows: Row[] = [];
    for (const args of [["status", "--all"], ["doctor"]]) {
      const what = `${args.join(" ")} with 10,000 runs`;
      const look = (at: Place) => () => done(at, quasar, args);
      const { ratio, ms } = await inPairs(3, look(many), look(few));
      const megabytes = peakKiB(scratch, many, args) / 1024;
      rows.push({ what: `${what}, against 1,000`, figure: ratio, atMost: 12, ms });
      rows.push({ what: `${what}: most RSS, MB`, figure: megabytes, atMost: 120 });
    }
    return rows;
  } finally {
    rmSync(scratch, { recursive: true, maxRetries: 5 });
  }
}

/** A work tree with so many runs: a real one, and its copies under other ids. */
function placeWith(scratch: string, count: number): Place {
  const name = `runs-${count}`;
  const made = aRepository(scratch, name);
  const agent = "command:true";
  const at = { ...made, env: { ...made.env, QUASAR_CODER: agent, QUASAR_REVIEWER: agent } };
  done(at, quasar, ["run", "Work.", "--max-cycles", "1", ...agents(scratch, name, 2)], [], [3]);
  const runs = join(at.repository, ".git/quasar/runs");
  const [id = ""] = readdirSync(runs);
  for (let n = 1; n < count; n += 1) {
    const copy = `20200101-000000-${n.toString(16).padStart(6, "0")}`;
    cpSync(join(runs, id), join(runs, copy), { recursive: true });
  }
  return at;
}

/** The most memory that a command has had at a time, as the kernel counts it. */
function peakKiB(scratch: string, at: Place, args: readonly string[]): number {
  const file = join(scratch, "peak");
  const atExit = `import { readFileSync, writeFileSync } from "node:fs";
    const keep = () => writeFileSync(${JSON.stringify(file)}, readFileSync("/proc/self/status"));
    process.on("exit", keep);`;
  const preload = `data:text/javascript,${encodeURIComponent(atExit)}`;
  const options = { cwd: at.repository, env: at.env } as const;
  spawnSync(process.execPath, ["--import", preload, quasar, ...args], options);
  return Number(/^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(file, "utf8"))?.[1]);
}
