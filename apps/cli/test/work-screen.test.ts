import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyArgs, DEMO, GATED, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { Terminal, type TerminalOptions } from "./cockpit/terminal.ts";
import { git, lastRecord, type Place, place, quasar, write } from "./harness.ts";
import { holdingModel, releaseModel } from "./held.ts";
import { agents, oneCycle } from "./scripts.ts";

const TALL = { rows: 40 } as const;

/** `quasar run --watch` on a terminal, whose coder waits until the model is released. */
async function watchedRun(at: Place, options: TerminalOptions = TALL): Promise<Terminal> {
  const turns = oneCycle().map((turn) => ({ ...turn, says: ["Reading a.txt"] }));
  const script = agents(at, turns, { model: await holdingModel(at, "coder") });
  const screen = new Terminal(at, options);
  screen.quasar("run", "Work", "--watch", ...script);
  await screen.until(() => !screen.isUsual() && screen.text().includes("Reading a.txt"));
  return screen;
}

/**
 * Resolves once the shell has the terminal as it had it before.
 *
 * @param code - That the command has left with.
 * @returns What is on the terminal, each text of more than a line as one.
 */
async function givenBack(screen: Terminal, code: number): Promise<string> {
  await screen.prompt(code);
  expect(screen.isUsual()).toBe(true);
  const text = screen.text().replaceAll(/\s+/gu, " ");
  screen.type("clear; stty -a | grep -o ' icanon'\r");
  await screen.until(/^ icanon/mu);
  return text;
}

const statusOf = async (at: Place): Promise<string> => (await quasar(at, ["status"])).stdout;

test("a run has a screen; when that is left the run continues in lines, and ends as without it", async () => {
  const at = place();
  const screen = await watchedRun(at);
  screen.type("q");
  await screen.until("The screen is closed; the work continues here.");
  expect(screen.isUsual()).toBe(true);
  expect(await statusOf(at)).toContain("running");
  releaseModel(at);
  const text = await givenBack(screen, 0);
  expect(text).toMatch(/To open it again: quasar watch \d{8}-\d{6}-[0-9a-f]{6} /u);
  expect(text).toContain("review approved");
  expect(git(at, "show", "HEAD:work.txt")).toBe("right");
});

test("the screen of a run closes with it, and its last lines stay", async () => {
  const at = place();
  const screen = await watchedRun(at);
  releaseModel(at);
  const text = await givenBack(screen, 0);
  expect(text).toContain("approved");
  expect(text).toContain("next git log");
});

test("Ctrl-C on the screen saves the run, and a resume has a screen, too", async () => {
  const at = place();
  const screen = await watchedRun(at);
  screen.type("\u0003");
  const text = await givenBack(screen, 130);
  expect(text).toContain("SIGINT: stopping and saving; press Ctrl-C again to exit now.");
  expect(text).toContain("next quasar resume");
  screen.quasar("resume", "--watch");
  await screen.until(() => !screen.isUsual() && screen.text().includes("cycle 1 of"));
  releaseModel(at);
  expect(await givenBack(screen, 0)).toContain("approved");
});

test.for([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s gives the terminal back, and the run is saved", async ([signal, code]) => {
  const at = place();
  const screen = await watchedRun(at);
  process.kill(screen.pid(), signal);
  expect(await givenBack(screen, code)).toContain(`${signal}: stopping and saving`);
  expect(await statusOf(at)).toContain("interrupted");
  releaseModel(at);
  expect((await quasar(at, ["resume"])).code).toBe(0);
});

test("a run is saved where the window of its screen is closed", async () => {
  const at = place();
  const screen = await watchedRun(at);
  screen.close();
  await expect.poll(() => statusOf(at), { timeout: 30_000 }).toContain("interrupted");
  releaseModel(at);
  expect((await quasar(at, ["resume"])).code).toBe(0);
});

/** Has the command that has a screen do something once there is a file. */
function once(at: Place, file: string, does: string): Record<string, string> {
  const hook = join(at.outside, "hook.mjs");
  writeFileSync(
    hook,
    `import { existsSync } from "node:fs";
    const isThere = () => existsSync(${JSON.stringify(join(at.outside, file))});
    if (process.argv.some((arg) => /^(?:--)?watch$/u.test(arg))) { ${does} }`,
  );
  return { NODE_OPTIONS: `--import=${hook}` };
}

const CANNOT_DRAW = `const { write } = process.stdout;
  process.stdout.write = function (...args) {
    if (!isThere()) return write.apply(this, args);
    process.stdout.write = write;
    throw new Error("it cannot be drawn");
  };`;

test("an error of the cockpit ends the cockpit, and the run that it shows works on", async () => {
  const at = place();
  const run = await watchedRun(at);
  const screen = new Terminal(at, { ...TALL, env: once(at, "breaks", CANNOT_DRAW) });
  screen.quasar("watch");
  await screen.until(() => !screen.isUsual() && screen.text().includes("Reading a.txt"));
  write(at.outside, { breaks: "" });
  expect(await givenBack(screen, 1)).toContain("it cannot be drawn");
  expect(run.isUsual()).toBe(false);
  releaseModel(at);
  await givenBack(run, 0);
});

test("an error of the screen closes the screen, and the run continues in lines", async () => {
  const at = place();
  const env = once(at, "breaks", CANNOT_DRAW);
  const screen = await watchedRun(at, { ...TALL, env });
  write(at.outside, { breaks: "" });
  await screen.until("The screen has failed, and the work continues: it cannot be drawn");
  await screen.until(() => screen.isUsual());
  expect(await statusOf(at)).toContain("running");
  releaseModel(at);
  await givenBack(screen, 0);
});

