import * as z from "zod/v4";
import { diffOfRun } from "../places/diff.ts";
import { Long } from "../untrusted/guard.ts";
import { runId } from "./inputs.ts";
import { tool } from "./tool.ts";

const MOST_CHARACTERS = 60_000;

export const runDiff = tool({
  name: "run_diff",
  title: "Changes of a run",
  description: `What a run has committed, as a patch of up to ${MOST_CHARACTERS} characters; with path of one file.`,
  input: z.strictObject({
    id: runId,
    path: z
      .string()
      .min(1)
      .max(4096)
      .regex(/^[^\0]*$/u)
      .optional()
      .describe("A file, from the top folder of the repository; default: all"),
  }),
  async call({ id, path }, { workspace }) {
    const { patch, ...change } = await diffOfRun(workspace, id, path);
    const isCut = patch.length > MOST_CHARACTERS;
    const facts = { ...change, isCut, patch: new Long(patch, MOST_CHARACTERS) };
    return { origin: `changes of run ${id}`, facts };
  },
});
