import { countChanges, diffTrees, type FileChange } from "@quasar/git/history";
import type { Workspace } from "@quasar/runs";
import { McpError } from "../errors.ts";
import { readRun } from "./read.ts";

/** What a run has committed, from where it began to where it was saved last. */
export interface RunDiff {
  readonly fromSha: string;
  readonly toSha: string;
  readonly files: readonly FileChange[];
  readonly patch: string;
}

/**
 * @param path - Only this file, from the top folder. @default all of them
 * @throws {McpError} `ERR_NOT_FOUND` where the run knows no commits @throws {GitError} where git has them no more
 */
export async function diffOfRun(own: Workspace, id: string, path?: string): Promise<RunDiff> {
  const { baseSha, headSha } = await readRun(own, id);
  if (baseSha === "" || headSha === "") {
    throw new McpError("ERR_NOT_FOUND", `run ${id} knows no commits`);
  }
  const paths = path === undefined ? undefined : [path];
  const [files, { text }] = await Promise.all([
    countChanges(own.root, baseSha, headSha, { paths }),
    diffTrees(own.root, baseSha, headSha, { paths }),
  ]);
  return { fromSha: baseSha, toSha: headSha, files, patch: text };
}
