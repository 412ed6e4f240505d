import * as v from "valibot";
import { flag, list, runId, texts, whole } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { snapshot } from "./parts.ts";

const WARNINGS = "What is wrong with others";

export const snapshotsLine = result("snapshots", "Uncommitted work of a run that was kept", {
  runId: runId(),
  snapshots: list(
    v.object({ ...snapshot.entries, paths: texts("What it has changed, from the root") }),
    "Oldest first",
  ),
  warnings: texts(WARNINGS),
});

export const restoreLine = result("restore", "A snapshot was brought back", {
  runId: runId(),
  restored: whole("Number of the snapshot"),
  replaced: v.optional(
    whole("Number of the one that holds what was there; left out: that was all committed"),
  ),
  changedPaths: texts("Paths that are not what they were"),
  isWhole: flag(
    "Whether all of it is back; else its commit is lost, and only what it had changed is",
  ),
  warnings: texts(WARNINGS),
});

export type SnapshotsLine = Printed<typeof snapshotsLine>;
export type RestoreLine = Printed<typeof restoreLine>;
