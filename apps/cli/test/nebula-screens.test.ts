import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apply, applyArgs, DEMO, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { git, lastRecord, type Place, quasar, type Running, start, write } from "./harness.ts";
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

const GATED_ONE = { "nebula.toml": MANIFEST, "1.md": phaseText("one", 'gate = "review"') };

test("a nebula is pushed once it is done, which its status says, and the next plan has an estimate", async () => {
  const at = withDemo(ONE);
  const plan = ["nebula", "plan", DEMO];
  expect((await quasar(at, plan)).stdout).not.toContain("estimated");
  const begun = await quasar(at, [...applyArgs(at, workOf("one")), "--push"]);
  expect([begun.code, begun.stderr + begun.stdout]).toEqual([
    0,
    expect.stringContaining("refused: the repository has no remote"),
  ]);
  expect((await quasar(at, ["nebula", "status"])).stdout).toContain(
    "  push     refused: the repository has no remote\n",
  );
  const remote = join(at.repo, "..", "remote.git");
  git(at, "init", "--quiet", "--bare", remote);
  git(at, "remote", "add", "origin", remote);
  const { next } = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  const [again = ""] = next as readonly string[];
  expect(again).toMatch(/^quasar nebula apply [a-z2-7]{10} --auto --resume --push$/u);
  const resumed = await quasar(at, [
    ...again.split(" ").slice(1),
    ...["--accept-settings", ...agents(at, []), "--json"],
  ]);
  expect(lastRecord(resumed)).toMatchObject({ push: "pushed", pushReason: "origin", exit: 0 });
  expect(git(at, "ls-remote", "origin")).toContain("refs/heads/nebula/demo");
  const estimated = await quasar(at, plan);
  expect(estimated.stdout.replaceAll(/\s+/gu, " ")).toContain(
    "; estimated $0.20 (median of 1 phase)",
  );
  expect(lastRecord(await quasar(at, [...plan, "--json"]))).toMatchObject({
    estimate: { likelyUsd: 0.2, pastCount: 1 },
  });
});

test("a question about another change than was approved names the files, and shows them", async () => {
  const at = withDemo(GATED_ONE);
  const { nebulaId } = lastRecord(await apply(at, workOf("one")));
  const none = await quasar(at, ["nebula", "diff", "one", "--since-approval", "--json"]);
  expect(lastRecord(none)).toMatchObject({ code: "ERR_STATE" });
  expect((await quasar(at, ["nebula", "approve", "one"])).code).toBe(0);
  git(at, "switch", "--quiet", "--detach", "nebula/demo");
  write(at.repo, { "one.txt": "one\n" });
  git(at, "add", "one.txt");
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
  git(at, ...who, "commit", "--quiet", "-m", "Mine");
  git(at, "update-ref", "refs/heads/nebula/demo", "HEAD");
  git(at, "switch", "--quiet", "-");
  const why = "its approval was for another change: 1 file differs since (one.txt)";
  const asked = await quasar(at, [...applyArgs(at, []), "--resume", "--json"]);
  expect(lastRecord(asked)["next"]).toContain(
    `quasar nebula diff one --nebula ${String(nebulaId)} --since-approval`,
  );
  for (const look of [["status"], ["show", "one"]]) {
    expect((await quasar(at, ["nebula", ...look])).stdout.replaceAll(/\s+/gu, " ")).toContain(why);
  }
  const diff = ["nebula", "diff", "one", "--since-approval"];
  // Both trees have the file: it is there before, too, by now.
  expect(lastRecord(await quasar(at, [...diff, "--json"]))).toMatchObject({
    type: "diff",
    stat: "",
  });
});

