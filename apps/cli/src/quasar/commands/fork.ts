import { openRuns } from "@quasar/runs";
import { parseRunId, resumeStep } from "@quasar/runs/internal";
import { cleanLine, jsonLine, money, firstLine } from "@quasar/runs/text";
import { result } from "../../shared/output/json.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { stepsInWords } from "../next-steps.ts";
import { stageOf } from "../runs/text.ts";
import type { ForkLine } from "../schemas/fork.ts";

export interface ForkCommandOptions {
  readonly at?: string | undefined;
  readonly trust?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar fork`: a new run that continues from a state of another one, in a work tree of its own. */
export async function forkCommand(id: string, options: ForkCommandOptions): Promise<ExitCode> {
  const from = parseRunId(id);
  const at = options.at === undefined ? undefined : parseCycle(from, options.at);
  const runs = await openRuns(process.cwd());
  const { runId, branch, checkpoint, ...made } = await runs.fork(from, {
    at,
    trust: options.trust,
    onProblem: (message) => write(process.stderr, [message]),
  });
  const { root } = made.workspace;

  const { cycle, phase, gitSha: baseSha, maxBudgetUsd, maxCycles } = checkpoint;
  const next = stepsInWords([{ ...resumeStep(runId, checkpoint), workTree: root }]);
  if (options.json === true) {
    const facts = { runId, fromRunId: from, workTree: root, branch, baseSha, cycle, phase };
    process.stdout.write(jsonLine(result("fork", facts, EXIT.ok, next) satisfies ForkLine));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const limit = maxBudgetUsd === 0 ? "no limit" : money(maxBudgetUsd);
  const where = `cycle ${cycle} of ${maxCycles}, ${stageOf({ phase, openTurn: undefined })}`;
  write(process.stdout, [
    view.paint("bold", `run ${runId}, forked from ${from}`),
    ...labelled(view, "task", firstLine(checkpoint.taskTitle)),
    ...labelled(view, "in", cleanLine(`${root}, branch ${branch}`)),
    ...labelled(view, "stands", `${where}, at commit ${baseSha.slice(0, 10)}`),
    ...labelled(view, "cost", `$0.00 of ${limit}: counted from zero, apart from the other run`),
    ...labelled(view, "without", "what the other run had not committed"),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

function parseCycle(runId: string, text: string): number {
  if (/^[1-9]\d{0,4}$/u.test(text)) return Number(text);
  throw new CliError("ERR_USAGE", "--at must be the number of a cycle, from 1", {
    next: [`quasar show ${runId}`],
  });
}
