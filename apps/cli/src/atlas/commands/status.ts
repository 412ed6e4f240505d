import { jsonLine } from "@quasar/runs/text";
import { taskCost } from "@quasar/tasks";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import type { Given } from "../command.ts";
import { costFacts } from "../cost-facts.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import { nextOf } from "../next.ts";
import { chainExit } from "../output/chain-lines.ts";
import { pictureLines } from "../output/picture.ts";
import type { StatusLine } from "../schemas/status.ts";
import { listCommand } from "./list.ts";

/** `atlas status`: the picture of a task. */
export async function statusCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  if (given.all === true) return listCommand(given);
  const installation = openInstallation();
  const task = await openMeant(installation, id);
  const { hook } = task;
  const cost = await taskCost(task.dir);
  const next = nextOf(hook, id, task.owner, task.stop);
  const exit = chainExit(task.chain);
  if (given.json === true) {
    const { dir, verdicts, chain, problems, quarantined, found, owner, stop } = task;
    const facts = {
      dir,
      found,
      owner,
      stop,
      chain,
      problems,
      quarantined,
      cost: costFacts(cost),
      exit,
      next,
    };
    const line = { task: task.task, hook, verdicts: Object.fromEntries(verdicts), ...facts };
    const printed = { v: JSON_VERSION, type: "status", ...line } satisfies StatusLine;
    process.stdout.write(jsonLine(printed));
    return exit;
  }
  const now = installation.now().getTime();
  const view = viewOf(process.stdout);
  write(process.stdout, pictureLines({ ...task, now, cost, next, id }, view));
  return exit;
}
