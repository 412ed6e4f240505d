import { allTurns, findRun, printedPath, readFacts, watchRunTurn } from "@quasar/runs/internal";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { writeTranscript } from "../../shared/output/transcript.ts";
import { turnFacts } from "../../shared/facts/turn.ts";
import { workspaceOfRun } from "../nebula/phase-run.ts";
import type { TurnLine } from "../schemas/show.ts";

/** Which turn is meant: `3` is of the newest run, `<run>.3` of that one; `undefined`: a run is. */
export function namedTurn(
  id: string | undefined,
): { readonly run: string | undefined; readonly n: string } | undefined {
  const [, run, n] = /^(?:(.+)\.)?([1-9]\d{0,8})$/u.exec(id ?? "") ?? [];
  return n === undefined ? undefined : { run, n };
}

/** `quasar show TURN`: what the agent of a turn said and did, in full. */
export async function showTurn(
  { run, n }: NonNullable<ReturnType<typeof namedTurn>>,
  isJson: boolean,
): Promise<ExitCode> {
  const workspace = await workspaceOfRun(run);
  const { id: runId, dir, loaded } = await findRun(workspace, run);
  const turnId = `${runId}.${n}`;
  const turn = allTurns(loaded.checkpoint, readFacts(dir), dir).find(
    (each) => each.turnId === turnId,
  );
  if (turn === undefined) {
    throw new CliError("ERR_USAGE", `run ${runId} has no turn ${n}`, {
      next: [`quasar show ${runId}`],
    });
  }
  await writeTranscript(turn, (options) => watchRunTurn(workspace, runId, turnId, options), {
    file: printedPath(dir, turnId),
    toJson: isJson
      ? (said) => {
          const facts = { ...said, turn: turnFacts(said.turn) };
          return result("turn", { runId, ...facts }, EXIT.ok) satisfies TurnLine;
        }
      : undefined,
  });
  return EXIT.ok;
}
