import { currentGitSha } from "@quasar/git";
import { resolveCommit } from "@quasar/git/history";
import { cleanLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";

/** The commit that a nebula begins at: the one that is named, else HEAD. @throws {CliError} `ERR_USAGE` */
export async function baseOf(root: string, named: string | undefined): Promise<string> {
  if (named === undefined) return currentGitSha(root);
  const commit = await resolveCommit(root, named);
  if (commit !== undefined) return commit;
  throw new CliError("ERR_USAGE", `there is no commit ${cleanLine(named)}`, {
    next: ["git log --oneline"],
  });
}
