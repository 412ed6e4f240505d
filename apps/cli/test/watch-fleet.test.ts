import type { NebulaState } from "@quasar/nebula";
import { A, anOffer, aWorker } from "@quasar/nebula/testing";
import { expect, test } from "vitest";
import { Terminal } from "./cockpit/terminal.ts";
import { fleetPlace } from "./fleet-place.ts";
import { lastRecord, quasar, records, start } from "./harness.ts";
import { keepKey, memoryFleet, sceneAt } from "./memory-fleet.ts";

type PhaseState = NebulaState["phases"][number];

const DIGEST = "d".repeat(64);
const RUN_ID = "20261120-230405-abcdef";
const WORKS: Partial<PhaseState> = { status: "running", runId: RUN_ID, runs: [RUN_ID] };
const WAITS: Partial<PhaseState> = {
  ...{ status: "awaiting_human", question: "land", digest: DIGEST, attempt: 1 },
  ...{ base: "1".repeat(40), tip: "2".repeat(40), runId: RUN_ID, runs: [RUN_ID] },
};
const CANDIDATE = "3".repeat(40);
const DONE: Partial<PhaseState> = {
  ...{ status: "done", landing: 1, candidate: CANDIDATE },
  ...{ onto: "4".repeat(40), tree: "5".repeat(40) },
};

/** A nebula of a fleet on which machine `machine of w1` works, and a user outside of any repository. */
async function working() {
  const { key, ingress, port } = await memoryFleet();
  const scene = sceneAt(port);
  const at = fleetPlace();
  keepKey(at, key);
  const lane = await scene.begun(anOffer(A, { runId: RUN_ID }));
  await scene.take("any", aWorker("w1"));
  const begun = { type: "phase_begun", phase: "a", attempt: 1, runId: RUN_ID } as const;
  await scene.save(lane, { phases: { a: WORKS, b: WAITS }, events: [begun] });
  return { ingress, scene, at, lane, watch: ["watch", scene.id, "--fleet", ingress.url] as const };
}

test("from anywhere a person sees the machine of each phase, decides, and leaves", async () => {
  const { at, scene, lane, watch } = await working();
  const screen = new Terminal(at);
  screen.quasar(...watch);
  await screen.until(/> a +at work .*machine of w1/u);
  expect(screen.text()).not.toContain("$0.00");
  await screen.until("! 1 needs you");
  await screen.until(`git diff ${"1".repeat(12)} ${"2".repeat(12)}`);
  screen.type("a");
  await screen.until("Sure?");
  screen.type("y");
  await screen.until("b: accepted; the machine with the lane takes it");
  const [item] = await scene.inbox();
  expect(item?.id).toMatch(new RegExp(`^gate/p2-\\w+/1/${DIGEST}$`, "u"));
  expect(item?.value).toEqual({ verb: "approve", reason: "", isFinal: false });
  const landed = { type: "phase_landed", phase: "b", candidate: CANDIDATE } as const;
  await scene.save(lane, {
    ...{ phases: { b: DONE }, taken: [item?.key ?? ""] },
    events: [{ ...landed, verified: true }],
  });
  await screen.until(/v b +landed 3333333333/u);
  screen.type("p");
  await screen.until("Sure?");
  screen.type("y");
  await screen.until("Paused: turns in flight end");
  expect((await scene.port.status(scene.id)).orders.isPaused).toBe(true);
  screen.type("q");
  await screen.prompt(0);
  expect(screen.isUsual()).toBe(true);
});

test("what a person was not shown is not decided", async () => {
  const { at, scene, lane, watch } = await working();
  const screen = new Terminal(at);
  screen.quasar(...watch);
  await screen.until("! 1 needs you");
  await screen.until("a accept");
  screen.type("a");
  await screen.until("Sure?");
  await scene.save(lane, { phases: { b: { digest: "e".repeat(64) } } });
  screen.type("y");
  await screen.until("b: nobody is asked that any more");
  expect(await scene.inbox()).toEqual([]);
});

test("what an agent asks is answered, and the plan is approved", async () => {
  const { at, scene, lane, watch } = await working();
  const id = "q-01234567";
  const asked = { id, phase: "a", cycle: 1, detail: "", options: [], summary: "Which port?" };
  await scene.save(lane, {
    phases: { a: { questions: [id] } },
    events: [{ type: "question_asked", role: "coder", kind: "blocker", ...asked }],
  });
  const screen = new Terminal(at);
  screen.quasar(...watch);
  await screen.until("question Which port?");
  screen.type("a");
  await screen.until("Your answer:");
  screen.type("8080");
  await screen.until("8080_");
  screen.type("\r");
  await screen.until("Sure?");
  screen.type("y");
  await screen.until("a: answered; the machine with the lane takes it");
  expect(await scene.inbox()).toMatchObject([
    { id: `question/${id}`, value: { text: "8080", agent: "" } },
  ]);
  await screen.until(() => !screen.text().includes("question Which port?"));
  const change = { planVerdict: "asked", revision: "1".repeat(16) } as const;
  await scene.save(lane, { change });
  await screen.until("! the plan");
  expect(screen.text()).toMatch(/\. b +waits for its turn/u);
  screen.type("n");
  await screen.until("── the plan ──");
  expect(screen.text()).toContain("\n phases\n");
  screen.type("a");
  await screen.until("accept the plan");
  screen.type("y");
  await screen.until("the plan: accepted; the machine with the lane takes it");
  const reply = { verb: "approve", reason: "" };
  expect((await scene.inbox()).at(-1)).toMatchObject({
    id: `plan/${change.revision}`,
    value: reply,
  });
});

