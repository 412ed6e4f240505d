import { canDecide } from "@quasar/nebula/internal";
import { gateId, type PromiseId, type Reply } from "@quasar/nebula/port";
import { cleanLine, jsonLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import type { NebulaAnswerLine } from "../schemas/nebula-apply.ts";
import { type NebulaOfFleet, withFleetNebula } from "./nebula.ts";
import { UNRESOLVED } from "./unresolved.ts";

type Verb = "approve" | "reject" | "retry" | "skip";

export interface DecideOptions {
  readonly fleet: string;
  readonly nebula?: string | undefined;
  readonly reason?: string | undefined;
  readonly final?: true | undefined;
  readonly json?: true | undefined;
}

/** What a person decides of a phase, from any machine. */
export function decideOverFleet(
  verb: Verb,
  phase: string,
  options: DecideOptions,
): Promise<ExitCode> {
  const { reason = "", final, json } = options;
  return decide(verb, phase, options, async (nebula) => {
    const { state } = nebula;
    const found = state.phases.find(({ id }) => id === phase);
    if (found === undefined) {
      throw new CliError("ERR_NOT_FOUND", `there is no phase ${cleanLine(phase)}`, {
        next: stepsOf(nebula),
      });
    }
    if (!canDecide(state, verb, phase)) {
      const message = `${cleanLine(phase)}: there is nothing to ${verb} now; it is ${found.status}`;
      throw new CliError("ERR_STATE", message, { next: stepsOf(nebula) });
    }
    const isFinal = final === true;
    if (verb === "reject" && !isFinal && reason.trim() === "") {
      throw new CliError("ERR_USAGE", "--reason is missing: its agents need to know what is wrong");
    }
    const reply = { verb, reason, isFinal };
    await answer(
      nebula,
      { id: gateId(found), reply, about: phase },
      { phaseId: phase, verb },
      json,
    );
  });
}

/** What a person decides of the plan, from any machine. */
export function decidePlanOverFleet(
  verb: "approve" | "reject",
  options: DecideOptions,
): Promise<ExitCode> {
  return decide(verb, "", options, async (nebula) => {
    const { state } = nebula;
    const reply = { verb, reason: options.reason ?? "" };
    const asked = { id: `plan/${state.revision}` as const, reply, about: "plan" };
    await answer(nebula, asked, { phaseId: "", verb }, options.json);
  });
}

/** Answers a question of an agent, from any machine. */
export async function answerOverFleet(
  question: string,
  text: string,
  { fleet, nebula: named, json }: DecideOptions,
): Promise<ExitCode> {
  const said = text.trim();
  if (said === "") throw new CliError("ERR_USAGE", "the answer is empty");
  const about = cleanLine(question);
  const step = (id: string): string =>
    `quasar nebula answer ${shellWord(about)} ${shellWord(said)} --nebula ${id} --fleet ${fleet}`;
  await withFleetNebula({ fleet, named, step }, async (nebula) => {
    const phase = nebula.state.phases.find(({ questions }) => questions.includes(question));
    if (phase === undefined) {
      throw new CliError("ERR_NOT_FOUND", `no agent waits for an answer to ${about}`, {
        next: stepsOf(nebula),
      });
    }
    const reply = { text: said, agent: "" };
    const facts = { phaseId: phase.id, verb: "answer", questionId: question } as const;
    await answer(nebula, { id: `question/${question}`, reply, about: question }, facts, json);
  });
  return EXIT.ok;
}

async function decide(
  verb: Verb,
  phase: string,
  { fleet, nebula: named }: DecideOptions,
  body: (nebula: NebulaOfFleet) => Promise<void>,
): Promise<ExitCode> {
  const about = phase === "" ? "" : ` ${cleanLine(phase)}`;
  const step = (id: string): string =>
    `quasar nebula ${verb}${about} --nebula ${id} --fleet ${fleet}`;
  // What failed begins again also where all the rest has ended.
  const isForEnded = verb === "retry";
  await withFleetNebula({ fleet, named, step, isForEnded }, body);
  return EXIT.ok;
}

interface Asked {
  readonly id: PromiseId;
  readonly reply: Reply;
  /** The phase, the question, or the plan. */
  readonly about: string;
}

interface Decided extends Pick<NebulaAnswerLine, "phaseId" | "questionId"> {
  readonly verb: NebulaAnswerLine["decision"];
}

async function answer(
  nebula: NebulaOfFleet,
  { id, reply, about }: Asked,
  { verb: decision, ...of }: Decided,
  json: true | undefined,
): Promise<void> {
  const resolved = await nebula.port.resolve(nebula.id, id, reply);
  if (resolved.as !== "resolved") {
    throw new CliError("ERR_STATE", `${cleanLine(about)}: ${UNRESOLVED[resolved.as]}`, {
      next: stepsOf(nebula),
    });
  }
  const next = stepsOf(nebula);
  if (json === true) {
    const facts = { nebulaId: nebula.id, ...of, decision, isTaken: false };
    const line = result("nebula_answer", facts, EXIT.ok, next) satisfies NebulaAnswerLine;
    process.stdout.write(jsonLine(line));
    return;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...labelled(view, cleanLine(about), `${WORDS[decision]} (the machine with the lane takes it)`),
    ...nextLines(next, view),
  ]);
}

const WORDS = {
  approve: "approved",
  reject: "rejected",
  retry: "begins again",
  skip: "skipped",
  answer: "answered, for the next prompt",
} as const satisfies Record<NebulaAnswerLine["decision"], string>;

function stepsOf({ id, url }: NebulaOfFleet): readonly string[] {
  return [`quasar nebula status ${id} --fleet ${url}`];
}
