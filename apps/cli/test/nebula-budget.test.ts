import { join } from "node:path";
import { expect, test } from "vitest";
import { applyArgs, DEMO, phaseText, withDemo } from "./a-nebula.ts";
import { git, lastRecord, type Place, quasar, start, write } from "./harness.ts";
import { agents, APPROVAL, issue, LONG, type Turn } from "./scripts.ts";

// The commands that a screen advises are typed here as they stand, but for the editor and who works.

const turns = (delayMs = 0, costUsd = 1): readonly Turn[] => [
  {
    ...{ role: "coder", says: ["I begin."], text: "Written.", costUsd, delayMs },
    files: { "one.txt": "1\n" },
  },
  { role: "reviewer", text: APPROVAL, costUsd: 0.1 },
];
/** One response may cost so much: a turn that is cut off counts with it, and one is begun that may spend two. */
const RESPONSE = { responseUsd: 0.8 };
const manifest = (keys: string) => `[nebula]\nname = "demo"\n[execution]\n${keys}\n`;
const limited = (usd: number) => ({
  "nebula.toml": manifest(`max_budget_usd = ${usd}`),
  "1.md": phaseText("one"),
});

const said = (value: unknown): readonly string[] => (value as readonly string[]) ?? [];
const words = (command: string | undefined): readonly string[] =>
  (command ?? "").split(" ").slice(1);

/** Types a command that was advised, with the agents of the test. */
function typed(at: Place, command: string | undefined, agentsOf: readonly string[] = []) {
  expect(command).toMatch(/^quasar nebula /u);
  return quasar(at, [...words(command), ...agentsOf, "--json"]);
}

test("a total of the nebula's files is capped by the user's own configuration, and a typed one is not", async () => {
  const capped = (at: Place) => ({
    ...at,
    env: { ...at.env, QUASAR_NEBULA_MAX_TOTAL_BUDGET_USD: "20" },
  });
  const asking = { "nebula.toml": manifest("total_budget_usd = 500"), "1.md": phaseText("one") };
  const at = capped(withDemo(asking));
  write(at.repo, { ".quasar/config.toml": "[nebula]\nmax_total_budget_usd = 1000\n" });
  const why = "your nebula.max_total_budget_usd; the nebula's files ask for $500.00";
  const plan = await quasar(at, ["nebula", "plan", DEMO]);
  expect(plan.stdout.replaceAll(/\s+/gu, " ")).toContain(
    `at most $5.00, the sum of the phases' limits; the total is $20.00: ${why}`,
  );
  expect(lastRecord(await quasar(at, ["nebula", "plan", DEMO, "--json"]))).toMatchObject({
    ...{ totalUsd: 20, askedUsd: 500, isTotalCapped: true },
  });
  const begun = await quasar(at, [...applyArgs(at, turns(0)), "--json"]);
  expect(begun.stdout).toContain(`at most $20.00 is spent: ${why}`);
  const other = capped(withDemo(asking));
  const typedTotal = [...applyArgs(other, turns(0)), "--total-budget", "30", "--json"];
  const free = await quasar(other, typedTotal);
  expect([free.code, free.stdout.includes("max_total_budget_usd")]).toEqual([0, false]);
});

/** Ctrl-C in the middle of the coder's first turn. */
async function interrupted(at: Place): Promise<void> {
  const args = ["nebula", "apply", DEMO, "--auto", "--trust-config"];
  const working = start(at, [...args, ...agents(at, turns(LONG), RESPONSE), "--json"]);
  expect(await working.sees("I begin.")).toBe(true);
  working.child.kill("SIGINT");
  expect((await working.finished).code).toBe(130);
}

