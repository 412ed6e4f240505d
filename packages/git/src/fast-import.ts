import { Readable } from "node:stream";
import type { ConfigPair } from "./environment.ts";
import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { isSha } from "./revision.ts";
import { git, gitFailed } from "./run.ts";

export interface ImportOptions extends SignalOptions {
  readonly config?: readonly ConfigPair[] | undefined;
}

/**
 * Has `git fast-import` make a commit, and returns the id that it prints. Starts one process.
 *
 * @param stream - Ends with `done` after `feature done`: where it throws before, git takes nothing of it.
 * @throws what the stream throws; {GitError} `ERR_GIT_FAILED` and as `git` does.
 */
export async function importCommit(
  workTree: string,
  stream: AsyncIterable<Buffer>,
  { signal, config }: ImportOptions,
): Promise<string> {
  let failure: { readonly error: unknown } | undefined;
  async function* whole(): AsyncGenerator<Buffer> {
    try {
      yield* stream;
    } catch (error) {
      failure = { error };
    }
  }
  const args = ["fast-import", "--quiet", "--date-format=raw"];
  const input = Readable.from(whole(), { objectMode: false });
  const result = await git("keep", workTree, args, { signal, input, config });
  if (failure !== undefined) throw failure.error;
  if (result.exitCode !== 0) throw gitFailed(args, result);
  const sha = result.stdout.trim();
  if (isSha(sha)) return sha;
  throw new GitError("ERR_GIT_FAILED", "git fast-import did not name its commit");
}
