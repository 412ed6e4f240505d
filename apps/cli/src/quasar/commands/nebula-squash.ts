import { chooseNebula, squashNebula } from "@quasar/nebula/internal";
import { openWorkspace, repositoryOf } from "@quasar/runs/internal";
import { cleanLine, jsonLine, shellWord } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { namesOf } from "../nebula/standing.ts";
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
  const state = chooseNebula(workspace.repositoryId, named, {
    step: (id) => `quasar nebula squash ${id}`,
  });
  const made = await squashNebula(repositoryOf(workspace), state, wanted);
  const { branch, sha, onto: ontoSha, notLanded: missingPhaseIds } = made;
  const next = [`git show --stat ${shellWord(branch)}`, `git merge ${shellWord(branch)}`];
  if (json === true) {
    const names = { nebulaId: state.id, nebula: state.name };
    const facts = { ...names, branch, sha, ontoSha, missingPhaseIds };
    const line = result("nebula_squash", facts, EXIT.ok, next) satisfies NebulaSquashLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    `${cleanLine(branch)} is one commit, ${sha.slice(0, 10)}, on ${ontoSha.slice(0, 10)}`,
    ...missingLines(missingPhaseIds, view),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

function missingLines(ids: readonly string[], view: View): readonly string[] {
  const [names] = namesOf(ids);
  const words = `${names}: not landed, so not in this commit`;
  return names === undefined ? [] : labelled(view, "missing", words, "yellow");
}
