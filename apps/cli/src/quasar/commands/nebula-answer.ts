import { type Answer, answerPhase, findNebula } from "@quasar/nebula";
import { openWorkspace } from "@quasar/runs/internal";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { refuseAgents } from "../nebula/refuse-agents.ts";
import { resumeOf } from "../nebula/outcome.ts";
import type { NebulaAnswerLine } from "../schemas/nebula-apply.ts";

export interface NebulaAnswerOptions {
  readonly nebula?: string | undefined;
  readonly reason?: string | undefined;
  readonly final?: true | undefined;
  readonly json?: true | undefined;
}

const DONE: Readonly<Record<Answer["verb"], string>> = {
  approve: "approved: it lands when its turn comes",
  reject: "rejected: it goes back to its agents",
  retry: "begins again on what has landed",
  skip: "skipped, with what needs it",
};

/** `quasar nebula approve`, `reject`, `retry` and `skip`: what a person decides of a phase. */
export async function nebulaAnswerCommand(
  verb: Answer["verb"],
  phase: string,
  { nebula, reason, final, json }: NebulaAnswerOptions,
): Promise<ExitCode> {
  refuseAgents(verb);
  const { repositoryId } = await openWorkspace(process.cwd());
  const state = findNebula(repositoryId, nebula);
  const answer = { verb, phase, reason, isFinal: final === true };
  const answered = answerPhase(repositoryId, state, answer);
  if (answered.kind === "refused") {
    throw new CliError("ERR_STATE", `${cleanLine(phase)}: ${answered.why}`, {
      next: [`quasar nebula status ${state.id} --all`],
    });
  }
  const next = answered.kind === "left" ? [`quasar nebula status ${state.id}`] : [resumeOf(state)];
  if (json === true) {
    const facts = {
      nebulaId: state.id,
      phaseId: phase,
      decision: verb,
      isTaken: answered.kind === "done",
    };
    const line = result("nebula_answer", facts, EXIT.ok, next) satisfies NebulaAnswerLine;
    process.stdout.write(jsonLine(line));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const words =
    verb === "reject" && final === true ? "rejected for good, with what needs it" : DONE[verb];
  const when = answered.kind === "left" ? " (the engine takes it within a second)" : "";
  write(process.stdout, [
    ...labelled(view, cleanLine(phase), `${words}${when}`),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}
