import { openRuns } from "@quasar/runs";
import { listed, locateRun } from "@quasar/runs/internal";
import { cleanLine, count, jsonLine, moment } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import type { RestoreLine } from "../schemas/snapshots.ts";

export interface RestoreOptions {
  readonly run?: string | undefined;
  readonly json?: true | undefined;
}

/** `quasar restore`: makes the files of the work tree what a snapshot holds, and keeps what they were. */
export async function restoreCommand(n: string, options: RestoreOptions): Promise<ExitCode> {
  const wanted = numberOf(n);
  const runs = await openRuns(process.cwd());
  const { id: runId } = locateRun(runs.workspace, options.run);
  const problems: string[] = [];
  const { snapshot, replaced, changed, isWhole } = await runs.restore(runId, wanted, {
    onProblem: (problem) => problems.push(problem),
  });
  const next = changed.length === 0 ? [] : ["git status", undoing(replaced?.n, runId)];
  if (options.json === true) {
    const facts = {
      runId,
      restored: wanted,
      replaced: replaced?.n,
      changedPaths: changed,
      isWhole,
      warnings: problems,
    };
    const line = result("restore", facts, EXIT.ok, next) satisfies RestoreLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const what = `snapshot ${wanted} of run ${runId}, taken ${moment(snapshot.createdAt)}`;
  write(process.stdout, [
    view.paint("bold", cleanLine(`restored ${what}`)),
    ...labelled(view, "changed", changedText(changed)),
    ...labelled(
      view,
      "kept",
      replaced === undefined
        ? "nothing: what was there before was all committed"
        : `what was there before is snapshot ${replaced.n}`,
    ),
    ...(isWhole
      ? []
      : labelled(
          view,
          "warning",
          `commit ${snapshot.head.slice(0, 10)} is lost, so only what the snapshot had changed is back`,
          "yellow",
        )),
    ...problems.flatMap((problem) => labelled(view, "warning", cleanLine(problem), "yellow")),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

/** What was there before is a snapshot, unless git has all of it. */
function undoing(replaced: number | undefined, runId: string): string {
  return replaced === undefined
    ? "git stash -u   # undoes this: what was there was all committed"
    : `quasar restore ${replaced} --run ${runId}   # undoes this`;
}

function numberOf(text: string): number {
  if (/^[1-9]\d{0,8}$/u.test(text)) return Number(text);
  throw new CliError("ERR_USAGE", "a snapshot is named by its number, from 1", {
    next: ["quasar snapshots"],
  });
}

function changedText(paths: readonly string[]): string {
  if (paths.length === 0) return "nothing: the files were like that";
  return `${count(paths.length, "file")}: ${listed(paths).join(", ")}`;
}
