import { parse } from "smol-toml";
import type { Checkpoint } from "./checkpoint.ts";
import { readFields } from "./decode.ts";
import { HEAD_FIELDS } from "./fields.ts";
import type { Table } from "./table.ts";
import { scanScalars } from "./toml-source.ts";

/** How much of a file is read for its head. */
export const HEAD_BYTES: number = 4096;

/**
 * What a listing shows of a checkpoint. It comes from the first bytes of the file and nothing was
 * verified: to be shown, not to be acted on.
 */
export interface CheckpointHead
  extends Pick<
    Checkpoint,
    | "version"
    | "phaseId"
    | "nebulaName"
    | "createdAt"
    | "gitSha"
    | "taskBeadId"
    | "cycle"
    | "maxCycles"
    | "phase"
    | "totalCostUsd"
    | "maxBudgetUsd"
    | "revision"
    | "runId"
    | "unknownCostUsd"
    | "baseCommitSha"
    | "refactored"
    | "filterCheckName"
  > {
  /** Name of the file within the store's folder. */
  readonly file: string;
  /** First line of the task's title, as far as it was read. */
  readonly title: string;
}

/** The lines before the first that continues in the next one, or is cut. */
const headLines = /^(?:[A-Za-z_.]+ = (?:'[^'\n]*'|"(?:[^"\\\n]|\\.)*"|[^'"{\n].*)\n)*/;
const title = /^task_title = (?:'''\n([^\n]*)|"""\n([^\n]*)|'([^'\n]*)|"((?:[^"\\\n]|\\.)*))/m;

/**
 * The head of a text that ours or the Go original wrote, of which the end may be missing;
 * `undefined` where the head does not say enough.
 */
export function readHead(text: string, file: string): CheckpointHead | undefined {
  const head = headLines.exec(text)?.[0] ?? "";
  try {
    const root: Table = parse(head);
    const read: Record<string, unknown> = { file, title: readTitle(text) };
    readFields(read, root, "", HEAD_FIELDS, scanScalars(head));
    return read as unknown as CheckpointHead;
  } catch {
    return undefined; // the whole file is going to say why
  }
}

/** The head of a whole checkpoint. */
export function headOf(checkpoint: Checkpoint, file: string): CheckpointHead {
  const entries = HEAD_FIELDS.map(({ name }) => [name, checkpoint[name]] as const);
  const title = firstLine(checkpoint.taskTitle);
  return { ...Object.fromEntries(entries), file, title } as unknown as CheckpointHead;
}

function readTitle(text: string): string {
  const [, literalBlock, block, literal, basic] = title.exec(text) ?? [];
  const escaped = block ?? basic;
  if (escaped === undefined) return firstLine(literalBlock?.replace(/'''$/, "") ?? literal ?? "");
  const first = /^(?:[^"\\]|\\[^nr])*/.exec(escaped)?.[0] ?? "";
  const value = parse(`title = "${first}"`)["title"];
  return typeof value === "string" ? firstLine(value) : "";
}

function firstLine(text: string): string {
  return text.split(/[\r\n]/, 1)[0] ?? "";
}
