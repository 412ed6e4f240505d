import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointQuestion } from "@quasar/checkpoint";
import { expect, test } from "vitest";
import { APPROVAL, type Answer, fakeAgent, issue, type Reply } from "../../test/fake-agent.ts";
import { harness, type Harness } from "../../test/harness.ts";
import { runFromCheckpoint, runTask } from "../loop.ts";
import type { LoopOptions } from "../options.ts";
import type { People } from "./people.ts";
import { blockingQuestions } from "./relay.ts";

const TASK = { title: "Do it" };
const asks = (kind: string, summary = "Which?"): string =>
  `Done.\n\nQUESTION: ${kind}\nSUMMARY: ${summary}\n\nCOMMIT: Do it`;

/** People who keep what they are asked, and what they answer to it. */
function somePeople() {
  const asked = new Map<string, CheckpointQuestion>();
  const answers = new Map<string, string | undefined>();
  const people: People = {
    ask: (questions) => questions.forEach((each) => asked.set(each.id, each)),
    answers: () =>
      [...asked.values()]
        .filter(({ id }) => answers.has(id))
        .map((question) => ({ question, text: answers.get(question.id) })),
  };
  const answer = (text: string | undefined): void => {
    for (const id of asked.keys()) if (!answers.has(id)) answers.set(id, text);
  };
  return { people, asked, answer };
}

/** A coder that writes, and says what the test wants. */
function sayingCoder(...replies: readonly string[]) {
  let turns = 0;
  const say =
    (reply: string): Answer =>
    ({ workTree }): Reply => {
      turns += 1;
      writeFileSync(join(workTree, "work.txt"), `turn ${turns}\n`);
      return reply;
    };
  return fakeAgent(replies.map(say));
}

async function run(loop: Harness, change: Partial<LoopOptions> = {}) {
  return runTask(TASK, { ...loop.options, ...change });
}

test("without people no prompt says that an agent may ask, and a question is text", async () => {
  const coder = sayingCoder(asks("blocker"));
  const loop = harness({ coder, commit: { style: "plain" } });
  expect(await run(loop)).toMatchObject({ outcome: "approved" });
  expect(coder.requests[0]?.systemPrompt).not.toContain("QUESTION");
  expect(loop.tree.git("log", "-1", "--format=%B")).toContain("QUESTION: blocker");
});

test("an answer stands before the next prompt, once, and no question is in the commit", async () => {
  const { people, asked, answer } = somePeople();
  const coder = sayingCoder(asks("ambiguity"), "Done.");
  const reviewer = fakeAgent([
    () => {
      answer("The second one.");
      return issue("bad");
    },
    APPROVAL,
  ]);
  const loop = harness({ coder, reviewer, people, commit: { style: "plain" } });
  expect(await run(loop)).toMatchObject({ outcome: "approved", cycle: 2 });
  expect([...asked.values()]).toMatchObject([
    { turnId: "run.1", role: "coder", cycle: 1, kind: "ambiguity", summary: "Which?" },
  ]);
  expect(coder.requests[0]?.systemPrompt).toContain("QUESTION: decision_needed|");
  const prompts = [...reviewer.requests, ...coder.requests].map(({ prompt }) => prompt);
  const told = prompts.filter((prompt) => prompt.includes("[HUMAN RESPONSES]"));
  expect(told).toHaveLength(1);
  expect(coder.requests[1]?.prompt.split("\n\n", 1)[0]).toMatchInlineSnapshot(`
    "[HUMAN RESPONSES]
    The coder's ambiguity about "Which?" (cycle 1) was answered:
    "The second one.""
  `);
  expect(loop.tree.git("log", "--format=%B")).not.toContain("QUESTION");
});

test("the next prompt says that a question had no answer in time", async () => {
  const { people, answer } = somePeople();
  const reviewer = fakeAgent([APPROVAL]);
  const ask: People["ask"] = (questions) => {
    people.ask(questions);
    answer(undefined);
  };
  const loop = harness({ coder: sayingCoder(asks("ambiguity")), reviewer });
  await run(loop, { people: { ...people, ask } });
  expect(reviewer.requests[0]?.prompt).toContain(
    `The coder's ambiguity about "Which?" (cycle 1) was not answered in time. Proceed as you think best.`,
  );
});

