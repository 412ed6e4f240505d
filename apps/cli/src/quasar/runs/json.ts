import { jsonLine } from "@quasar/runs/text";

/** A record that has runs in it. */
interface RunsLine {
  readonly v: number;
  readonly type: string;
  readonly root: string;
  readonly runs: readonly object[];
}

/**
 * Writes a JSON record that has runs in it, one after the other as they are read: all of them may be more than memory
 * should hold.
 *
 * @param before - The record's keys before `runs`.
 * @param after - Those after it.
 */
export async function writeRunsRecord<Line extends RunsLine>(
  stream: NodeJS.WriteStream,
  before: Pick<Line, "v" | "type" | "root">,
  runs: AsyncIterable<Line["runs"][number]>,
  after: Omit<Line, keyof RunsLine>,
): Promise<void> {
  const inner = (value: object): string => jsonLine(value).slice(1, -2);
  stream.write(`{${inner(before)},"runs":[`);
  let separator = "";
  for await (const run of runs) {
    stream.write(`${separator}{${inner(run)}}`);
    separator = ",";
  }
  const rest = inner(after);
  stream.write(`]${rest === "" ? "" : `,${rest}`}}\n`);
}
