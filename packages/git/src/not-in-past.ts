import type { SignalOptions } from "./head.ts";
import { checkSha } from "./revision.ts";
import { gitOutput } from "./run.ts";

/**
 * Of objects those that are not in the past of some commits. Starts one git process.
 *
 * @param shas - Of commits and tags, or of anything that a ref may name.
 * @throws {GitError} `ERR_BAD_REVISION` unless all are full ids; `ERR_GIT_FAILED`, also where one of them is missing;
 *   `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`; the signal's reason when aborted.
 */
export async function notInPast(
  workTree: string,
  { shas, tips }: { readonly shas: readonly string[]; readonly tips: readonly string[] },
  options: SignalOptions = {},
): Promise<ReadonlySet<string>> {
  if (shas.length === 0) return new Set();
  // Beside commits this lists only what is named by itself: a tag, a blob.
  const args = ["rev-list", "--stdin", "--objects", "--filter=tree:0", "--no-object-names"];
  const lines = [...shas.map(checkSha), ...tips.map((tip) => `^${checkSha(tip)}`)];
  const input = lines.map((line) => `${line}\n`).join("");
  const listed = new Set(
    (await gitOutput("read", workTree, args, { ...options, input })).split("\n"),
  );
  return new Set(shas.filter((sha) => listed.has(sha)));
}
