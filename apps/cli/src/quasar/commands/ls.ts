import { runIds, summarize, removedRun, openWorkspace } from "@quasar/runs";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { nextLines } from "../../shared/output/text.ts";
import { listLines } from "../runs/text.ts";

export interface LsOptions {
  readonly all?: true | undefined;
  readonly json?: true | undefined;
}

const NEWEST = 20;

/** `quasar ls`: the runs of the work tree, a line each. */
export async function lsCommand({ all, json }: LsOptions): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const ids = runIds(workspace);
  const shown = all === true ? ids : ids.slice(0, NEWEST);
  const removed = await removedRun(workspace);
  const runs = [...(removed ? [removed] : []), ...(await summarize(workspace, shown))];
  if (json === true) {
    const { root } = workspace;
    process.stdout.write(jsonLine({ v: JSON_VERSION, type: "ls", root, runs }));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const hidden = ids.length - shown.length;
  const more = hidden === 0 ? [] : [`  and ${hidden} more: quasar ls --all`];
  const nothing = ["no runs in this work tree yet", ...nextLines(['quasar run "…"'], view)];
  write(process.stdout, runs.length === 0 ? nothing : [...listLines(runs, view), ...more]);
  return EXIT.ok;
}
