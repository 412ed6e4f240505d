import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentInvoker, AgentRequest } from "@quasar/agents";
import { expect, test } from "vitest";
import type { ApplyOptions } from "../src/engine/apply.ts";
import type { Told } from "../src/events.ts";
import { answerPhase } from "../src/people/answer.ts";
import { answerQuestion, nebulaOfQuestion } from "../src/people/answer-question.ts";
import { openQuestions } from "../src/people/open-questions.ts";
import {
  agentsOf,
  aPlace,
  MANIFEST,
  newest,
  phase,
  type Place,
  write,
  commonDir,
} from "./place.ts";

const asking = (kind: string, summary = "Which port?"): string =>
  `Done.\n\nQUESTION: ${kind}\nSUMMARY: ${summary}\nOPTION: 80\nOPTION: 8080`;
const APPROVAL = "APPROVED: it is there";

/** A nebula whose agents of phase `a` say these texts, one turn after the other; the last repeats. */
interface Talk {
  readonly coder: readonly string[];
  /** @default it approves */
  readonly reviewer?: readonly string[] | undefined;
}

/** Agents of every phase: the coder writes a file of its phase's name. @returns What they were asked, by phase and role. */
function talking(talk: Talk) {
  const prompts: { readonly who: string; readonly prompt: string }[] = [];
  const optionsOf: ApplyOptions["optionsOf"] = ({ title }) => {
    const { coder, reviewer } = agentsOf({})({ title });
    const saying = (agent: AgentInvoker, texts: readonly string[]): AgentInvoker => ({
      ...agent,
      invoke: async (request: AgentRequest, options) => {
        const who = `${title} ${agent.name}`;
        const turns = prompts.filter((each) => each.who === who).length;
        prompts.push({ who, prompt: request.prompt });
        if (agent.name === "coder") {
          write(request.workTree, { [`${title}.txt`]: `turn ${turns + 1}\n` });
        }
        const result = await agent.invoke(request, options);
        return { ...result, text: texts[Math.min(turns, texts.length - 1)] ?? "" };
      },
    });
    const isMeant = title === "Phase a";
    return {
      coder: saying(coder, isMeant ? talk.coder : ["Done."]),
      reviewer: saying(reviewer, (isMeant ? talk.reviewer : undefined) ?? [APPROVAL]),
    };
  };
  return { prompts, optionsOf };
}

const open = (place: Place) => openQuestions(commonDir(place), newest(place));
const answer = (place: Place, text: string, question = open(place)[0]?.id ?? "") =>
  answerQuestion(commonDir(place), newest(place), { question, text });
const told = ({ told: all }: Place, type: Told["type"]) => all.filter((each) => each.type === type);
const ALONE = { "nebula.toml": MANIFEST, "a.md": phase("a") };
const FILES = { ...ALONE, "b.md": phase("b") };

test("an answer that comes while the engine works stands before the next prompt, once", async () => {
  const place = aPlace({}, ALONE);
  const { prompts, optionsOf } = talking({
    coder: [asking("decision_needed"), "Done."],
    reviewer: ["ISSUE:\nSEVERITY: major\nDESCRIPTION: bad", APPROVAL],
  });
  const answers: unknown[] = [];
  const { reason } = await place.apply(
    {},
    {
      optionsOf,
      onEvent: (event) => {
        place.told.push(event);
        if (event.type === "question_asked") answers.push(answer(place, "8080"));
      },
    },
  );
  expect(reason).toBe("done");
  // The engine has the lock, and takes it itself.
  expect(answers).toEqual([{ kind: "left" }]);
  const [asked] = told(place, "question_asked");
  expect(asked).toMatchObject({
    ...{ phase: "a", role: "coder", cycle: 1, kind: "decision_needed" },
    ...{ summary: "Which port?", detail: "", options: ["80", "8080"] },
  });
  expect(told(place, "question_answered")).toHaveLength(1);
  const withAnswer = prompts.filter(({ prompt }) => prompt.includes("[HUMAN RESPONSES]"));
  expect(withAnswer.map(({ who }) => who)).toEqual(["Phase a reviewer"]);
  expect(withAnswer[0]?.prompt).toContain('was answered:\n"8080"');
  expect(open(place)).toEqual([]);
});

test("a blocker has its phase wait while the others land, and an answer has its run continue", async () => {
  const place = aPlace({}, FILES);
  const { prompts, optionsOf } = talking({ coder: [asking("blocker"), "Done."] });
  const waiting = await place.apply({}, { optionsOf });
  expect(waiting.reason).toBe("waiting");
  expect(waiting.state.phases.map(({ status }) => status)).toEqual(["awaiting_human", "done"]);
  expect(waiting.state.phases[0]).toMatchObject({ question: "answer", attempt: 1 });
  // Without an answer it waits on, and no agent is asked.
  expect((await place.apply({}, { optionsOf })).reason).toBe("waiting");
  expect(prompts.filter(({ who }) => who.startsWith("Phase a"))).toHaveLength(1);
  expect(answerPhase(commonDir(place), newest(place), { verb: "approve", phase: "a" })).toEqual({
    kind: "refused",
    why: "its agent waits for an answer (quasar nebula answer)",
  });

  expect(answer(place, "8080")).toEqual({ kind: "done" });
  expect(newest(place).phases[0]?.status).toBe("running");
  const { reason, state } = await place.apply({}, { optionsOf });
  expect(reason).toBe("done");
  expect(state.phases[0]?.runs).toEqual(waiting.state.phases[0]?.runs);
  expect(prompts.at(-2)).toMatchObject({ who: "Phase a coder" });
  expect(prompts.at(-2)?.prompt).toContain('was answered:\n"8080"');
});