test("an error of something else ends the command with the terminal given back, and the run is resumed", async () => {
  const at = place();
  const env = once(
    at,
    "breaks",
    `setInterval(() => { if (isThere()) throw new Error("of something else"); }, 50).unref();`,
  );
  const screen = await watchedRun(at, { ...TALL, env });
  write(at.outside, { breaks: "" });
  expect(await givenBack(screen, 1)).toContain("Error: of something else");
  releaseModel(at);
  expect((await quasar(at, ["resume"])).code).toBe(0);
});

test("without a terminal, in CI and for a dumb one --watch has lines; with --json it is refused", async () => {
  const at = place();
  const args = ["run", "Work", "--watch", ...agents(at, oneCycle())];
  const both = await quasar(at, [...args, "--json"]);
  expect(lastRecord(both)).toMatchObject({ code: "ERR_USAGE", exit: 2 });
  const planned = await quasar(at, ["resume", "--plan", "--watch"]);
  expect(planned).toMatchObject({ code: 2, stderr: expect.stringContaining("--plan or --watch") });
  expect((await quasar(at, args)).stdout).toContain("cycle 1");
  for (const env of [{ CI: "true" }, { TERM: "dumb" }]) {
    const screen = new Terminal(at, { ...TALL, env });
    screen.quasar(...args);
    await screen.until("approved after 1 cycle");
    expect(screen.isUsual()).toBe(true);
  }
});

test("a nebula has a screen, where a person accepts a change that then lands", async () => {
  const at = withDemo({ ...GATED, "3.md": phaseText("three", 'depends_on = ["two"]') });
  const screen = new Terminal(at, TALL);
  const turns = workOf("one", "two", "three", "four");
  write(join(at.repo, DEMO), { "4.md": phaseText("four") });
  const slow = turns.map((turn) =>
    turn.match === "Do four." ? { ...turn, delayMs: 20_000 } : turn,
  );
  screen.quasar(...applyArgs(at, slow));
  await screen.until(/! 1 needs you/u);
  expect(screen.isUsual()).toBe(false);
  screen.type("n");
  await screen.until("a accept");
  screen.type("a");
  await screen.until("Sure?");
  screen.type("y");
  await screen.until("two: accepted");
  const text = await givenBack(screen, 0);
  expect(text).toContain("demo: 4 of 4 phases landed on nebula/demo");
  expect(text).toContain("next git merge nebula/demo");
});

test("a nebula's screen closes when it waits for a person; Ctrl-C stops it; a resume has a screen", async () => {
  const at = withDemo();
  const model = await holdingModel(at, "coder");
  const script = agents(at, workOf("one", "two"), { model });
  const screen = new Terminal(at, TALL);
  screen.quasar("nebula", "apply", DEMO, "--auto", "--trust-config", ...script);
  await screen.until(() => !screen.isUsual() && screen.text().includes("1 at work"));
  screen.type("q");
  await screen.until("The screen is closed; the work continues here.");
  screen.type("\u0003");
  expect(await givenBack(screen, 130)).toContain("next quasar nebula apply");
  screen.quasar("nebula", "apply", DEMO, "--auto", "--resume", ...script);
  await screen.until(() => !screen.isUsual() && screen.text().includes("1 at work"));
  releaseModel(at);
  const text = await givenBack(screen, 5);
  expect(text).toContain("waits two: its change is to be approved before it lands");
  expect(text).toContain("quasar nebula approve two");
});

test("a screen does not close while a person decides", async () => {
  const at = withDemo({ ...GATED, "3.md": phaseText("three") });
  const turns = workOf("one", "two", "three").map((turn) =>
    turn.match === "Do three." ? { ...turn, delayMs: 15_000 } : turn,
  );
  const screen = new Terminal(at, TALL);
  screen.quasar(...applyArgs(at, turns));
  await screen.until("n needs you");
  screen.type("n");
  await screen.until("x reject");
  screen.type("x");
  await screen.until("What is wrong");
  screen.type("too short");
  await screen.until(/2\/3 landed.* stopped/u);
  expect(screen.text()).toContain("too short_");
  screen.type("\r");
  await screen.until("Sure?");
  screen.type("y");
  const text = await givenBack(screen, 5);
  expect(text).toContain("demo: 2 of 3 phases landed");
  expect(text).toMatch(/next quasar nebula apply \w+ --auto --resume/u);
});

test("what a nebula asks of a person is asked before its screen; --plain and what agents begin have none", async () => {
  const manifest = '[nebula]\nname = "demo"\n[execution]\ngate = "approve"\nverify = ["true"]\n';
  const at = withDemo({ ...GATED, "nebula.toml": manifest });
  const model = await holdingModel(at, "coder");
  const args = ["nebula", "apply", DEMO, "--auto", ...agents(at, workOf("one", "two"), { model })];
  const screen = new Terminal(at, TALL);
  screen.quasar(...args);
  await screen.until("[y/N]");
  expect(screen.isUsual()).toBe(true);
  screen.type("y\r");
  await screen.until('Type "approve"');
  expect(screen.isUsual()).toBe(true);
  screen.type("approve\r");
  await screen.until(() => !screen.isUsual() && screen.text().includes("1 at work"));
  screen.type("\u0003");
  await givenBack(screen, 130);
  const resume = [...args, "--resume"];
  screen.quasar(...resume, "--plain");
  releaseModel(at);
  await screen.until("coder done");
  expect(screen.isUsual()).toBe(true);
  await givenBack(screen, 5);
  await quasar(at, ["nebula", "approve", "one"]);
  const agent = new Terminal(at, { ...TALL, env: { QUASAR_RUN_ID: "20260101-000000-000000" } });
  agent.quasar(...resume);
  await agent.until("one      landed");
  expect(agent.isUsual()).toBe(true);
});