test("a phase whose turn was cut off waits for a larger limit, and what is advised continues its run", async () => {
  const at = withDemo(limited(2));
  await interrupted(at);
  const quick = agents(at, turns(0), RESPONSE);
  const { next: resumes } = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  const stopped = await typed(at, said(resumes)[0], quick);
  expect(stopped.code).toBe(4);
  const end = lastRecord(stopped);
  const folder = join(at.repo, DEMO);
  expect(end).toMatchObject({
    ...{ reason: "budget", spentUsd: 0.8, knownUsd: 0, unknownUsd: 0.8 },
    shortages: [{ phaseId: "one", setting: "max_budget_usd", neededBudgetUsd: expect.any(Number) }],
    phases: [{ phaseId: "one", status: "awaiting_human", spentUsd: 0.8, unknownUsd: 0.8 }],
  });
  const [{ neededBudgetUsd: needed }] = end["shortages"] as [{ neededBudgetUsd: number }];
  const next = [
    `\${EDITOR:-vi} ${folder}/nebula.toml   # set max_budget_usd to ${needed} or more`,
    `quasar nebula update ${folder}`,
    `quasar nebula apply ${String(end["nebulaId"])} --auto --resume`,
  ];
  expect(end["next"]).toEqual(next);
  expect(lastRecord(await quasar(at, ["nebula", "status", "--json"]))).toMatchObject({ next });
  const screen = (await quasar(at, ["nebula", "status", "--all"])).stdout;
  expect(screen).toContain("landed on nebula/demo, cost $0.00 known, up to $0.80 more\n");
  expect(screen).toContain(
    `waits    one: needs a limit of $${needed.toFixed(2)} to continue; cost $0.00 known, up to $0.80 more, of $2.00\n`,
  );
  expect(screen).toMatch(/one +waits +1 +≤\$0\.80/u);

  write(folder, limited(needed));
  expect((await typed(at, next[1])).code).toBe(0);
  const funded = "one: its limits are large enough now: a resume continues it\n";
  expect((await quasar(at, ["nebula", "status"])).stdout).toContain(`waits    ${funded}`);
  expect((await quasar(at, ["nebula", "plan", DEMO])).stdout).toMatch(
    /resumes +one: The coder's turn failed; it restarts\. \(run /u,
  );
  const done = await typed(at, next[2], quick);
  expect(done.code, done.stderr).toBe(0);
  expect(lastRecord(done)).toMatchObject({
    ...{ knownUsd: expect.closeTo(1.1), unknownUsd: 0.8, shortages: [] },
    phases: [{ runIds: [expect.any(String)] }],
  });
  expect(git(at, "log", "--format=%s", "nebula/demo")).toContain("Land one: Phase one");
});

test("a phase that used its limit is retried with what each screen advises", async () => {
  const files = (usd: number) => ({
    "nebula.toml": manifest(`max_budget_usd = ${usd}\ntotal_budget_usd = 2.1`),
    "1.md": phaseText("one", "max_review_cycles = 1"),
  });
  const at = withDemo(files(2));
  const bad: Turn = { role: "reviewer", text: issue("No."), costUsd: 1 };
  const begun = lastRecord(
    await quasar(at, [...applyArgs(at, [...turns(0, 1).slice(0, 1), bad]), "--json"]),
  );
  expect(begun).toMatchObject({ exit: 3, spentUsd: 2 });
  const [id, folder] = [String(begun["nebulaId"]), join(at.repo, DEMO)];
  const steps = [
    `\${EDITOR:-vi} ${folder}/nebula.toml   # set max_budget_usd to 2.4 or more`,
    `quasar nebula update ${folder}`,
    `quasar nebula apply ${id} --auto --resume --total-budget 4`,
  ];
  const quick = agents(at, turns(0, 0.2));
  const screens = [["retry", "one"], ["status"], ["plan", DEMO]];
  for (const args of screens) {
    const { next } = lastRecord(await quasar(at, ["nebula", ...args, "--json"]));
    expect(next, args.join(" ")).toEqual(steps);
  }
  const resume = steps[2]?.replace(" --total-budget 4", "");
  const short = await typed(at, resume, quick);
  expect(lastRecord(short)).toMatchObject({ exit: 4, next: steps });
  write(folder, files(2.39));
  await typed(at, steps[1]);
  expect(lastRecord(await typed(at, resume, quick))).toMatchObject({ exit: 4, next: steps });
  expect((await quasar(at, ["nebula", "status"])).stdout).toContain(
    "waits    one: needs a limit of $2.40 to continue; cost $2.00 of $2.39\n",
  );
  write(folder, files(2.4));
  await typed(at, steps[1]);
  const done = await typed(at, steps[2], quick);
  expect(done.code, done.stderr).toBe(0);
});

test("a turn whose end is not known counts with the same bound on each screen", async () => {
  const at = withDemo(limited(5));
  const args = ["nebula", "apply", DEMO, "--auto", "--trust-config"];
  const working = start(at, [...args, ...agents(at, turns(LONG), RESPONSE), "--json"]);
  expect(await working.sees("I begin.")).toBe(true);
  working.child.kill("SIGKILL");
  await working.finished;
  const status = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  const [{ runIds }] = status["phases"] as [{ runIds: readonly [string] }];
  const [runId] = runIds;
  const run = await quasar(at, ["show", runId]);
  const [, mostUsd = ""] = /and up to \$([\d.]+) for the turn/u.exec(run.stdout) ?? [];
  const usd: unknown = expect.closeTo(Number(mostUsd));
  const most = { spentUsd: usd, knownUsd: 0, unknownUsd: usd };
  expect(status).toMatchObject({ ...most, phases: [most] });
  const words = `$0.00 known, up to $${mostUsd} more`;
  expect((await quasar(at, ["nebula", "status"])).stdout).toContain(`, cost ${words}\n`);
  expect((await quasar(at, ["nebula", "show", "one"])).stdout).toContain(
    `\n  cost     ${words}, of $5.00\n`,
  );
  const phase = lastRecord(await quasar(at, ["nebula", "show", "one", "--json"]));
  expect(phase).toMatchObject({ ...most, runs: [{ runId, ...most }] });
});

