import type { RunSummary } from "@quasar/runs";
import { jsonLine } from "@quasar/runs/text";

/**
 * Writes a JSON record that has runs in it, one after the other as they are read: all of them may be more than memory
 * should hold.
 *
 * @param before - The record's keys before `runs`, at least one.
 * @param after - Those after it.
 */
export async function writeRunsRecord(
  stream: NodeJS.WriteStream,
  before: object,
  runs: AsyncIterable<RunSummary>,
  after: object = {},
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
