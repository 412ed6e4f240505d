import { findNebula } from "@quasar/nebula";
import { squashNebula } from "@quasar/nebula/internal";
import { openWorkspace, repositoryOf } from "@quasar/runs/internal";
import { cleanLine, jsonLine, shellWord } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import type { NebulaSquashLine } from "../schemas/nebula-care.ts";

export interface NebulaSquashOptions {
  readonly onto?: string | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula squash`: a branch of one commit that has all that a nebula has landed. */
export async function nebulaSquashCommand(
  named: string | undefined,
  { onto: wanted, json }: NebulaSquashOptions,
): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const state = findNebula(workspace.repositoryId, named);
  const { branch, sha, onto: ontoSha } = await squashNebula(repositoryOf(workspace), state, wanted);
  const next = [`git show --stat ${shellWord(branch)}`, `git merge ${shellWord(branch)}`];
  if (json === true) {
    const facts = { nebulaId: state.id, nebula: state.name, branch, sha, ontoSha };
    const line = result("nebula_squash", facts, EXIT.ok, next) satisfies NebulaSquashLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  write(process.stdout, [
    `${cleanLine(branch)} is one commit, ${sha.slice(0, 10)}, on ${ontoSha.slice(0, 10)}`,
    ...nextLines(next, viewOf(process.stdout)),
  ]);
  return EXIT.ok;
}
