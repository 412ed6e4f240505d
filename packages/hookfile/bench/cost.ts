import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aGrowingTask, measure } from "../test/cost.ts";

// What an update and an opening cost with 100, 10,000 and 100,000 events: `node bench/cost.ts [most]`.
const most = Number(process.argv[2] ?? 100_000);
const root = mkdtempSync(join(tmpdir(), "hookfile-bench-"));
try {
  const task = aGrowingTask(join(root, "task"));
  const round = (value: number): number => Math.round(value * 100) / 100;
  for (const events of [100, 10_000, 100_000].filter((events) => events <= most)) {
    task.growTo(events, 1);
    const { update, open } = measure(task);
    const files = readdirSync(join(root, "task", "history")).length;
    const kib = (bytes: number): number => round(bytes / 1024);
    process.stdout.write(
      `${JSON.stringify({
        events,
        files,
        update: {
          ms: round(update.ms),
          readKiB: kib(update.read),
          writtenKiB: kib(update.written),
        },
        open: { ms: round(open.ms), readKiB: kib(open.read), writtenKiB: kib(open.written) },
      })}\n`,
    );
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