test("what follows a decision is what the nebula then waits for", async () => {
  const at = withDemo(GATED_ONE);
  const { nebulaId: id } = lastRecord(await apply(at, workOf("one")));
  const final = await quasar(at, [
    "nebula",
    "reject",
    "one",
    "--final",
    "--reason",
    "no",
    "--json",
  ]);
  // Nothing can be resumed: the last phase has failed, and nothing has landed.
  expect(lastRecord(final)["next"]).toEqual([
    `quasar nebula show ${String(id)} one`,
    `quasar nebula retry one --nebula ${String(id)}   # with an unchanged text it may fail again`,
    `quasar nebula prune ${String(id)} --with-failed`,
  ]);
  const paused = await quasar(at, ["nebula", "pause", String(id)]);
  expect(paused.stderr).toContain("the nebula demo has ended");
  const again = await quasar(at, ["nebula", "retry", "one", "--json"]);
  expect(await screen(at, "pause")).toContain(
    "nebula demo is paused: nothing works on it, and a resume begins no turn before you continue it\n",
  );
  expect(await screen(at, "continue")).toContain("nebula demo is not paused any more\n");
  const resume = `quasar nebula apply ${String(id)} --auto --resume`;
  expect(lastRecord(again)["next"]).toEqual([resume]);
  expect((await quasar(at, ["nebula", "skip", "one"])).stdout).toBe(
    `  one      skipped, and what needs it once an engine works\n  next     quasar nebula prune ${String(id)}\n`,
  );
});

test("a plan is approved for the engine that is resumed, and the screen names that command", async () => {
  const gate = `${MANIFEST}[execution]\ngate = "approve"\n`;
  const at = withDemo({ ...ONE, "nebula.toml": gate });
  const plan = await screen(at, "plan", DEMO);
  expect(plan).toContain("\n  branch   nebula/demo: what lands goes there, and nowhere else\n");
  expect(plan).toContain(
    "\n  gate     you approve this plan before any phase begins, and each change",
  );
  // It is true of the phases that ask before they land, and of no other.
  const some = join(at.repo, ".nebulas", "some");
  const phases = {
    "1.md": phaseText("one"),
    "2.md": phaseText("two", 'gate = "trust"'),
    "3.md": phaseText("three", 'gate = "watch"'),
  };
  write(some, { "nebula.toml": gate.replace("demo", "some"), ...phases });
  const gateOf = async () => /^ {2}gate {5}(.*)$/mu.exec(await screen(at, "plan", some))?.[1];
  expect(await gateOf()).toBe(
    "you approve this plan before any phase begins, and the change of one before landing; others land without asking you",
  );
  expect(await screen(at, "plan", some)).not.toContain("uncommitted");
  write(some, { "1.md": phases["2.md"].replace("two", "one") });
  expect(await gateOf()).toBe(
    "you approve this plan before any phase begins; changes land without asking you",
  );
  git(at, "switch", "-q", "--detach");
  expect(await screen(at, "plan", DEMO)).not.toContain("no branch");
  const { nebulaId: id } = lastRecord(await apply(at, workOf("one")));
  expect((await quasar(at, ["nebula", "approve"])).stdout).toBe(
    `  plan     approved: its phases begin when the nebula is resumed
  next     quasar nebula apply ${String(id)} --auto --resume
`,
  );
});

test("at the end a pull request is one command where the branch goes to GitHub", async () => {
  const at = withDemo(ONE);
  expect((await apply(at, workOf("one"))).code).toBe(0);
  const nextOf = async (): Promise<unknown> =>
    lastRecord(await quasar(at, ["nebula", "status", "--json"]))["next"];
  const [merge, log] = ["git merge nebula/demo", "git log --first-parent nebula/demo"];
  git(at, "remote", "add", "origin", "https://example.org/a/b.git");
  expect(await nextOf()).toEqual([merge, log]);
  git(at, "remote", "set-url", "origin", "git@github.com:a/b.git");
  const request = "git push origin nebula/demo && gh pr create --fill --head nebula/demo";
  expect(await nextOf()).toEqual([merge, request, log]);
});

test("log --follow prints what happens, and ends with how the nebula stands", async () => {
  const at = withDemo(ONE);
  const working = await held(at);
  expect(await working.sees('"agent_event"'), working.stdout()).toBe(true);
  const following = start(at, ["nebula", "log", "--follow"]);
  expect(await following.sees("one      begins"), following.stdout()).toBe(true);
  const lines = start(at, ["nebula", "log", "-f", "--json"]);
  expect(await lines.sees('"phase_begun"'), lines.stdout()).toBe(true);
  releaseModel(at);
  expect((await working.finished).code).toBe(0);
  const { code, stdout, stderr } = await following.finished;
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(
    /one {6}landed, not verified: [0-9a-f]{10}\n[\d:]+ {4}nebula {3}stopped: all has landed\n\ndemo: 1 of 1 phase landed /u,
  );
  expect(stdout).toContain("\n  next     git merge nebula/demo\n");
  const followed = await lines.finished;
  expect(followed.code).toBe(0);
  expect(lastRecord(followed)).toMatchObject({
    type: "nebula_event",
    what: "engine_ends",
    end: "done",
  });
  // Nothing works on it any more: it does not wait.
  expect(await screen(at, "log", "-f")).toContain("landed, not verified");
});