test("a limit of the user's is raised by the flag that is advised", async () => {
  const at = withDemo({ ...limited(2), "nebula.toml": '[nebula]\nname = "demo"\n' });
  const quick = agents(at, turns(0, 0.1), RESPONSE);
  const args = ["nebula", "apply", DEMO, "--auto", ...quick, "--json"];
  const end = lastRecord(await quasar(at, [...args, "--max-budget", "1.7"]));
  expect(end).toMatchObject({ reason: "budget", exit: 4 });
  // Nothing of its run was saved, so that nothing of it can be shown.
  const phase = lastRecord(await quasar(at, ["nebula", "show", "one", "--json"]));
  expect(said(phase["next"]).join()).not.toContain("quasar show");
  // Without the flag it is the one that was typed.
  const id = String(end["nebulaId"]);
  const again = await typed(at, `quasar nebula apply ${id} --auto --resume`, quick);
  expect(lastRecord(again)).toMatchObject({ reason: "budget", next: end["next"] });
  const [resume, ...more] = said(end["next"]);
  expect([resume, more]).toEqual([expect.stringMatching(/--resume --max-budget [\d.]+$/u), []]);
  const done = await typed(at, resume, quick);
  expect(done.code, done.stderr).toBe(0);
});

test("a total that is too small is raised by the flag that is advised", async () => {
  const at = withDemo({
    "nebula.toml": manifest("max_workers = 1\nmax_budget_usd = 6\ntotal_budget_usd = 2.25"),
    ...Object.fromEntries(["1", "2"].map((id) => [`${id}.md`, phaseText(id, `scope = ["${id}"]`)])),
  });
  const quick = agents(at, turns(0));
  const end = lastRecord(await quasar(at, [...applyArgs(at, turns(0)), "--json"]));
  expect(end).toMatchObject({ reason: "budget", exit: 4 });
  expect(end["shortages"]).toMatchObject([{ phaseId: "2", setting: "total_budget_usd" }]);
  const { stdout } = await quasar(at, ["nebula", "status"]);
  expect(stdout).toContain("pending  2: needs a total budget of $2.30\n");
  const [resume] = said(lastRecord(await quasar(at, ["nebula", "status", "--json"]))["next"]);
  expect(resume).toBe(said(end["next"])[0]);
  expect(resume).toMatch(/--resume --total-budget 4$/u);
  const done = await typed(at, resume, quick);
  expect(done.code, done.stderr).toBe(0);
});

test("a total that is typed holds over all crashes, until another one is typed", async () => {
  const at = withDemo({
    "nebula.toml": manifest("max_workers = 1\nmax_budget_usd = 6"),
    ...Object.fromEntries(["1", "2"].map((id) => [`${id}.md`, phaseText(id, `scope = ["${id}"]`)])),
  });
  const quick = agents(at, turns(0));
  const begun = [...applyArgs(at, turns(0)), "--total-budget", "2.25", "--no-input", "--json"];
  const working = start(at, begun);
  expect(await working.sees('"phase_landed"')).toBe(true);
  working.child.kill("SIGKILL");
  await working.finished;
  const status = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  const resume = `quasar nebula apply ${String(status["nebulaId"])} --auto --resume --total-budget 4`;
  expect(status["next"]).toEqual([resume]);
  // Without the flag it is the total that was typed, not the sum of the phases' limits.
  const short = await typed(at, resume.replace(" --total-budget 4", " --no-input"), quick);
  expect(short.code, short.stderr).toBe(4);
  expect(lastRecord(short)).toMatchObject({ reason: "budget", next: [resume] });
  expect((await quasar(at, ["nebula", "plan", DEMO])).stdout).toContain("at most $2.25;");
  const done = await typed(at, resume, quick);
  expect(done.code, done.stderr).toBe(0);
});

test("cost has what each nebula has cost, and where there is no run names the command that shows it", async () => {
  const at = withDemo(limited(2));
  const done = lastRecord(await quasar(at, [...applyArgs(at, turns(0, 0.3)), "--json"]));
  const show = `quasar nebula status ${String(done["nebulaId"])} --cost`;
  const none = await quasar(at, ["cost"]);
  expect(none.code).toBe(8);
  expect(none.stderr).toContain(`no runs in this work tree yet\n  next     ${show}\n`);
  const args = ["run", "Do it", "--accept-dirty", ...agents(at, turns(0, 0.3))];
  expect((await quasar(at, args)).code).toBe(0);
  expect((await quasar(at, ["cost"])).stdout).toContain(`\n  nebulae  demo: $0.40 (${show})\n`);
  const nebulae = [{ nebula: "demo", spentUsd: 0.4, knownUsd: 0.4, unknownUsd: 0 }];
  expect(lastRecord(await quasar(at, ["cost", "--json"]))).toMatchObject({ nebulae });
});

