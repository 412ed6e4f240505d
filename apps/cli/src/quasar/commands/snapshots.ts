import type { RunSnapshot } from "@quasar/runs";
import { locateRun, openWorkspace, runSnapshots, snapshotPaths } from "@quasar/runs/internal";
import { cleanLine, count, jsonLine, moment } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { snapshotFacts } from "../facts/snapshot.ts";
import type { SnapshotsLine } from "../schemas/snapshots.ts";

export interface SnapshotsOptions {
  readonly json?: true | undefined;
}

/** `quasar snapshots`: uncommitted work of a run that was kept before something replaced it. */
export async function snapshotsCommand(
  id: string | undefined,
  { json }: SnapshotsOptions,
): Promise<ExitCode> {
  const workspace = await openWorkspace(process.cwd());
  const { id: runId } = locateRun(workspace, id);
  const { snapshots, problems } = await runSnapshots(workspace, runId);
  const kept = await Promise.all(
    snapshots.map(async (each) => ({ ...each, paths: await snapshotPaths(workspace, each) })),
  );
  const newest = kept.at(-1);
  const next = newest === undefined ? [] : nextSteps(runId, newest);
  if (json === true) {
    const told = kept.map(({ paths, ...each }) => ({ ...snapshotFacts(each), paths }));
    const facts = { runId, snapshots: told, warnings: problems };
    const line = result("snapshots", facts, EXIT.ok, next) satisfies SnapshotsLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const warnings = problems.flatMap((problem) =>
    labelled(view, "warning", cleanLine(problem), "yellow"),
  );
  if (newest === undefined) {
    write(process.stdout, [`run ${runId} has no snapshots`, ...warnings]);
    return EXIT.ok;
  }
  const rows = kept.map(({ n, createdAt, paths, message }) => [
    String(n),
    cleanLine(moment(createdAt)),
    count(paths.length, "file"),
    cleanLine(message),
  ]);
  write(process.stdout, [
    view.paint("bold", `run ${runId}`),
    ...tableLines(
      ["n", "taken", "changes", "because"],
      rows,
      ["right", "left", "left", "left"],
      view,
    ),
    ...warnings,
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

function nextSteps(runId: string, { n, sha: whole, from }: RunSnapshot): readonly string[] {
  const sha = whole.slice(0, 10);
  const see = typeof from === "string" ? [`git diff ${sha}~ ${sha}   # see what ${n} holds`] : [];
  return [...see, `quasar restore ${n} --run ${runId}   # bring it back`];
}
