import type { NebulaProblem } from "@quasar/nebula/internal";
import type { Workspace } from "@quasar/runs";
import { repositoryOf } from "@quasar/runs/internal";
import { cleanLine, count, fit, shellWord } from "@quasar/runs/text";
import { type Finding, problem, warning } from "../../shared/doctor/finding.ts";
import { stepsInWords } from "../next-steps.ts";
import { nebulaeOf } from "./phase-run.ts";

/** What crashes and people have left of nebulae. A dead engine's lock is none of it: the next engine takes it. */
export async function lookAtNebulae(workspace: Workspace): Promise<readonly Finding[]> {
  const nebulae = await nebulaeOf(workspace);
  return ((await nebulae?.problems(repositoryOf(workspace))) ?? []).map(findingOf);
}

function findingOf(found: NebulaProblem): Finding {
  switch (found.kind) {
    case "unreadable": {
      const { folder, message, next } = found;
      const ways = [`ls -la ${shellWord(folder)}`, ...stepsInWords(next)];
      return problem("nebulae", cleanLine(message), ways);
    }
    case "trees_left": {
      const { nebula, paths } = found;
      const name = fit(cleanLine(nebula.name), 40);
      const message = `nebula ${name} has ended, and keeps ${count(paths.length, "work tree")}`;
      return warning("nebulae", message, [`quasar nebula prune ${nebula.id}`]);
    }
  }
}
