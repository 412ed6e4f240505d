import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { aGrowingTask, type Cost, type GrowingTask, measure } from "../test/cost.ts";

// What an update and an opening cost with 100,000 events beside what they cost with 100, in turn:
// `node bench/cost.ts [--events 100000] [--json]`.
const ROUNDS = 3;
const { values } = parseArgs({
  options: { events: { type: "string", default: "100000" }, json: { type: "boolean" } },
});
const many = Number(values.events);

const root = mkdtempSync(join(tmpdir(), "hookfile-bench-"));
try {
  const big = grown("big", many);
  const pairs = Array.from({ length: ROUNDS }, (_, round) => ({
    ours: measure(big),
    theirs: measure(grown(`small-${round}`, 100)),
  }));
  /** The median of the rounds, by their ratio. */
  const row = (what: string, goal: number, of: (cost: Cost) => number) => {
    const rounds = pairs.map((pair) => ({ ours: of(pair.ours), theirs: of(pair.theirs) }));
    const [median] = rounds
      .map((round) => ({ ...round, ratio: round.ours / round.theirs }))
      .toSorted((a, b) => a.ratio - b.ratio)
      .slice(ROUNDS >> 1);
    return { name: `${what}, ${many} events against 100`, ...median, goal };
  };
  const bytes = row("hook file: bytes that an update writes", 1.5, ({ update }) => update.written);
  const rows = [
    row("hook file: an update", 1.5, ({ update }) => update.ms),
    { name: bytes.name, ratio: bytes.ratio, goal: bytes.goal },
    row("hook file: an opening", 2, ({ open }) => open.ms),
  ];
  if (values.json === true) process.stdout.write(`${JSON.stringify(rows)}\n`);
  else console.table(rows);
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** Ten events at a time, so that there are as many files as after a year of work, in a minute. */
function grown(name: string, events: number): GrowingTask {
  const task = aGrowingTask(join(root, name));
  task.growTo(events, 10);
  return task;
}