test("a blocker that is answered while others work continues under the same engine", async () => {
  const place = aPlace({}, FILES);
  const { optionsOf } = talking({ coder: [asking("blocker"), "Done."] });
  const { reason } = await place.apply(
    {},
    {
      optionsOf,
      onEvent: (event) => {
        if (event.type === "phase_waits") answer(place, "8080");
      },
    },
  );
  expect(reason).toBe("done");
});

test("a phase that a blocker stopped is begun again, or left out, as any that waits", async () => {
  const place = aPlace({}, ALONE);
  const { prompts, optionsOf } = talking({ coder: [asking("blocker"), "Done."] });
  await place.apply({}, { optionsOf });
  const [{ id: question } = { id: "" }] = open(place);
  const decide = (verb: "retry" | "skip") =>
    answerPhase(commonDir(place), newest(place), { verb, phase: "a" });
  expect(decide("retry")).toEqual({ kind: "done" });
  expect(open(place)).toEqual([]);
  expect(answer(place, "8080", question)).toMatchObject({
    why: "it was asked in attempt 1, which is over: attempt 2 has not asked it",
  });
  expect((await place.apply({}, { optionsOf })).reason).toBe("done");
  expect(prompts.some(({ prompt }) => prompt.includes("[HUMAN RESPONSES]"))).toBe(false);

  const other = aPlace({}, ALONE);
  await other.apply({}, { optionsOf: talking({ coder: [asking("blocker")] }).optionsOf });
  const before = newest(other);
  const [{ id: blocker } = { id: "" }] = open(other);
  answerPhase(commonDir(other), before, { verb: "skip", phase: "a" });
  expect(newest(other).phases[0]).toMatchObject({ status: "skipped", questions: [] });
  expect(open(other)).toEqual([]);
  // Also where a person was shown it before.
  for (const shown of [before, newest(other)]) {
    expect(
      answerQuestion(commonDir(other), shown, { question: blocker, text: "8080" }),
    ).toMatchObject({ why: "its phase is skipped: no agent needs the answer any more" });
  }
});

test("what nobody answers in time is answered by a fixed sentence, and told to the agents", async () => {
  const files = { ...ALONE, "nebula.toml": `${MANIFEST}[execution]\nhail_timeout = "1ms"\n` };
  const place = aPlace({}, files);
  const { prompts, optionsOf } = talking({ coder: [asking("ambiguity")] });
  let clock = Date.now();
  const now = (): Date => new Date((clock += 2));
  expect((await place.apply({}, { optionsOf, now })).reason).toBe("done");
  expect(told(place, "question_expired")).toMatchObject([{ phase: "a", summary: "Which port?" }]);
  const reviewed = prompts.find(({ who }) => who === "Phase a reviewer");
  expect(reviewed?.prompt).toContain("was not answered in time. Proceed as you think best.");
  const { id } = newest(place);
  const folder = join(commonDir(place), "quasar/nebulae", id, "questions");
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(texts.join("")).toContain(
    "No human response within timeout. Agent proceeded with best judgment.",
  );
});

test("without a timeout a question waits while its run continues, and the next attempt has the answer", async () => {
  const manifest = `${MANIFEST}[execution]\nhail_timeout = "0"\ngate = "review"\n`;
  const place = aPlace({}, { "nebula.toml": manifest, "a.md": phase("a") });
  const { prompts, optionsOf } = talking({ coder: [asking("ambiguity"), "Done."] });
  expect((await place.apply({}, { optionsOf })).reason).toBe("waiting");
  expect(newest(place).phases[0]).toMatchObject({ question: "land" });
  expect(answer(place, "8080")).toEqual({ kind: "done" });
  answerPhase(commonDir(place), newest(place), { verb: "reject", phase: "a", reason: "no" });
  await place.apply({}, { optionsOf });
  const told = prompts.filter(({ prompt }) => prompt.includes('was answered:\n"8080"'));
  expect(told.map(({ who }) => who)).toEqual(["Phase a coder"]);
});

