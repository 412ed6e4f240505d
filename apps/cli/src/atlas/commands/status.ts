import { jsonLine } from "@quasar/runs/text";
import { taskCost } from "@quasar/tasks/record";
import { result } from "../../shared/output/json.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import type { Given } from "../command.ts";
import { costFacts } from "../facts/cost.ts";
import { hookFacts, ownerFacts } from "../facts/hook.ts";
import { stopFacts } from "../facts/output.ts";
import { chainFacts } from "../facts/receipt.ts";
import { recordFacts } from "../facts/task.ts";
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
      owner: owner && ownerFacts(owner),
      stop: stop && stopFacts(stop),
      chain: chainFacts(chain),
      problems,
      quarantined,
      cost: costFacts(cost),
    };
    const stored = { taskRecord: recordFacts(task.task), hook: hookFacts(hook) };
    const all = { ...stored, verdicts: Object.fromEntries(verdicts), ...facts };
    process.stdout.write(jsonLine(result("status", all, exit, next) satisfies StatusLine));
    return exit;
  }
  const now = installation.now().getTime();
  const view = viewOf(process.stdout);
  write(process.stdout, pictureLines({ ...task, now, cost, next, id }, view));
  return exit;
}