test("a blocker of the coder stops the run with its work committed, and the answer has it continue", async () => {
  const { people, answer } = somePeople();
  const coder = sayingCoder(asks("blocker"), "Done.");
  const reviewer = fakeAgent([APPROVAL]);
  const loop = harness({ coder, reviewer, people });
  const stopped = await run(loop);
  expect(stopped).toMatchObject({ outcome: "interrupted", cycle: 1 });
  expect(blockingQuestions(stopped.checkpoint)).toHaveLength(1);
  expect(loop.tree.git("status", "--porcelain")).toBe("");
  // Resumed without an answer it stops there again, and asks nobody.
  const again = await runFromCheckpoint(await loop.stored(), loop.options);
  expect(again).toMatchObject({ outcome: "interrupted" });
  expect([coder.requests.length, reviewer.requests.length]).toEqual([1, 0]);

  answer("The first one.");
  const end = await runFromCheckpoint(await loop.stored(), loop.options);
  expect(end).toMatchObject({ outcome: "approved", cycle: 1 });
  expect(coder.requests[1]?.prompt).toContain('was answered:\n"The first one."');
  expect(reviewer.requests).toHaveLength(1);
  expect(reviewer.requests[0]?.prompt).not.toContain("[HUMAN RESPONSES]");
});

test("a reviewer that cannot judge without an answer is asked again with it", async () => {
  const { people, answer } = somePeople();
  const reviewer = fakeAgent(["QUESTION: blocker\nSUMMARY: Is it meant?", APPROVAL]);
  const loop = harness({ reviewer, people });
  expect(await run(loop)).toMatchObject({ outcome: "interrupted" });
  answer("It is.");
  const end = await runFromCheckpoint(await loop.stored(), loop.options);
  expect(end).toMatchObject({ outcome: "approved", cycle: 1 });
  expect(reviewer.requests[1]?.prompt).toContain('was answered:\n"It is."');
});

test("an approval that asks a blocker is none before the answer", async () => {
  const { people, answer } = somePeople();
  const reviewer = fakeAgent([
    `${APPROVAL}\nQUESTION: blocker\nSUMMARY: Is it meant?`,
    issue("it was not meant"),
    APPROVAL,
  ]);
  const loop = harness({ reviewer, people });
  expect(await run(loop)).toMatchObject({ outcome: "interrupted" });
  answer("No.");
  const end = await runFromCheckpoint(await loop.stored(), loop.options);
  expect(end).toMatchObject({ outcome: "approved", cycle: 2 });
});

test("a turn that is taken again has the same answers before its prompt, and no later one has", async () => {
  const { people, answer } = somePeople();
  const lost = {
    text: "",
    failure: { kind: "unknown", message: "lost", retryable: false },
  } as const;
  const reviewer = fakeAgent([lost, issue("bad"), APPROVAL]);
  const coder = sayingCoder(asks("ambiguity"), "Done.");
  const loop = harness({ coder, reviewer, people });
  const ask: People["ask"] = (questions) => {
    people.ask(questions);
    answer("This one.");
  };
  const options = { ...loop.options, people: { ...people, ask } };
  expect(await runTask(TASK, options)).toMatchObject({ outcome: "agent" });
  expect(await runFromCheckpoint(await loop.stored(), options)).toMatchObject({
    outcome: "approved",
  });
  const isTold = ({ prompt }: { readonly prompt: string }): boolean =>
    prompt.includes("[HUMAN RESPONSES]");
  expect(reviewer.requests.map(isTold)).toEqual([true, true, false]);
  expect(coder.requests.map(isTold)).toEqual([false, false]);
});

test("what was asked before a crash is asked under the same name after it", async () => {
  const coder = sayingCoder(asks("ambiguity"));
  const asked: string[] = [];
  const loop = harness({ coder });
  const people: People = {
    ask: (questions) => {
      asked.push(...questions.map(({ id }) => id));
      if (asked.length === 1) throw new Error("the disk is broken");
    },
    answers: () => [],
  };
  const options = { ...loop.options, people };
  expect(await runTask(TASK, options)).toMatchObject({ outcome: "checkpoint" });
  expect(await runFromCheckpoint(await loop.stored(), options)).toMatchObject({
    outcome: "approved",
  });
  expect(new Set(asked).size).toBe(1);
  expect(coder.requests).toHaveLength(1);
});

test("secrets of the environment are in no question", async () => {
  const { people, asked } = somePeople();
  const redact = (text: string): string => text.replaceAll("hunter2", "[redacted]");
  const loop = harness({ coder: sayingCoder(asks("ambiguity", "Is hunter2 it?")), people, redact });
  await run(loop);
  expect([...asked.values()][0]?.summary).toBe("Is [redacted] it?");
});
