import { existsSync } from "node:fs";
import { join } from "node:path";
import { createOnce, DurableError, readWholeFile } from "@quasar/durable";
import { namesIn } from "@quasar/process/files";
import { receiptPaths } from "@quasar/receipts";
import * as v from "valibot";

/** Recorded before a command is started: a command of which there is this and no receipt never completed. */
export interface StartedCommand {
  /** Of the receipt that it will have. */
  readonly receiptId: string;
  readonly stepName: string;
  /** From 1. */
  readonly attempt: number;
  readonly command: string;
  /** RFC 3339. */
  readonly startedAt: string;
}

const ENDING = ".started.json";
const MAX_BYTES = 2 ** 18;

const Stored = v.object({
  receipt_id: v.string(),
  step_name: v.string(),
  attempt: v.number(),
  command: v.string(),
  started_at: v.string(),
});

/** @param dir - Of the receipts. On disk when this returns. */
export function keepStarted(dir: string, started: StartedCommand): void {
  receiptPaths(dir, started.receiptId); // refuses what is not fit for a file's name
  createOnce(pathOf(dir, started.receiptId), encodeStarted(started));
}

/**
 * Whether a file of a command that was started is there and is not what the command's receipt makes it.
 * Only its time may be an earlier one.
 */
export function isStartedChanged(dir: string, signed: StartedCommand): boolean {
  const path = pathOf(dir, signed.receiptId);
  const found = readStarted(path);
  if (found === undefined) return existsSync(path);
  const { startedAt } = found.started;
  return (
    startedAt > signed.startedAt || !found.bytes.equals(encodeStarted({ ...signed, startedAt }))
  );
}

function pathOf(dir: string, receiptId: string): string {
  return join(dir, `${receiptId}${ENDING}`);
}

function encodeStarted(started: StartedCommand): Buffer {
  const { receiptId, stepName, attempt, command, startedAt } = started;
  const stored: v.InferOutput<typeof Stored> = {
    receipt_id: receiptId,
    step_name: stepName,
    attempt,
    command,
    started_at: startedAt,
  };
  return Buffer.from(`${JSON.stringify(stored)}\n`);
}

/** All commands that were ever started, oldest first. Files that say nothing are left out. */
export function listStarted(dir: string): readonly StartedCommand[] {
  const started = namesIn(dir).flatMap((name) => {
    const found = name.endsWith(ENDING) ? readStarted(join(dir, name))?.started : undefined;
    return found !== undefined && `${found.receiptId}${ENDING}` === name ? [found] : [];
  });
  return started.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
}

interface FoundStarted {
  readonly bytes: Buffer;
  readonly started: StartedCommand;
}

function readStarted(path: string): FoundStarted | undefined {
  try {
    const bytes = Buffer.from(readWholeFile(path, { maxBytes: MAX_BYTES }) ?? []);
    const parsed = v.safeParse(Stored, JSON.parse(bytes.toString()));
    if (!parsed.success) return undefined;
    const { receipt_id, step_name, attempt, command, started_at } = parsed.output;
    const step = { stepName: step_name, attempt };
    return { bytes, started: { receiptId: receipt_id, ...step, command, startedAt: started_at } };
  } catch (error) {
    if (error instanceof DurableError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
