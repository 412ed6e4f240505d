import { findNebula } from "@quasar/nebula";
import { chooseNebula, followEvents } from "@quasar/nebula/internal";
import { openWorkspace } from "@quasar/runs/internal";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { section } from "../../shared/output/section.ts";
import { createTimeline } from "../../shared/output/timeline.ts";
import { engineFacts } from "../facts/nebula-apply.ts";
import { engineLines } from "../nebula/engine-lines.ts";
import { lookAtNebula, statusLines } from "../nebula/status.ts";

export interface NebulaLogOptions {
  readonly fleet?: string | undefined;
  readonly follow?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula log`: what has happened to a nebula, by its journal; with `--follow` as it happens, until its engine ends. */
export async function nebulaLogCommand(
  named: string | undefined,
  { fleet, follow, json }: NebulaLogOptions,
): Promise<ExitCode> {
  if (fleet !== undefined) {
    return (await import("../fleet/look.ts")).logOverFleet(named, { fleet, follow, json });
  }
  const workspace = await openWorkspace(process.cwd());
  const { repositoryId } = workspace;
  const { id } = chooseNebula(repositoryId, named, { step: (each) => `quasar nebula log ${each}` });
  const unread = new AbortController();
  process.stdout.once("error", () => unread.abort());
  const { signal } = unread;
  const timeline = createTimeline(viewOf(process.stdout));
  for await (const { at: time, ...event } of followEvents(repositoryId, id, { follow, signal })) {
    if (signal.aborted) return EXIT.ok;
    if (json === true) {
      process.stdout.write(jsonLine({ v: JSON_VERSION, time, ...engineFacts(event) }));
    } else {
      timeline.tell(time, engineLines(event, timeline.view));
    }
  }
  if (follow === true && json !== true && !signal.aborted) {
    const look = await lookAtNebula(workspace, findNebula(repositoryId, id));
    write(process.stdout, section(statusLines(look, viewOf(process.stdout))));
  }
  return EXIT.ok;
}
