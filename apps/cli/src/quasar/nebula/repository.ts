import { GitError } from "@quasar/git";
import type { Workspace } from "@quasar/runs";
import { openWorkspace } from "@quasar/runs/internal";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";

/**
 * The work tree that a nebula is about: the one that its folder is in, else the one that the command was typed in.
 *
 * @param dir - The nebula's folder, without links.
 * @throws {CliError} `ERR_OTHER_REPOSITORY` where these are of two repositories.
 * @throws {GitError} `ERR_NOT_A_REPOSITORY` where neither is in one.
 */
export async function workspaceOfNebula(dir: string, cwd: string): Promise<Workspace> {
  const own = await openWorkspace(dir).catch(noRepository);
  if (own === undefined) return openWorkspace(cwd);
  const here = await openWorkspace(cwd).catch(noRepository);
  if (here === undefined || own.repositoryId === here.repositoryId) return own;
  const message = `the nebula is in the repository ${cleanLine(own.root)}, and this folder in another one`;
  throw new CliError("ERR_OTHER_REPOSITORY", message, { next: [`cd ${shellWord(own.root)}`] });
}

function noRepository(error: unknown): undefined {
  if (error instanceof GitError && error.code === "ERR_NOT_A_REPOSITORY") return undefined;
  throw error;
}
