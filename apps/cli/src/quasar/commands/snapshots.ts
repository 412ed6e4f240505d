import { locateRun, openWorkspace, runSnapshots, snapshotPaths } from "@quasar/runs/internal";
import { cleanLine, jsonLine, count, moment } from "@quasar/runs/text";
import { snapshotFacts } from "../runs/snapshot-facts.ts";
import type { SnapshotsLine } from "../schemas/snapshots.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";

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
  if (json === true) {
    const told = kept.map(({ paths, ...each }) => ({ ...snapshotFacts(each), paths }));
    const facts = { runId, snapshots: told, problems };
    const line = { v: JSON_VERSION, type: "snapshots", ...facts } satisfies SnapshotsLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const warnings = problems.flatMap((problem) =>
    labelled(view, "warning", cleanLine(problem), "yellow"),
  );
  const newest = kept.at(-1);
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
  const [sha, { n }] = [newest.sha.slice(0, 10), newest];
  const see =
    typeof newest.from === "string" ? [`git diff ${sha}~ ${sha}   (see what ${n} holds)`] : [];
  write(process.stdout, [
    view.paint("bold", `run ${runId}`),
    ...tableLines(
      ["n", "taken", "changes", "because"],
      rows,
      ["right", "left", "left", "left"],
      view,
    ),
    ...warnings,
    ...nextLines([...see, `quasar restore ${n} --run ${runId}   (bring it back)`], view),
  ]);
  return EXIT.ok;
}
