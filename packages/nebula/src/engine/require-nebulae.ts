import { dirname, join } from "node:path";
import type { Repository } from "@quasar/git";
import { isAncestor } from "@quasar/git/history";
import { shellWord } from "@quasar/runs/text";
import { NebulaError } from "../errors.ts";
import { goOutcome, GO_STATE_FILE } from "../spec/go-state.ts";
import type { NebulaSpec } from "../spec/types.ts";
import { listNebulae } from "../state/list.ts";
import { readGoState } from "../state/mirror.ts";
import { landedPhases } from "../state/state.ts";

/** A nebula that is to begin. */
export interface NewNebula {
  readonly spec: NebulaSpec;
  /** Absolute path of its folder. */
  readonly dir: string;
  /** The commit that it begins at. */
  readonly base: string;
}

/**
 * Refuses a nebula whose base does not have what others have landed that it needs. Of one that the repository does not
 * know, the state file of the Go original counts, in the folder of its name beside this one.
 *
 * @param warn - Called for each that such a file answers for: what it has done may not be in the base.
 * @throws {NebulaError} `ERR_UNFINISHED`; `ERR_INVALID_STATE` where such a file cannot be read.
 */
export async function requireNebulae(
  { root, commonDir }: Repository,
  { spec, dir, base }: NewNebula,
  warn: (message: string) => void,
): Promise<void> {
  for (const name of spec.dependencies.requiresNebulae) {
    const found = listNebulae(commonDir).find((nebula) => nebula.name === name);
    if (found === undefined) {
      const file = join(dirname(dir), name, GO_STATE_FILE);
      if (!isDoneIn(file)) throw unfinished(name, []);
      warn(`the nebula ${JSON.stringify(name)} counts as landed, since ${file} says so`);
      continue;
    }
    if (!found.phases.every(({ status }) => status === "done")) {
      throw unfinished(name, [{ shell: `quasar nebula status ${found.id}` }]);
    }
    const last = landedPhases(found).at(-1);
    if (last === undefined || (await isAncestor(root, last.candidate, base))) continue;
    const message = `the base does not have what the nebula ${JSON.stringify(name)} has landed`;
    const branch = shellWord(found.branch);
    const next = [{ shell: `git merge ${branch}` }, { note: `--base ${branch} begins on it` }];
    throw new NebulaError("ERR_UNFINISHED", message, { next });
  }
}

/** Whether a state file of the Go original has phases, all of them done. */
function isDoneIn(file: string): boolean {
  const phases = [...(readGoState(file)?.phases.values() ?? [])];
  return phases.length > 0 && phases.every(({ status }) => goOutcome(status) === "done");
}

function unfinished(name: string, next: NebulaError["next"]): NebulaError {
  const message = `the nebula ${JSON.stringify(name)}, which this one needs, has not landed all of its phases`;
  return new NebulaError("ERR_UNFINISHED", message, { next });
}
