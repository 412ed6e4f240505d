import { openRuns } from "@quasar/runs";
import { listed, parseRunId, processes } from "@quasar/runs/internal";
import { cleanLine, firstLine, jsonLine } from "@quasar/runs/text";
import { ask, canAsk, isYes } from "../../shared/ask.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import { refusePhaseRun } from "../nebula/phase-run.ts";
import type { AbandonLine } from "../schemas/abandon.ts";

export interface AbandonOptions {
  readonly yes?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar abandon`: gives a run up. Its agents are ended; its files, commits and snapshots stay. */
export async function abandonCommand(id: string, options: AbandonOptions): Promise<ExitCode> {
  const wanted = parseRunId(id);
  const runs = await openRuns(process.cwd());
  await refusePhaseRun(runs.workspace, wanted);
  const { task, ended, uncommitted } = await runs.abandon(wanted, {
    mayEnd: (pids) => options.yes === true || askToEnd(pids),
    onProblem: (message) => write(process.stderr, [cleanLine(message)]),
  });
  const next = [
    ...(uncommitted.length === 0 ? [] : UNCOMMITTED_STEPS),
    `quasar prune ${wanted}   # removes its files`,
    'quasar run "…"',
  ];
  if (options.json === true) {
    const facts = { runId: wanted, endedPids: ended, uncommitted };
    const line = result("abandon", facts, EXIT.ok, next) satisfies AbandonLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    view.paint("bold", `abandoned run ${wanted}`),
    ...labelled(view, "task", firstLine(task)),
    ...(ended.length === 0 ? [] : labelled(view, "ended", processes(ended))),
    ...labelled(view, "kept", "its commits, snapshots and files"),
    ...uncommittedLines(uncommitted, view),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

async function askToEnd(pids: readonly number[]): Promise<boolean> {
  const question =
    pids.length === 0
      ? "whether its agent still works cannot be seen. Give the run up all the same? [y/N] "
      : `its agent still works: ${processes(pids)}. End it? [y/N] `;
  return canAsk() && isYes(await ask(question));
}

/** Of the agent or of a person: the run is over, and nobody commits it. */
function uncommittedLines(paths: readonly string[], view: View): readonly string[] {
  if (paths.length === 0) return [];
  return labelled(view, "differs", `${listed(paths).join(", ")} (not committed, left as it is)`);
}

const UNCOMMITTED_STEPS = [
  "git status && git diff   # shows what is not committed",
  "git stash -u   # quarantines it",
];
