import { findNebula } from "@quasar/nebula";
import { nebulaEvents } from "@quasar/nebula/internal";
import { openWorkspace } from "@quasar/runs/internal";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { viewOf } from "../../shared/output/reporter.ts";
import { createTimeline } from "../../shared/output/timeline.ts";
import { engineFacts } from "../facts/nebula-apply.ts";
import { engineLines } from "../nebula/engine-lines.ts";

export interface NebulaLogOptions {
  readonly json?: true | undefined;
}

/** `quasar nebula log`: what has happened to a nebula, by its journal. */
export async function nebulaLogCommand(
  named: string | undefined,
  { json }: NebulaLogOptions,
): Promise<ExitCode> {
  const { repositoryId } = await openWorkspace(process.cwd());
  const { id } = findNebula(repositoryId, named);
  const timeline = createTimeline(viewOf(process.stdout));
  for (const { at: time, ...event } of nebulaEvents(repositoryId, id)) {
    if (json === true) {
      process.stdout.write(jsonLine({ v: JSON_VERSION, time, ...engineFacts(event) }));
    } else {
      timeline.tell(time, engineLines(event, timeline.view));
    }
  }
  return EXIT.ok;
}
