import { cleanLine } from "@quasar/runs/text";
import { taskRuns, watchTaskTurn } from "@quasar/tasks/record";
import { result } from "../../shared/output/json.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { writeTranscript } from "../../shared/output/transcript.ts";
import { turnFacts } from "../../shared/facts/turn.ts";
import { findMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import type { TurnLine } from "../schemas/show.ts";
import type { Named } from "../turn-name.ts";

/** `atlas show TURN`: what the agent of a turn said and did, in full. */
export async function showTurn(
  id: string | undefined,
  { run: name, n }: NonNullable<Named["turn"]>,
  isJson: boolean,
): Promise<ExitCode> {
  const { dir, taskId } = await findMeant(openInstallation(), id);
  const { runs } = await taskRuns(dir);
  const run = runs.find((each) => each.name === name);
  const turn = run?.turns.find(({ turnId }) => turnId === `${taskId}-${name}.${n}`);
  if (run === undefined || turn === undefined) {
    const message = `task ${cleanLine(taskId)} has no turn ${cleanLine(`${name}.${n}`)}`;
    throw new CliError("ERR_USAGE", message, { next: [`atlas show ${taskId}`] });
  }
  await writeTranscript(turn, (options) => watchTaskTurn(dir, run, turn.turnId, options), {
    toJson: isJson
      ? (said) => {
          const facts = { ...said, turn: turnFacts(said.turn) };
          return result("turn", { taskId, runName: name, ...facts }, EXIT.ok) satisfies TurnLine;
        }
      : undefined,
  });
  return EXIT.ok;
}
