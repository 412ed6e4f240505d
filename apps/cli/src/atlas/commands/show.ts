import { latestFindings } from "@quasar/runs/internal";
import { jsonLine } from "@quasar/runs/text";
import { taskCost, taskRuns } from "@quasar/tasks/record";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { turnFacts } from "../../shared/facts/turn.ts";
import type { Given } from "../command.ts";
import { stepFacts } from "../facts/hook.ts";
import { chainFacts } from "../facts/receipt.ts";
import { stepResultFacts } from "../facts/task.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import { nextOf } from "../next.ts";
import { chainExit } from "../output/chain-lines.ts";
import { pullRequestOf } from "../output/picture.ts";
import { wholeLines } from "../output/whole-lines.ts";
import type { ShowLine } from "../schemas/show.ts";
import { namedBy } from "../turn-name.ts";
import { showTurn } from "./show-turn.ts";

/** `atlas show`: all there is to know of a task, or of one of its agents' turns. */
export async function showCommand(
  first: string | undefined,
  second: string | undefined,
  { json }: Given,
): Promise<ExitCode> {
  const named = namedBy(first, second);
  if (named === undefined) {
    throw new CliError("ERR_USAGE", `${JSON.stringify(second)} names no turn`, {
      next: [`atlas show ${first}   # lists them`],
    });
  }
  const { task: id, turn } = named;
  if (turn !== undefined) return showTurn(id, turn, json === true);
  const installation = openInstallation();
  const view = await openMeant(installation, id);
  const { hook, task, dir, chain, owner, stop, found, problems, quarantined } = view;
  const [cost, { runs, problems: unread }] = await Promise.all([taskCost(dir), taskRuns(dir)]);
  const next = nextOf(hook, id, owner, stop);
  const exit = chainExit(chain);
  if (json !== true) {
    const now = installation.now().getTime();
    const facts = { ...view, now, cost, next, id, runs };
    write(process.stdout, wholeLines(facts, viewOf(process.stdout)));
    return exit;
  }
  const { taskId, workspaceId, description, template, branch, state, steps, awaiting } = hook;
  const facts = {
    ...{ taskId, workspaceId, dir, description, template, branch },
    workTree: hook.worktreePath,
    baseSha: task.metadata.baseSha,
    pullRequest: pullRequestOf(task),
    ...{ state, found, awaiting },
    steps: steps.map(stepFacts),
    results: task.stepResults.map(stepResultFacts),
    runs: runs.map(({ name, isFinished, checkpoint, turns }) => ({
      name,
      isFinished,
      findings: latestFindings(checkpoint),
      turns: turns.map(turnFacts),
    })),
    spentUsd: cost.spentUsd,
    unknownUsd: cost.unknownUsd,
    maxBudgetUsd: task.config.maxBudgetUsd,
    chain: chainFacts(chain),
    warnings: [...problems.map(({ message }) => message), ...unread],
    quarantined,
  };
  const line = result("show", facts, exit, next) satisfies ShowLine;
  process.stdout.write(jsonLine(line));
  return exit;
}
