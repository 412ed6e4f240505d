import { expect, test } from "vitest";
import { aListener, aRequest, containing } from "../test/request.ts";
import { createCommandAgent } from "./command.ts";

test("gives instructions and prompt on standard input and takes what is printed", async () => {
  const { events, onEvent } = aListener();
  const agent = createCommandAgent({ command: "echo got; cat" });
  const result = await agent.invoke(aRequest({ role: "reviewer" }), { onEvent });
  expect(result).toMatchObject({ costSource: "unknown" });
  expect(result.failure).toBeUndefined();
  expect(result.text).toBe("got\nYou are a coder.\n\nSay hello.");
  expect(result.costUsd).toBeUndefined();
  const said = events.map((event) => (event.type === "text" ? event.text : "?"));
  expect(said.join("")).toBe("got\nYou are a coder.\n\nSay hello.\n");
});

test("what many short lines cost depends on their bytes: those that are read together are one event", async () => {
  const { events, onEvent } = aListener();
  const agent = createCommandAgent({ command: "yes | head -c 2000000" });
  await agent.invoke(aRequest(), { onEvent });
  const said = events.map((event) => (event.type === "text" ? event.text : "?"));
  expect(said.join("")).toBe("y\n".repeat(1_000_000));
  expect(events.length).toBeLessThan(200);
});

test("starts a program without a shell", async () => {
  const agent = createCommandAgent({ file: "printf", args: ["%s", "$HOME `id` | *"] });
  expect(await agent.invoke(aRequest())).toMatchObject({ text: "$HOME `id` | *" });
});

test.for([
  ["its maker's, where the environment has none", {}, "hello"],
  ["the environment's", { GREETING: "hi" }, "hi"],
] as const)("a program gets a default variable: %s", async ([, env, text]) => {
  const agent = createCommandAgent({
    ...{ command: 'echo "$GREETING"', defaultEnv: { GREETING: "hello" } },
    ...{ env: { PATH: process.env["PATH"], ...env }, passEnv: ["GREETING"] },
  });
  expect(await agent.invoke(aRequest())).toMatchObject({ text });
});

test.for([
  ["exits with 2", { command: "echo no >&2; exit 2" }, "unknown", '"command" exited with 2: no'],
  ["is killed", { command: "kill -9 $$" }, "killed", '"command" was killed (SIGKILL)'],
  ["is not there", { file: "/nowhere/agent" }, "not-installed", "/nowhere/agent"],
  ["is not known to the shell", { command: "no-such-agent-x" }, "not-installed", "no-such-agent-x"],
  ["says nothing", { command: "true" }, "empty-answer", "without an answer"],
] as const)("fails for a command that %s", async ([, command, kind, message]) => {
  const { failure } = await createCommandAgent(command).invoke(aRequest({ role: "reviewer" }));
  expect(failure).toMatchObject({ kind, message: containing(message) });
});

test.for([
  ["costs nothing where it fails without a word", "echo no key >&2; exit 2", 0],
  ["has an unknown cost where it said something first", "echo one; exit 2", undefined],
  ["has an unknown cost where it was killed", "kill -9 $$", undefined],
] as const)("%s", async ([, command, costUsd]) => {
  const result = await createCommandAgent({ command }).invoke(aRequest());
  expect(result.failure).toBeDefined();
  expect(result.costUsd).toBe(costUsd);
  expect(result.costSource === "unknown").toBe(costUsd === undefined);
});

const MUCH = "echo begin; head -c 12000000 /dev/zero | tr '\\0' x | fold -w 100000; echo; echo end";

test("of an answer that is too long the beginning and the end are taken", async () => {
  const { text, failure } = await createCommandAgent({ command: MUCH }).invoke(aRequest());
  expect(failure).toBeUndefined();
  expect(text.startsWith("begin\nx")).toBe(true);
  expect(text.endsWith("x\nend")).toBe(true);
  expect(text).toContain("characters are left out here");
  expect(text.length).toBeLessThan(1_100_000);
});

test("a review that is too long to be read is none", async () => {
  const agent = createCommandAgent({ command: MUCH });
  const { failure } = await agent.invoke(aRequest({ role: "reviewer" }));
  expect(failure).toMatchObject({ kind: "output-too-large" });
});

test("tells a missing work tree from a missing program", async () => {
  const request = aRequest({ workTree: "/nowhere/at/all" });
  const { failure } = await createCommandAgent({ command: "true" }).invoke(request);
  expect(failure).toMatchObject({ kind: "usage", message: containing("/nowhere/at") });
});

test("cleans what a failed command said of escapes that would act on a terminal", async () => {
  const command = String.raw`printf '\033[31mred\033]0;title\007\342\200\256evil\n' >&2; exit 1`;
  const { failure } = await createCommandAgent({ command }).invoke(aRequest());
  expect(failure?.message).toBe('"command" exited with 1: redevil');
});

test.for([{ command: " " }, { file: "" }])("refuses %j", (command) => {
  expect(() => createCommandAgent(command)).toThrow(
    expect.objectContaining({ name: "AgentsError", code: "ERR_INVALID_CONFIG" }),
  );
});