test("while its server is out of reach the screen stays and says so, and continues after", async () => {
  const { at, ingress, scene, lane, watch } = await working();
  const screen = new Terminal(at);
  screen.quasar(...watch);
  await screen.until(/> a +at work/u);
  ingress.refuse(Number.MAX_SAFE_INTEGER, 503);
  await screen.until(/no contact since \d\d:\d\d:\d\d/u);
  expect(screen.text()).toMatch(/> a +at work .*machine of w1/u);
  await screen.until("the fleet's server at ");
  screen.type("a");
  await screen.until("Sure?");
  screen.type("y");
  await screen.until("Whether it was decided is not known: ");
  ingress.refuse(0, 503);
  await screen.until(() => !screen.text().includes("no contact"));
  const landed = { type: "phase_landed", phase: "b", candidate: CANDIDATE } as const;
  await scene.save(lane, { phases: { b: DONE }, events: [{ ...landed, verified: true }] });
  await screen.until(/v b +landed 3333333333/u);
  ingress.refuse(Number.MAX_SAFE_INTEGER, 503);
  await screen.until("no contact since");
  screen.type("q");
  await screen.prompt(0);
  expect(screen.isUsual()).toBe(true);
});

test("an agent looks, and decides nothing", async () => {
  const { at, watch } = await working();
  const screen = new Terminal(at, { env: { QUASAR_RUN_ID: RUN_ID } });
  screen.quasar(...watch);
  await screen.until("! 1 needs you");
  await screen.until("git diff ");
  expect(screen.text()).not.toContain("a accept");
  screen.type("\u0003");
  await screen.prompt(130);
  expect(screen.isUsual()).toBe(true);
});

test("without a terminal it follows the log until the nebula has ended", async () => {
  const { at, scene, lane, watch } = await working();
  const watching = start(at, [...watch, "--json"]);
  expect(await watching.sees("phase_begun")).toBe(true);
  const landed = { type: "phase_landed", phase: "b", candidate: CANDIDATE } as const;
  const phases = { a: DONE, b: DONE, c: DONE };
  await scene.save(lane, { phases, events: [{ ...landed, verified: true }] });
  const { code, stdout } = await watching.finished;
  expect(code).toBe(0);
  expect(records(stdout)).toMatchObject([{ what: "phase_begun" }, { what: "phase_landed" }]);
  const plain = await quasar(at, [...watch, "--plain"]);
  const log = await quasar(at, ["nebula", "log", scene.id, "--follow", "--fleet", watch[3]]);
  expect(plain.stdout).toBe(log.stdout);
});

test("a report from anywhere has the machines of each phase", async () => {
  const { at, scene, lane, watch } = await working();
  const machines = { [RUN_ID]: "machine of w0" };
  await scene.save(lane, { phases: { b: { ...DONE, machines, verified: true } } });
  const report = ["report", "demo", ...watch.slice(2)];
  const { stdout } = await quasar(at, report);
  expect(stdout).toMatch(/^\| `a` \| works \| 1 \| `machine of w1` \|/mu);
  expect(stdout).toMatch(/^\| `b` \| landed \| 1 \| `machine of w0` \| `3333333333` \|/mu);
  expect(stdout).toContain(`quasar nebula status ${scene.id} --fleet ${watch[3]}`);
  expect(stdout).not.toMatch(/cost|\$/u);
  const json = lastRecord(await quasar(at, [...report, "--json"]));
  expect(json).toMatchObject({
    type: "nebula_report",
    phases: [
      { machine: "machine of w1", machines: ["machine of w1"], isWorkedOn: true },
      { machine: "", machines: ["machine of w0"], isWorkedOn: false },
      { machine: "", machines: [] },
    ],
    events: [{ type: "phase_begun" }],
    hasUnreportedCosts: true,
  });
  const page = await quasar(at, [...report, "--html", "report.html"]);
  expect(page.code).toBe(2);
  expect(page.stderr).toContain(`quasar report demo --fleet ${watch[3]}`);
});

test("a nebula that the fleet does not have is named", async () => {
  const { at, watch } = await working();
  const refused = await quasar(at, ["watch", "nowhere", "--fleet", watch[3], "--json"]);
  expect(lastRecord(refused)).toMatchObject({ type: "error", code: "ERR_NOT_FOUND" });
});