test("status --cost has what each attempt of a phase has cost, and what all have", async () => {
  const at = withDemo({ ...limited(2), "2.md": phaseText("two", 'depends_on = ["one"]') });
  const bad: Turn = { role: "reviewer", text: issue("No."), costUsd: 0.1 };
  write(join(at.repo, DEMO), { "1.md": phaseText("one", "max_review_cycles = 1") });
  const apply = ["nebula", "apply", DEMO, "--auto", "--trust-config"];
  await quasar(at, [...apply, ...agents(at, [...turns(0, 0.3).slice(0, 1), bad])]);
  await quasar(at, ["nebula", "retry", "one"]);
  await quasar(at, [...apply, "--resume", ...agents(at, turns(0, 0.5))]);
  const { stdout } = await quasar(at, ["nebula", "status", "--cost"]);
  expect(stdout).toMatch(
    /\n {2}phase {2}status +attempt {2}run +cost\n {2}one {4}landed +1 {2}\S+ {2}\$0\.40\n +2 {2}\S+ {2}\$0\.60\n {9}all attempts +\$1\.00\n {2}two {4}unchanged .*\n {2}total +\$/u,
  );
  const facts = lastRecord(await quasar(at, ["nebula", "status", "--cost", "--json"]));
  expect(facts["runs"]).toMatchObject([
    { phaseId: "one", attempt: 1, spentUsd: 0.4, unknownUsd: 0 },
    { phaseId: "one", attempt: 2, spentUsd: 0.6, unknownUsd: 0 },
    { phaseId: "two" },
  ]);
});

test("a plan warns of limits with which a first turn would not be started", async () => {
  const at = withDemo({ ...limited(1.6), "2.md": phaseText("two", "max_budget_usd = 3") });
  agents(at, turns(), RESPONSE);
  const script = `scripted:${join(at.outside, "script.json")}`;
  const env = { QUASAR_CODER: script, QUASAR_REVIEWER: script };
  const plan = ["nebula", "plan", DEMO];
  const { stdout, code } = await quasar(at, plan, { env });
  expect(code).toBe(0);
  expect(stdout).toContain(
    "warning  one: The coder's first turn needs at least $1.60: two of its model's longest responses (docs/trust.md, Money). Set max_budget_usd to 3.36 or more.\n",
  );
  const shortages = [{ phaseId: "one", setting: "max_budget_usd", neededBudgetUsd: 3.36 }];
  const line = lastRecord(await quasar(at, [...plan, "--json"], { env }));
  expect(line).toMatchObject({ shortages });
  write(join(at.repo, DEMO), limited(3.36));
  expect((await quasar(at, plan, { env })).stdout).not.toContain("warning");
});

test("a plan says what all phases cost at most, whichever limit that is", async () => {
  const total = (usd: number) => ({
    ...limited(2),
    "nebula.toml": manifest(`max_budget_usd = 2\ntotal_budget_usd = ${usd}`),
  });
  const at = withDemo(total(15));
  const planned = async () => (await quasar(at, ["nebula", "plan", DEMO])).stdout;
  expect(await planned()).toContain(
    "\n  cost     at most $2.00, the sum of the phases' limits; the total is $15.00\n",
  );
  write(join(at.repo, DEMO), total(1));
  expect(await planned()).toContain("at most $1.00; phases' limits add up to $2.00\n");
});

test("a flag that would have no effect is refused", async () => {
  const at = withDemo(limited(2));
  const quick = agents(at, turns(0), RESPONSE);
  const refusal = async (named: string, ...flags: readonly string[]) => {
    const args = ["nebula", "apply", named, "--auto", "--trust-config", ...quick, ...flags];
    const { code, stderr } = await quasar(at, args);
    expect(code).toBe(2);
    return stderr;
  };
  expect(await refusal(DEMO, "--max-budget", "9")).toContain("--max-budget has no effect");
  await interrupted(at);
  const onResume = (...flags: readonly string[]) => refusal("demo", "--resume", ...flags);
  const whole = await onResume("--max-budget", "9");
  expect(whole).toContain("--max-budget has no effect: each phase has max_budget_usd in its files");
  expect(whole).toContain(`quasar nebula update ${join(at.repo, DEMO)}\n`);
  expect(await onResume("--base", "HEAD")).toContain("--base has no effect");
  expect(await onResume("--branch", "b")).toContain("--branch has no effect");
  expect(await refusal(DEMO, "--resume", "--fresh")).toContain("--resume or --fresh");
});
