import { join } from "node:path";
import { readWholeFile, removeFile, replaceFile } from "@quasar/durable";
import { makeFolders, namesIn } from "@quasar/process/files";
import * as v from "valibot";
import type { Lease } from "../port/index.ts";
import { MOST_VALUE_BYTES } from "../port/limits.ts";
import { askedSchema } from "./questions.ts";

/** Of a file: what is offered with a run, and what else is in a lease. */
const MOST_BYTES = 2 * MOST_VALUE_BYTES;

const name = v.pipe(v.string(), v.regex(/^[\w-]{1,100}$/u));

const leaseSchema = v.object({
  nebula: v.pipe(v.string(), v.regex(/^[a-z2-7]{10}$/u)),
  work: name,
  epoch: v.object({ n: v.pipe(v.number(), v.safeInteger()), writer: name }),
  ttlMs: v.pipe(v.number(), v.safeInteger()),
  offer: v.object({
    work: name,
    runId: name,
    agents: v.array(v.string()),
    labels: v.array(v.string()),
    task: v.object({
      /** Its id in the nebula; `""`: a conductor of before has offered it. */
      phase: v.optional(v.string(), ""),
      maxBudgetUsd: v.number(),
      asked: askedSchema,
    }),
  }),
  from: v.array(v.object({ n: v.pipe(v.number(), v.safeInteger()), writer: name })),
});

/** The lease of a phase, with what there is to do. */
export type WorkLease = v.InferOutput<typeof leaseSchema>;

/** @throws {v.ValiError} where a conductor has offered something else. */
export function workLease(lease: Lease): WorkLease {
  return v.parse(leaseSchema, lease);
}

/** Keeps what this machine holds: a worker that is started again continues it. */
export function keepLease(folder: string, lease: WorkLease): void {
  makeFolders(folder);
  const text = `${JSON.stringify(lease)}\n`;
  replaceFile(pathOf(folder, lease), Buffer.from(text), { keepPrevious: false });
}

export function dropLease(folder: string, lease: Pick<WorkLease, "work">): void {
  removeFile(pathOf(folder, lease));
}

/** What this machine held when its last worker ended. A file that is not whole is none. */
export function keptLeases(folder: string): readonly WorkLease[] {
  return namesIn(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => {
      try {
        const bytes = readWholeFile(join(folder, file), { maxBytes: MOST_BYTES }) ?? [];
        return [v.parse(leaseSchema, JSON.parse(Buffer.from(bytes).toString()))];
      } catch {
        return [];
      }
    });
}

function pathOf(folder: string, { work }: Pick<WorkLease, "work">): string {
  return join(folder, `${work}.json`);
}