test("what is nearly the name of a nebula, its folder or a phase is asked for", async () => {
  const at = withDemo();
  const refusal = async (...args: readonly string[]): Promise<string> =>
    (await quasar(at, ["nebula", ...args])).stderr;
  for (const command of [["plan"], ["validate"], ["apply", "--auto"]]) {
    expect(await refusal(...command, ".nebulas/dmo")).toContain(`; did you mean "${DEMO}"?`);
  }
  await apply(at);
  expect(await refusal("status", "dmo")).toContain(
    'no nebula "dmo" in this repository; did you mean "demo"?',
  );
  for (const command of [["show"], ["show", "demo"], ["diff"], ["retry"], ["land"]]) {
    expect(await refusal(...command, "onn")).toContain(
      'there is no phase onn; did you mean "one"?',
    );
  }
});

test("squash names the phases that are not in it", async () => {
  const at = withDemo();
  const { nebulaId: id } = lastRecord(await apply(at));
  const { stdout } = await quasar(at, ["nebula", "squash"]);
  expect(stdout).toContain("\n  missing  two: not landed, so not in this commit\n");
  const facts = lastRecord(await quasar(at, ["nebula", "squash", String(id), "--json"]));
  expect(facts).toMatchObject({ missingPhaseIds: ["two"] });
});

test("with --no-input nobody is asked, and a total budget has to be given", async () => {
  const at = withDemo({ ...ONE, "nebula.toml": `${MANIFEST}[execution]\nverify = ["true"]\n` });
  const work = agents(at, workOf("one"));
  const args = ["nebula", "apply", DEMO, "--auto", "--no-input", ...work, "--json"];
  const untrusted = await quasar(at, args);
  expect(lastRecord(untrusted)).toMatchObject({ exit: 6, code: "ERR_UNTRUSTED_CONFIG" });
  const unlimited = await quasar(at, [...args, "--trust-config"]);
  expect(lastRecord(unlimited)).toMatchObject({
    exit: 2,
    message: "--no-input needs a total budget: nobody is asked before more is spent",
    next: [
      expect.stringContaining(`quasar nebula apply ${DEMO} --auto --no-input --total-budget 5`),
    ],
  });
  const done = await quasar(at, [...args, "--total-budget", "5"]);
  expect(lastRecord(done)).toMatchObject({ exit: 0, reason: "done" });

  const limited = withDemo({
    ...ONE,
    "nebula.toml": `${MANIFEST}[execution]\ntotal_budget_usd = 5\n`,
  });
  const named = agents(limited, workOf("one"));
  const own = await quasar(limited, ["nebula", "apply", DEMO, "--auto", "--no-input", ...named]);
  expect(own.code, own.stderr).toBe(0);
});

