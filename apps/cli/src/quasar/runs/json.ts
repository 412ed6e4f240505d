import type { RunSummary } from "@quasar/runs";
import { jsonLine } from "@quasar/runs/text";
import { runFacts } from "../facts/run.ts";

/** A line that has runs in it. */
interface RunsLine {
  readonly v: number;
  readonly type: string;
  readonly workTree: string;
  readonly runs: readonly unknown[];
}

/**
 * Writes a line that has runs in it, one after the other as they are read: all of them may be more than memory should
 * hold.
 *
 * @param before - The line's keys before `runs`.
 * @param after - Those after it, by how many runs there were.
 */
export async function writeRunsLine<Line extends RunsLine>(
  stream: NodeJS.WriteStream,
  before: Pick<Line, "v" | "type" | "workTree">,
  runs: AsyncIterable<RunSummary>,
  after: (count: number) => Omit<Line, keyof RunsLine>,
): Promise<void> {
  const inner = (value: object): string => jsonLine(value).slice(1, -2);
  stream.write(`{${inner(before)},"runs":[`);
  let count = 0;
  for await (const run of runs) {
    stream.write(`${count === 0 ? "" : ","}{${inner(runFacts(run))}}`);
    count += 1;
  }
  stream.write(`],${inner(after(count))}}\n`);
}
