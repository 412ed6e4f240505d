import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createOnce, removeFile } from "@quasar/durable";
import { makeFolders, namesIn } from "@quasar/process/files";
import type * as v from "valibot";
import { findJson } from "./json-file.ts";
import { quarantine } from "./note-file.ts";

/** A note that nobody has taken yet. */
export interface Note<T> {
  readonly path: string;
  /** `undefined` where the file is not Quasar's. */
  readonly said: T | undefined;
}

/** A note that is taken in its turn. */
export interface NoteToTake {
  readonly path: string;
  /** The phase that it decides about; `undefined`: none. */
  readonly phase?: string | undefined;
  /** Does what it says, and removes it. A crash between the two has it taken again, which changes nothing more. */
  take(): void;
}

/** Leaves a note in a folder for the engine that works on the nebula, durably. */
export function leaveNote(folder: string, said: unknown, now: Date): void {
  makeFolders(folder);
  const stamp = now.toISOString().replaceAll(/[-:.]/gu, "");
  const path = join(folder, `${stamp}-${randomBytes(4).toString("hex")}.json`);
  createOnce(path, Buffer.from(`${JSON.stringify(said)}\n`));
}

/** What is waiting in a folder, oldest first; what is taken while the folder is read is passed over. */
export function waitingNotes<S extends v.GenericSchema>(
  folder: string,
  schema: S,
): readonly Note<v.InferOutput<S>>[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .flatMap((name) => {
      const path = join(folder, name);
      const found = findJson(path, schema);
      if (found.kind === "gone") return [];
      return [{ path, said: found.kind === "said" ? found.said : undefined }];
    });
}

/**
 * A note that was taken, or refused, is not there for a second time; what is none is kept under another name.
 *
 * @returns That name; `undefined` where nothing was kept.
 */
export function removeNote({ path, said }: Note<unknown>): string | undefined {
  if (said === undefined) return quarantine(path);
  removeFile(path);
  return undefined;
}
