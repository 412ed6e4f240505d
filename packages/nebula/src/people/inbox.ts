import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createOnce, removeFile } from "@quasar/durable";
import { makeFolders, namesIn } from "@quasar/process/files";
import * as v from "valibot";
import type { NebulaHome } from "../state/home.ts";
import { type Decision, decisionSchema } from "./decision.ts";
import { quarantine, readNote } from "./note-file.ts";

/** A decision that nobody has taken yet. */
export interface Waiting {
  readonly path: string;
  /** `undefined` where the file is not Quasar's. */
  readonly decision: Decision | undefined;
}

/** Leaves a decision for the engine that works on the nebula, durably. */
export function leaveDecision({ inbox }: NebulaHome, decision: Decision, now: Date): void {
  makeFolders(inbox);
  const stamp = now.toISOString().replaceAll(/[-:.]/gu, "");
  const path = join(inbox, `${stamp}-${randomBytes(4).toString("hex")}.json`);
  createOnce(path, Buffer.from(`${JSON.stringify(decision)}\n`));
}

/** What is waiting, oldest first. */
export function waitingDecisions({ inbox }: NebulaHome): readonly Waiting[] {
  return namesIn(inbox)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => {
      const path = join(inbox, name);
      return { path, decision: read(path) };
    });
}

/**
 * A decision that was taken, or refused, is not there for a second time; what is none is kept under another name.
 *
 * @returns That name.
 */
export function removeDecision({ path, decision }: Waiting): string | undefined {
  if (decision === undefined) return quarantine(path);
  removeFile(path);
  return undefined;
}

function read(path: string): Decision | undefined {
  try {
    const parsed = v.safeParse(decisionSchema, JSON.parse(readNote(path, 64 * 1024) ?? ""));
    return parsed.success ? parsed.output : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
