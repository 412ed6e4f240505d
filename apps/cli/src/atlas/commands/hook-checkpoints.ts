import { createHookFileStore } from "@quasar/hookfile";
import { dayAndTime } from "@quasar/runs/internal";
import { jsonLine } from "@quasar/runs/text";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { nextLines } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { checkpointFacts } from "../facts/hook.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import type { CheckpointsLine } from "../schemas/hook.ts";

const HEAD = ["time", "trigger", "step", "commit", "checkpoint", "description"];

/** `atlas hook checkpoints`: every checkpoint of a task, oldest first. */
export async function hookCheckpointsCommand(
  id: string | undefined,
  given: Given,
): Promise<ExitCode> {
  const { dir, hook } = await openMeant(openInstallation(), id);
  const checkpoints = [...createHookFileStore({ dir }).checkpoints()];
  const next = checkpoints.length === 0 ? ['atlas checkpoint "…"'] : [];
  if (given.json === true) {
    const { taskId } = hook;
    const line = result(
      "checkpoints",
      { taskId, checkpoints: checkpoints.map(checkpointFacts) },
      EXIT.ok,
      next,
    ) satisfies CheckpointsLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  if (checkpoints.length === 0) {
    write(process.stdout, ["no checkpoints yet", ...nextLines(next, view)]);
    return EXIT.ok;
  }
  const rows = checkpoints.map((checkpoint) => {
    const { day, time } = dayAndTime(checkpoint.createdAt) ?? { day: "", time: "" };
    const { gitCommit = "", gitDirty } = checkpoint;
    const commit = gitCommit.slice(0, 10) + (gitDirty ? "+" : "");
    const { trigger, stepName, checkpointId, description } = checkpoint;
    return [`${day} ${time}`, trigger, stepName, commit, checkpointId, description];
  });
  write(
    process.stdout,
    tableLines(
      HEAD,
      rows,
      HEAD.map(() => "left" as const),
      view,
    ),
  );
  return EXIT.ok;
}
