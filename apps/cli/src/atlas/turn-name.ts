import { shortId } from "@quasar/runs/words";

/** A turn as a person names it: `implement-1.2`, the second one of that run. */
export function nameOfTurn({
  run,
  turnId,
}: {
  readonly run: string;
  readonly turnId: string;
}): string {
  return `${run}.${shortId(turnId)}`;
}

/** What is meant: a task, or a turn of one. */
export interface Named {
  readonly task: string | undefined;
  /** Left out: the task itself is meant. */
  readonly turn?: { readonly run: string; readonly n: string } | undefined;
}

/** `task-` and a UUID. */
const TASK_ID = "task-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const WHOLE_TURN = new RegExp(`^(?<task>${TASK_ID})-(?<turn>.+)$`, "u");
/** The same of a turn's whole id, where it is a task's. */
export function shortTurn(turnId: string): string {
  return WHOLE_TURN.exec(turnId)?.groups?.["turn"] ?? turnId;
}

/** No task and no workspace has a dot in its name. */
const TURN = /^(?<run>.+)\.(?<n>[1-9]\d{0,8})$/u;

/**
 * What the words behind `atlas show` name: `[TASK] [TURN]`, or a turn by its whole id, as `--json` has it.
 *
 * @returns `undefined` where the second word names no turn.
 */
export function namedBy(first: string | undefined, second: string | undefined): Named | undefined {
  const { task, turn } = WHOLE_TURN.exec(first ?? "")?.groups ?? {};
  if (second === undefined && task !== undefined) return namedBy(task, turn);
  const found = TURN.exec(second ?? first ?? "")?.groups;
  if (found === undefined) return second === undefined ? { task: first } : undefined;
  const { run = "", n = "" } = found;
  return { task: second === undefined ? undefined : first, turn: { run, n } };
}