test("the plan of a nebula that has begun says what a resume does", async () => {
  const at = withDemo({
    "nebula.toml": MANIFEST,
    "1.md": phaseText("one", 'gate = "review"'),
    "2.md": phaseText("two"),
    "3.md": phaseText("three", 'depends_on = ["one", "two"]'),
  });
  const working = await held(at);
  const began = /"agent_event".*"phaseId":"two"/u;
  expect(await working.sees(began), working.stdout()).toBe(true);
  working.child.kill("SIGKILL");
  await working.finished;
  const plan = await quasar(at, ["nebula", "plan", DEMO, "--json"]);
  const { nebulaId: id, ...facts } = lastRecord(plan);
  const ofRun = { runId: expect.any(String), cycle: 1, attempt: 1, waitsFor: [] };
  expect(facts).toMatchObject({
    branch: "nebula/demo",
    isFolderChanged: false,
    spentUsd: expect.any(Number),
    resume: [
      { phaseId: "one", action: "continue", ...ofRun, items: [{ kind: "followed" }] },
      { phaseId: "two", action: "continue", ...ofRun },
      { phaseId: "three", action: "begin", attempt: 1, waitsFor: ["one", "two"] },
    ],
    next: [`quasar nebula apply ${String(id)} --auto --resume`],
  });
  const withoutEngine = await screen(at, "status");
  expect(withoutEngine).toContain("  stopped  one, two\n");
  expect(withoutEngine).toContain(
    "  agents   one, two: still at work, and cost; a resume reattaches\n",
  );
  write(join(at.repo, DEMO), { "3.md": phaseText("three") });
  const text = await screen(at, "plan", "demo");
  expect(text).toMatch(/^ {2}cost .*\n {2}spent {4}\$0\.00 known, up to \$\d\.\d\d more\n/mu);
  expect(text).toMatch(
    /\n {2}what a resume does:\n {2}resumes {2}one: The coder is still running; the resume reattaches to it\. \(run \S+, from its cycle 1\)\n {11}two: The coder is still running; the resume reattaches to it\. \(run \S+, from its cycle 1\)\n {2}later {4}three, after one, two\n/u,
  );
  expect(text).toContain("  edited   its files have changed; quasar nebula update ");
  expect(await screen(at, "plan", DEMO)).toMatch(
    /^ {2}edited {3}its files have changed; quasar nebula update \S+ takes that over:\n {2}three {4}takes its new text\nUntil then .* by its copy, which this plan is of:\n\ndemo: 3 phases/u,
  );
  const trees = join(at.outside, ".repo.quasar", String(id));
  const [first = ""] = readdirSync(trees).filter((name) => name.startsWith("p1-"));
  renameSync(join(trees, first), join(trees, "away"));
  expect(await screen(at, "plan", "demo")).toContain(
    "one: its work tree is gone: it is made again",
  );
  renameSync(join(trees, "away"), join(trees, first));
  releaseModel(at);
  const turns = agents(at, workOf("one", "two", "three"));
  const end = await quasar(at, ["nebula", "apply", DEMO, "--auto", "--resume", ...turns]);
  expect(end.code, end.stderr).toBe(5);
  expect(await screen(at, "plan", DEMO)).toContain(
    "\n  later    three, after one\n  waits    one: its change is to be approved before it lands\n",
  );
  await quasar(at, ["nebula", "approve", "one"]);
  expect(await screen(at, "plan", DEMO)).toContain("\n  lands    one\n");
  const last = await quasar(at, ["nebula", "apply", DEMO, "--auto", "--resume", ...turns]);
  expect(last.code, last.stderr).toBe(0);
  const again = lastRecord(await quasar(at, ["nebula", "plan", DEMO, "--json"]));
  expect(again["next"]).toEqual([`quasar nebula apply ${DEMO} --auto --fresh`]);
  const taken = await quasar(at, ["nebula", "apply", DEMO, "--auto", ...turns, "--json"]);
  const fresh = `quasar nebula apply ${join(at.repo, DEMO)} --auto --fresh`;
  const room = "git branch --move nebula/demo nebula/demo-before";
  expect(lastRecord(taken)).toMatchObject({
    exit: 6,
    next: [expect.stringContaining(fresh), room, "--branch NAME lands on another one"],
  });
  // What is kept of it is gone, and its branch stays.
  await quasar(at, ["nebula", "prune", "demo"]);
  const pruned = lastRecord(await quasar(at, ["nebula", "plan", DEMO, "--json"]));
  expect(pruned["next"]).toEqual([room, `quasar nebula apply ${DEMO} --auto`]);
});

test("what is not committed, and a base that fails, are said with what to type", async () => {
  const at = withDemo({ ...ONE, "nebula.toml": `${MANIFEST}[execution]\nverify = ["false"]\n` });
  write(at.repo, { "notes.txt": "mine\n" });
  const script = agents(at, workOf("one"));
  const red = await quasar(at, ["nebula", "apply", DEMO, "--auto", "--trust-config", ...script]);
  expect(red.code, red.stderr).toBe(5);
  expect(red.stderr).toContain("warning  1 uncommitted change is not part of it\n");
  expect(red.stdout).toMatch(
    /\n {2}next {5}quasar nebula update-base --nebula \w+ # once your branch has a fix\n {11}quasar nebula update .+ # or once verify is corrected\n {11}quasar nebula apply \w+ --auto --resume --accept-red-base\n/u,
  );
  const later = await quasar(at, ["nebula", "status"]);
  expect(later.stdout).toContain("blocked  nebula/demo fails by itself, so nothing begins");
  expect(later.stdout).toContain(" --auto --resume --accept-red-base\n");
});
