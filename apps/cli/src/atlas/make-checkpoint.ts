import { CHECKPOINT_TRIGGERS } from "@quasar/hookfile/checkpoints";
import { jsonLine } from "@quasar/runs/text";
import { checkpointTask } from "@quasar/tasks/operations";
import { result } from "../shared/output/json.ts";
import { CliError } from "../shared/errors.ts";
import { EXIT, type ExitCode } from "../shared/exit-codes.ts";
import { viewOf, write } from "../shared/output/reporter.ts";
import { labelled } from "../shared/output/text.ts";
import type { Given } from "./command.ts";
import { checkpointFacts } from "./facts/hook.ts";
import { findMeant } from "./find.ts";
import { openInstallation } from "./installation.ts";
import { checkpointText } from "./output/hook-lines.ts";
import type { CheckpointLine } from "./schemas/hook.ts";

/** Makes a step checkpoint in the task that is meant, also while somebody drives it. */
export async function makeCheckpoint(
  description: string | undefined,
  { trigger: wanted = "manual", task: id, json, auto }: Given,
): Promise<ExitCode> {
  const trigger = CHECKPOINT_TRIGGERS.find((known) => known === wanted);
  if (trigger === undefined) {
    const message = `--trigger must be one of ${CHECKPOINT_TRIGGERS.join(", ")}, not ${wanted}`;
    throw new CliError("ERR_USAGE", message);
  }
  if (trigger !== "manual") {
    const message = `a checkpoint of trigger ${trigger} is made by atlas itself, where it happens`;
    throw new CliError("ERR_USAGE", message, {
      next: ['atlas checkpoint "what has been reached"'],
    });
  }
  const text = description ?? "";
  if (text.trim() === "") {
    throw new CliError("ERR_USAGE", "what has been reached? A checkpoint needs a description", {
      next: ['atlas checkpoint "nil checks are in, tests are not"'],
    });
  }
  const installation = openInstallation();
  const { dir } = await findMeant(installation, id);
  const hook = await checkpointTask(dir, { description: text, trigger, ports: installation });
  const checkpoint = hook.checkpoints.at(-1);
  if (auto === true || checkpoint === undefined) return EXIT.ok;
  if (json === true) {
    const line = { taskId: hook.taskId, checkpoint: checkpointFacts(checkpoint) };
    const printed = result("checkpoint", line, EXIT.ok) satisfies CheckpointLine;
    process.stdout.write(jsonLine(printed));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const { checkpointId, stepName } = checkpoint;
  const where = stepName === "" ? "" : ` in step ${stepName}`;
  write(process.stdout, [
    ...labelled(view, "saved", `${checkpointId}${where}`, "green"),
    ...labelled(view, "", checkpointText(checkpoint)),
  ]);
  return EXIT.ok;
}
