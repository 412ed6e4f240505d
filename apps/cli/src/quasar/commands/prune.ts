import { openRuns } from "@quasar/runs";
import { parseRunId } from "@quasar/runs/internal";
import { count, jsonLine, size, span } from "@quasar/runs/text";
import { periodMs } from "../../shared/config/kinds.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { listLines } from "../runs/text.ts";
import type { PruneLine } from "../schemas/prune.ts";

export interface PruneOptions {
  readonly olderThan?: string | undefined;
  /** Those, too, that stopped or were interrupted, and could be resumed. */
  readonly stopped?: true | undefined;
  readonly dryRun?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar prune`: removes what is kept of runs that have ended. The only command that deletes. */
export async function pruneCommand(
  id: string | undefined,
  options: PruneOptions,
): Promise<ExitCode> {
  const { olderThan = "30d", dryRun, json } = options;
  const wanted = id === undefined ? undefined : parseRunId(id);
  const age = periodMs(olderThan);
  if (age === undefined) {
    throw new CliError("ERR_USAGE", "--older-than must be a length of time such as 12h or 30d", {
      next: ["quasar prune --dry-run --older-than 30d"],
    });
  }
  const kept = await openRuns(process.cwd());
  const { stopped } = options;
  const pruning = { runId: wanted, olderThanMs: age, stopped, dryRun };
  const { runs, sizeBytes } = await kept.prune(pruning);
  const next = runs.length > 0 && dryRun === true ? [again(wanted, options)] : [];
  if (json === true) {
    const facts = {
      dryRun: dryRun === true,
      runIds: runs.map(({ id: each }) => each),
      sizeBytes,
    };
    const line = result("prune", facts, EXIT.ok, next) satisfies PruneLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const what = `${count(runs.length, "run")} ${dryRun === true ? "would be removed" : "removed"}`;
  const which = stopped === true ? "no run was" : "no run that has ended was";
  const none = `${which} last saved more than ${span(age)} ago`;
  const hint = runs.length > 0 ? [] : labelled(view, "because", none);
  write(process.stdout, [
    view.paint("bold", what),
    ...listLines(runs, view),
    ...freedLines(sizeBytes, dryRun, view),
    ...hint,
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

/** The same command, for real. */
function again(wanted: string | undefined, { olderThan, stopped }: PruneOptions): string {
  const age = wanted ?? `--older-than ${olderThan}`;
  return `quasar prune ${age}${stopped === true ? " --stopped" : ""}`;
}

function freedLines(bytes: number, dryRun: true | undefined, view: View): readonly string[] {
  if (bytes === 0) return [];
  return labelled(view, dryRun === true ? "would free" : "freed", size(bytes));
}
