import { changedPaths, listSnapshots, type Snapshot } from "@quasar/git";
import { locateRun, openWorkspace, snapshotPrefix } from "@quasar/runs";
import { cleanLine, jsonLine, count, moment } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { nextLines } from "../../shared/output/text.ts";

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
  const snapshots = await listSnapshots(workspace.root, snapshotPrefix(runId));
  const kept = await Promise.all(
    snapshots.map(async (each) => ({ ...each, paths: await pathsOf(workspace.root, each) })),
  );
  if (json === true) {
    const facts = { v: JSON_VERSION, type: "snapshots", runId, snapshots: kept };
    process.stdout.write(jsonLine(facts));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  if (kept.length === 0) {
    write(process.stdout, [`run ${runId} has no snapshots: nothing of it was ever replaced`]);
    return EXIT.ok;
  }
  const rows = kept.map(({ n, createdAt, paths, message }) => [
    String(n),
    cleanLine(moment(createdAt)),
    count(paths.length, "file"),
    cleanLine(message),
  ]);
  const newest = kept.at(-1);
  write(process.stdout, [
    view.paint("bold", `run ${runId}`),
    ...tableLines(
      ["n", "taken", "changes", "because"],
      rows,
      ["right", "left", "left", "left"],
      view,
    ),
    ...nextLines(
      [
        `git diff ${newest?.sha.slice(0, 10)}~ ${newest?.sha.slice(0, 10)}   (see what ${newest?.n} holds)`,
        `quasar restore ${newest?.n} --run ${runId}   (bring it back)`,
      ],
      view,
    ),
  ]);
  return EXIT.ok;
}

function pathsOf(root: string, { head, sha }: Snapshot): Promise<readonly string[]> {
  return changedPaths(root, head, sha);
}
