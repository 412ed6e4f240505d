import type { Config } from "./config.ts";
import type { SignalOptions } from "./head.ts";
import { git, type GitResult } from "./run.ts";
import type { DirtyPath } from "./dirty-path.ts";

const LITERAL = ":(top,literal)";

/**
 * Asks git to stage paths by their names, for only then it refuses a tracked file outside of the sparse
 * checkout: otherwise it passes over it without a word. Stages nothing. Starts one git process in a
 * sparse checkout.
 *
 * @returns The refusal; `undefined` where there is none.
 */
export async function refusedBySparse(
  workTree: string,
  paths: readonly DirtyPath[],
  config: Config,
  options: SignalOptions,
): Promise<GitResult | undefined> {
  // Bytes that are no UTF-8 cannot be passed on.
  const named = paths.map(({ path }) => path).filter((path) => !path.includes("\ufffd"));
  if (config.get("core.sparsecheckout") !== "true" || named.length === 0) return undefined;
  const input = named.map((path) => `${LITERAL}${path}\0`).join("");
  const list = ["--pathspec-from-file=-", "--pathspec-file-nul"];
  const args = ["add", "--all", "--dry-run", "--ignore-missing", ...list];
  const result = await git("write", workTree, args, { ...options, input });
  if (result.exitCode === 0) return undefined;
  return { ...result, stderr: result.stderr.replaceAll(LITERAL, "") };
}