test("a question is over with the attempt in which it was asked: reworked, rejected or landed", async () => {
  const manifest = `${MANIFEST}[execution]\nhail_timeout = "0"\ngate = "review"\n`;
  const place = aPlace({}, { "nebula.toml": manifest, "a.md": phase("a") });
  const { optionsOf } = talking({
    coder: [asking("ambiguity"), asking("ambiguity", "Which host?")],
  });
  await place.apply({}, { optionsOf });
  const [first] = open(place);
  answerPhase(commonDir(place), newest(place), { verb: "reject", phase: "a", reason: "no" });
  expect(newest(place).phases[0]).toMatchObject({ status: "pending", questions: [] });
  expect(answer(place, "8080", first?.id)).toMatchObject({
    why: "it was asked in attempt 1, which is over: attempt 2 has not asked it",
  });
  await place.apply({}, { optionsOf });
  const [second] = open(place);
  expect(open(place)).toMatchObject([{ summary: "Which host?" }]);
  answerPhase(commonDir(place), newest(place), { verb: "approve", phase: "a" });
  expect((await place.apply({}, { optionsOf })).reason).toBe("done");
  expect(newest(place).phases[0]).toMatchObject({ status: "done", questions: [] });
  expect(answer(place, "8080", second?.id)).toMatchObject({
    why: "its phase is done: no agent needs the answer any more",
  });
});

test("a question is answered once, and what is unknown, empty or too long is refused", async () => {
  const place = aPlace({}, ALONE);
  const { optionsOf } = talking({ coder: [asking("blocker")] });
  await place.apply({}, { optionsOf });
  const [{ id } = { id: "" }] = open(place);
  expect(nebulaOfQuestion(commonDir(place), id)?.id).toBe(newest(place).id);
  expect(nebulaOfQuestion(commonDir(place), "../../config")).toBeUndefined();
  for (const text of ["  ", "x".repeat(4001)]) {
    expect(() => answer(place, text, id)).toThrow("1 to 4000 characters");
  }
  const unknown = () => answer(place, "8080", "q-00000000");
  const next = [{ shell: `quasar nebula answer ${id} "your answer"`, note: expect.any(String) }];
  expect(unknown).toThrow(
    expect.objectContaining({ message: 'there is no question "q-00000000"', next }),
  );
  expect(answer(place, "8080", id)).toEqual({ kind: "done" });
  const looks = [
    { shell: `quasar nebula status ${newest(place).id}`, note: "demo: nothing is asked" },
  ];
  expect(unknown).toThrow(expect.objectContaining({ next: looks }));
  expect(answer(place, "80", id)).toEqual({
    kind: "refused",
    why: "it has an answer already, which stays",
  });
});

test.for(["question_asked", "phase_waits", "question_answered"] as const)(
  "interrupted at %s a question is asked once and answered once",
  async (type) => {
    const place = aPlace({}, ALONE);
    const { prompts, optionsOf } = talking({ coder: [asking("blocker"), "Done."] });
    const applyTo = (stop: Told["type"] | undefined) => {
      const ending = new AbortController();
      return place.apply(
        {},
        {
          optionsOf,
          signal: ending.signal,
          onEvent: (event) => {
            place.told.push(event);
            if (event.type === "phase_waits" && stop !== "phase_waits") answer(place, "8080");
            if (event.type === stop) ending.abort();
          },
        },
      );
    };
    await applyTo(type);
    if (type === "phase_waits") answer(place, "8080");
    expect((await applyTo(undefined)).reason).toBe("done");
    expect(told(place, "question_asked")).toHaveLength(1);
    const answered = prompts.filter(({ prompt }) => prompt.includes("[HUMAN RESPONSES]"));
    expect(answered.map(({ who }) => who)).toEqual(["Phase a coder"]);
  },
);

test("a question whose file was there before the state said so is asked once", async () => {
  const place = aPlace({}, ALONE);
  const { optionsOf } = talking({ coder: [asking("blocker"), "Done."] });
  await place.apply({}, { optionsOf });
  const { id, phases } = newest(place);
  const [question] = phases[0]?.questions ?? [];
  const file = join(commonDir(place), "quasar/nebulae", id, "state.toml");
  // As a crash between the two leaves it.
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text
      .replace(`questions = [ "${question}" ]`, "questions = [ ]")
      .replace('status = "awaiting_human"', 'status = "running"'),
  );
  expect(newest(place).phases[0]).toMatchObject({ status: "running", questions: [] });
  expect((await place.apply({}, { optionsOf })).reason).toBe("waiting");
  expect(open(place).map(({ id: each }) => each)).toEqual([question]);
});

test("a state of before there were questions is read, and so is one without a readable question", async () => {
  const place = aPlace({}, ALONE);
  const { optionsOf } = talking({ coder: [asking("blocker"), "Done."] });
  await place.apply({}, { optionsOf });
  const { id } = newest(place);
  const home = join(commonDir(place), "quasar/nebulae", id);
  const [{ id: question } = { id: "" }] = open(place);
  mkdirSync(join(home, "questions"), { recursive: true });
  writeFileSync(join(home, "questions", `${question}.json`), "{}");
  expect((await place.apply({}, { optionsOf })).reason).toBe("waiting");
  expect(open(place)).toEqual([]);
  const file = join(home, "state.toml");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll(/^questions = .*\n/gmu, ""));
  expect(newest(place).phases[0]).toMatchObject({ status: "awaiting_human", questions: [] });
});
