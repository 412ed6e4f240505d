import type { Buffer } from "node:buffer";
import { parse } from "smol-toml";
import type { Checkpoint } from "./checkpoint.ts";
import { readFields, readOptionalTable } from "./decode.ts";
import { ARTIFACTS_KEY, HEAD_FIELDS, keysOf, OUTCOME_FIELDS, OUTCOME_KEY } from "./fields.ts";
import type { SealOptions } from "./judge.ts";
import { isMac, unseal } from "./seal.ts";
import type { CheckpointSummary } from "./store.ts";
import type { Table } from "./table.ts";
import { endOfString, scanScalars } from "./toml-source.ts";
import { checkVersion } from "./version.ts";

/** Before it every key of a file of ours has a line of its own. */
const TITLE = "\ntask_title = ";
const KEYS = new Set([...HEAD_FIELDS.flatMap(keysOf), OUTCOME_KEY, ARTIFACTS_KEY]);

/**
 * What a file says first, read without the rest: only of one that our key has sealed, which is as we write it.
 * `undefined` where there is more to know: another's file, one of whose texts some are elsewhere.
 *
 * @throws {Error} For what is not whole or no checkpoint of ours: reading all of it says why.
 */
export function readSummary(
  bytes: Buffer,
  { sealKey, repositoryId }: SealOptions,
): CheckpointSummary | undefined {
  if (sealKey === undefined) return undefined;
  const { body, seal } = unseal(bytes);
  const end = body.indexOf(TITLE);
  if (seal?.mac === undefined || end < 0) return undefined;
  const lines = body.toString("utf8", 0, end).split("\n");
  const head = lines.filter((line) => KEYS.has(line.slice(0, line.indexOf(" = ")))).join("\n");
  const scalars = scanScalars(head);
  const root: Table = parse(head);
  checkVersion(root["version"]);
  const read: Record<string, unknown> = {};
  readFields(read, root, "", HEAD_FIELDS, scalars);
  const subject = read as unknown as CheckpointSummary;
  const isOurs = isMac(seal.mac, seal.sha256, sealKey, { ...subject, repositoryId });
  if (!isOurs || ARTIFACTS_KEY in root) return undefined;
  read["taskTitle"] = readTitle(body, end + TITLE.length);
  readOptionalTable(read, root, OUTCOME_KEY, OUTCOME_FIELDS, scalars);
  return subject;
}

/** The same of a checkpoint that was read. */
export function summaryOf(checkpoint: Checkpoint): CheckpointSummary {
  const head = HEAD_FIELDS.map(({ name }) => [name, checkpoint[name]] as const);
  const { taskTitle, outcome } = checkpoint;
  return { ...Object.fromEntries(head), taskTitle, outcome } as unknown as CheckpointSummary;
}

function readTitle(body: Buffer, start: number): unknown {
  const text = body.toString("utf8", start);
  const value = text.slice(0, endOfString(text, 0, text[0] ?? ""));
  return parse(`title = ${value}`)["title"];
}
