import { expect, test } from "vitest";
import { apply, DEMO, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { lastRecord, type Place, quasar, type Running, start } from "./harness.ts";
import { holdingModel, releaseModel } from "./held.ts";
import { agents } from "./scripts.ts";

const MANIFEST = '[nebula]\nname = "demo"\n';
const ONE = { "nebula.toml": MANIFEST, "1.md": phaseText("one") };

test("without a name the newest nebula is meant where none is unfinished, and looks exit with 0", async () => {
  const at = withDemo(ONE);
  const none = await quasar(at, ["nebula", "status", "--json"]);
  expect(lastRecord(none)).toMatchObject({ code: "ERR_NOT_FOUND", exit: 2 });
  expect((await apply(at, workOf("one"))).code).toBe(0);
  for (const look of ["status", "show", "log", "squash"]) {
    const looked = await quasar(at, ["nebula", look]);
    expect(looked.code, look + looked.stderr).toBe(0);
  }
  expect((await quasar(at, ["nebula", "diff", "one", "--landed"])).code).toBe(0);
  const status = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  expect(status).toMatchObject({ isFinished: true, nebula: "demo", exit: 0 });
  const pause = await quasar(at, ["nebula", "pause", "--json"]);
  expect(lastRecord(pause)).toMatchObject({ message: "the nebula demo has ended", exit: 8 });
});

const TWO = {
  "nebula.toml": MANIFEST,
  "1.md": phaseText("one"),
  "2.md": phaseText("two"),
};

/** An engine whose coders do not end their turns before the model is released. */
async function held(at: Place, ...more: readonly string[]): Promise<Running> {
  const turns = workOf("one", "two").map((turn) => ({ ...turn, says: ["Reading", "Writing"] }));
  const script = agents(at, turns, { model: await holdingModel(at, "coder") });
  const args = ["nebula", "apply", DEMO, "--auto", "--trust-config", ...script, "--json", ...more];
  return start(at, args);
}

const screen = async (at: Place, ...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await quasar(at, ["nebula", ...args]);
  expect(code, stderr).toBe(0);
  return stdout;
};

test("a phase works only where an agent does, and each screen calls it the same", async () => {
  const at = withDemo(TWO);
  const both = await held(at);
  const began = /"agent_event".*"phaseId":"(?:one|two)"[^]*"agent_event".*"phaseId":"(?:one|two)"/u;
  expect(await both.sees(began), both.stdout()).toBe(true);
  expect(await screen(at, "status")).toContain("\n  works    one, two\n");
  both.child.kill("SIGKILL");
  await both.finished;
  expect(await screen(at, "status")).toContain("\n  stopped  one, two\n");
  expect(await screen(at, "show")).toMatch(/\n {2}one +stopped /u);
  expect(await screen(at, "show", "one")).toMatch(/^phase one of the nebula demo stopped\n/u);
  const retried = await quasar(at, ["nebula", "retry", "one"]);
  expect(retried.stderr).toContain("one: its run has not ended");

  // One worker for two phases that have begun.
  const single = await held(at, "--resume", "--max-workers", "1");
  expect(await single.sees(/"agent_event".*"phaseId":"one"/u), single.stdout()).toBe(true);
  const waits = "two: has begun, and waits for a free worker";
  const status = await screen(at, "status");
  expect(status).toContain(`\n  works    one\n  pending  ${waits}\n`);
  expect(await screen(at, "show")).toMatch(/\n {2}one +works .*\n {2}two +pending /u);
  expect(await screen(at, "show", "two")).toMatch(/^phase two of the nebula demo pending\n/u);
  const facts = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  expect(facts).toMatchObject({ phases: [{ isWorkedOn: true }, { isWorkedOn: false }] });

  await quasar(at, ["nebula", "pause"]);
  expect(await single.sees('"engine_pauses"'), single.stdout()).toBe(true);
  releaseModel(at);
  const paused = "\n  pending  one, two: has begun, and continues when the pause has ended\n";
  await expect.poll(() => screen(at, "status"), { timeout: 20_000 }).toContain(paused);
  await quasar(at, ["nebula", "continue"]);
  expect((await single.finished).code).toBe(0);
  const refused = await quasar(at, ["nebula", "retry", "one"]);
  expect(refused.stderr).toContain("one: it has landed");
});
