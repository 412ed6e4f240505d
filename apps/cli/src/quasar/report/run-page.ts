import { join } from "node:path";
import type { Redactor } from "@quasar/agents/environment";
import type { RunReport } from "@quasar/page";
import type { Workspace } from "@quasar/runs";
import type { RunFacts } from "@quasar/runs/facts";
import { diffsOf, transcriptsOf } from "./evidence.ts";

/** What the page of a run shows. @param run - Without secrets. */
export async function runPage(
  { root, runsDir }: Workspace,
  run: RunFacts,
  redact: Redactor,
): Promise<RunReport> {
  const folders = { workTree: root, dir: join(runsDir, run.id) };
  const transcripts = await transcriptsOf([{ run, folders }], redact);
  return { kind: "run", run, transcripts, diffs: await diffsOf(root, run.commits, redact) };
}
