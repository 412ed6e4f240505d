import { join } from "node:path";
import { createOnce } from "@quasar/durable";
import { makeFolders } from "@quasar/process/files";
import * as v from "valibot";
import { readJson } from "../../people/json-file.ts";
import type { NebulaHome } from "../../state/home.ts";
import type { Submission } from "../port.ts";
import { digestOf } from "../submission.ts";

const keptSchema = v.object({ digest: v.string(), name: v.string(), depot: v.string() });

export type KeptSubmission = v.InferOutput<typeof keptSchema>;

/** Keeps by what a nebula was submitted; what is there stays. @returns What is there. */
export function keepSubmission(home: NebulaHome, submission: Submission): KeptSubmission {
  const { name, depot } = submission;
  const kept = { digest: digestOf(submission), name, depot };
  makeFolders(home.dir);
  createOnce(pathOf(home), Buffer.from(`${JSON.stringify(kept)}\n`));
  return readSubmission(home) ?? kept;
}

/** `undefined`: it was begun in another way. */
export function readSubmission(home: NebulaHome): KeptSubmission | undefined {
  return readJson(pathOf(home), keptSchema);
}

function pathOf({ dir }: NebulaHome): string {
  return join(dir, "submission.json");
}
