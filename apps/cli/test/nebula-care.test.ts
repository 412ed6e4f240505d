import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apply, applyArgs, DEMO, GATED, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { doctor, git, lastRecord, type Place, quasar, start, write } from "./harness.ts";
import { agents, oneCycle } from "./scripts.ts";

interface Stood {
  readonly nebulaId: string;
  readonly phases: readonly { readonly phaseId: string; readonly runIds: readonly string[] }[];
}

/** A nebula of which one phase has landed and the other one waits for a person. */
async function halfDone(): Promise<{ readonly at: Place; readonly id: string; runId: string }> {
  const at = withDemo();
  const end = await apply(at);
  expect(end.code, end.stderr).toBe(5);
  const { nebulaId, phases } = lastRecord(end) as unknown as Stood;
  return { at, id: nebulaId, runId: phases[1]?.runIds[0] ?? "" };
}

test("where a work tree has no run, resume, status and list name the nebula that is unfinished", async () => {
  const { at, id } = await halfDone();
  const words = "nebula demo is unfinished: 1 of 2 phases landed";
  const command = `quasar nebula diff two --nebula ${id} --landed`;
  const resume = await quasar(at, ["resume"]);
  expect(resume).toMatchObject({ code: 8, stdout: "" });
  expect(resume.stderr).toContain(`; ${words}\n`);
  expect(resume.stderr).toContain(`next     ${command}\n`);
  const plan = await quasar(at, ["resume", "--plan"]);
  expect(plan.stderr).toBe(resume.stderr);

  expect((await quasar(at, ["status"])).stdout).toContain(`\n${words}\n  next     ${command}\n`);
  expect((await quasar(at, ["list"])).stdout).toContain(`\n${words} (${id})\n`);
  const nebulae = [{ nebulaId: id, nebula: "demo", landedCount: 1, phaseCount: 2, command }];
  expect(lastRecord(await quasar(at, ["status", "--json"]))).toMatchObject({ nebulae });
  expect(lastRecord(await quasar(at, ["list", "--json"]))).toMatchObject({ nebulae });
});

test("the run of a phase is shown from anywhere, and worked on by its nebula only", async () => {
  const { at, id, runId } = await halfDone();
  const whose = `run ${runId} is of the phase two of the nebula demo, which alone continues it`;
  for (const args of [
    ["resume", runId],
    ["resume", runId, "--plan"],
    ["abandon", runId, "--yes"],
  ]) {
    const refused = lastRecord(await quasar(at, [...args, "--json"]));
    expect(refused, args.join(" ")).toMatchObject({ exit: 6, message: whose });
    expect(refused["next"]).toContain(`quasar nebula approve two --nebula ${id}`);
  }
  const shown = await quasar(at, ["show", runId]);
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain("phase    two of the nebula demo\n");
  expect(shown.stdout).toContain(`next     quasar nebula diff two --nebula ${id} --landed\n`);
  expect(shown.stdout).not.toContain("quasar resume");
  const turn = await quasar(at, ["show", `${runId}.1`]);
  expect(turn.stdout).toContain("turn 1: coder, cycle 1");
  expect(turn.stdout).toContain("two.txt");
  expect((await quasar(at, ["log", runId])).stdout).toContain("approved");
  expect(lastRecord(await quasar(at, ["cost", runId, "--json"]))).toMatchObject({ spentUsd: 0.2 });
  expect((await quasar(at, ["diff", runId])).stdout).toContain("+two\n");

  const tree = git(at, "worktree", "list", "--porcelain").match(/^worktree (.*-?p2-.*)$/mu)?.[1];
  const inTree = { cwd: tree };
  const run = await quasar(at, ["run", "x", ...agents(at, oneCycle())], inTree);
  expect(run.code).toBe(6);
  expect(run.stderr).toContain("this work tree is that of the phase two of the nebula demo");
  expect((await quasar(at, ["resume"], inTree)).code).toBe(6);
  expect((await quasar(at, ["show", runId], inTree)).code).toBe(0);
  expect((await quasar(at, ["nebula", "status", id])).code).toBe(0);
});

test("in a phase's work tree what reads a run finds the phase's", async () => {
  const { at, id, runId } = await halfDone();
  const tree = git(at, "worktree", "list", "--porcelain").match(/^worktree (.*-?p2-.*)$/mu)?.[1];
  const inTree = { cwd: tree };
  for (const command of ["status", "list"]) {
    const { code, stdout } = await quasar(at, [command], inTree);
    expect(code).toBe(0);
    expect(stdout).toContain("this work tree is that of the phase two of the nebula demo\n");
    expect(stdout).not.toContain("removed");
    const line = lastRecord(await quasar(at, [command, "--json"], inTree));
    expect(line).toMatchObject({ runs: [] });
    expect(line["next"]).toEqual([`quasar nebula show ${id} two`, `quasar show ${runId}`]);
    for (const step of line["next"] as readonly string[]) {
      const shown = await quasar(at, step.split(" ").slice(1), inTree);
      expect(shown.code, step + shown.stderr).toBe(0);
    }
  }
  const shown = await quasar(at, ["show"], inTree);
  expect(shown.stdout).toContain("phase    two of the nebula demo\n");
  for (const command of ["log", "diff", "cost", "report"]) {
    const done = await quasar(at, [command], inTree);
    expect(done.code, command + done.stderr).toBe(0);
  }
  const resumed = await quasar(at, ["resume"], inTree);
  expect(resumed.code).toBe(6);
  expect(resumed.stderr).toContain("this work tree is that of the phase two of the nebula demo");
});

test("nebula stop ends an engine from another shell, and a resume continues", async () => {
  const at = withDemo();
  const turns = workOf("one", "two");
  const slow = turns.map((turn) => ({ ...turn, delayMs: turn.role === "coder" ? 4000 : 0 }));
  const working = start(at, [...applyArgs(at, slow), "--json"]);
  expect(await working.sees('"type":"agent_start"')).toBe(true);
  const stop = await quasar(at, ["nebula", "stop"]);
  expect(stop.stdout).toContain("nebula demo stops after the turns in flight\n");
  expect(stop.code).toBe(0);
  const { stops, next } = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  expect(stops).toBe("after-turns");
  expect(next).toEqual([
    expect.stringContaining("--follow"),
    expect.stringMatching(/^quasar nebula stop \w+ --now {3}# cuts the turns in flight off$/u),
  ]);
  const status = await quasar(at, ["nebula", "status"]);
  expect(status.stdout).toContain("  stops    after the turns in flight\n");
  const end = await working.finished;
  expect(end.code).toBe(130);
  expect(end.stdout).toContain('"what":"engine_stops"');
  expect(end.stdout).toContain('"type":"committed"');
  expect(end.stdout).not.toContain('"role":"reviewer"');
  expect(lastRecord(end)).toMatchObject({ reason: "interrupted", exit: 130 });

  const idle = await quasar(at, ["nebula", "stop", "demo", "--now", "--json"]);
  const message = "nothing works on the nebula demo";
  expect(lastRecord(idle)).toMatchObject({ exit: 8, message });
  const agent = await quasar(at, ["nebula", "stop"], { env: { QUASAR_RUN_ID: "r" } });
  expect(agent).toMatchObject({ code: 6, stdout: "" });
});

test("the doctor finds nothing about a nebula that waits, and the leftovers of one that has ended", async () => {
  const { at, id } = await halfDone();
  expect((await doctor(at)).stdout).not.toMatch(/^ *nebula/mu);
  expect((await quasar(at, ["nebula", "approve", "two"])).code).toBe(0);
  expect(lastRecord(await apply(at, workOf()))).toMatchObject({ code: "ERR_UNFINISHED_RUN" });
  const end = await quasar(at, ["nebula", "apply", id, "--auto", "--resume", "--trust-config"], {
    env: { QUASAR_CODER: "command:true", QUASAR_REVIEWER: "command:true" },
  });
  expect(end.code, end.stderr).toBe(0);
  expect((await doctor(at)).stdout).not.toMatch(/^ *nebula/mu);

  const trees = join(at.outside, ".repo.quasar", id);
  git(at, "worktree", "add", "--quiet", "--detach", join(trees, "p1-0"));
  const left = await doctor(at);
  expect(left.code, left.stdout).toBe(0);
  expect(left.stdout).toContain("nebula demo has ended, and keeps 1 work tree");
  expect(left.stdout).toContain(`quasar nebula prune ${id}\n`);
  git(at, "worktree", "remove", join(trees, "p1-0"));

  rmSync(join(at.repo, ".git", "quasar", "nebulae", id), { recursive: true });
  expect((await doctor(at)).stdout).toContain(`refs/quasar/nebula/${id}/base`);
});

test("the doctor says which state of a nebula cannot be read", async () => {
  const { at, id } = await halfDone();
  const folder = join(at.repo, ".git", "quasar", "nebulae", id);
  for (const name of readdirSync(folder).filter((each) => each.startsWith("state.toml"))) {
    writeFileSync(join(folder, name), "version = 9\n");
  }
  const sick = await doctor(at);
  expect(sick.code).toBe(1);
  expect(sick.stdout).toContain(`problem: a nebula cannot be read: ${folder} (version 9`);
  expect(sick.stdout).toContain("use the version of Quasar that wrote it");
  const branch = git(at, "rev-parse", "nebula/demo");
  for (const command of ["status", "plan"]) {
    const refused = await quasar(at, ["nebula", command, DEMO]);
    expect(refused.code, refused.stderr).toBe(1);
    expect(refused.stderr).toContain(folder);
    expect(refused.stderr).toContain("quasar doctor");
  }
  expect(lastRecord(await apply(at, workOf()))).toMatchObject({ code: "ERR_STATE", exit: 1 });
  expect(git(at, "rev-parse", "nebula/demo")).toBe(branch);
});

test("what is approved lands without agents, is squashed, and what is kept of it removed", async () => {
  const { at, id } = await halfDone();
  const early = await quasar(at, ["nebula", "land", "two", "--json"]);
  const message = "two does not wait to land (waits)";
  expect(lastRecord(early)).toMatchObject({ exit: 8, message });
  expect((await quasar(at, ["nebula", "prune", "--json"])).stdout).toContain('"nebulae":[]');
  expect((await quasar(at, ["nebula", "prune", id])).code).toBe(6);
  const unfinished = await quasar(at, ["nebula", "squash", "demo"]);
  expect(unfinished.stdout).toContain("two: not landed, so not in this commit\n");
  git(at, "branch", "-D", "nebula/demo-squashed");
  await quasar(at, ["nebula", "approve", "two"]);
  const landed = await quasar(at, ["nebula", "land", "two", "--json"]);
  expect(lastRecord(landed)).toMatchObject({ type: "nebula", reason: "done", exit: 0 });
  expect(landed.stdout).not.toContain("agent_start");

  const squashed = await quasar(at, ["nebula", "squash", "demo", "--json"]);
  expect(lastRecord(squashed)).toMatchObject({
    branch: "nebula/demo-squashed",
    ontoSha: git(at, "rev-parse", "main"),
    missingPhaseIds: [],
    sha: git(at, "rev-parse", "nebula/demo-squashed"),
  });
  const young = await quasar(at, ["nebula", "prune", "--older-than", "14d"]);
  expect(young).toMatchObject({
    stdout: "no nebula of this repository ended more than 14 d ago\n",
    code: 0,
  });
  expect((await quasar(at, ["nebula", "prune", "--older-than", "soon"])).code).toBe(2);
  const planned = await quasar(at, ["nebula", "prune", "--dry-run", "--older-than", "0s"]);
  expect(planned.stdout).toMatch(/^nebula demo would lose its state, \d refs and no work trees$/mu);
  const pruned = await quasar(at, ["nebula", "prune"]);
  expect(pruned.stdout).toContain("nebula demo has lost its state");
  expect(pruned.stdout).toContain("  kept     the branch nebula/demo\n");
  expect(git(at, "for-each-ref", "refs/quasar")).toBe("");
  expect((await quasar(at, ["nebula", "status", id])).code).toBe(2);
});

test("a nebula whose failed phases can be retried is pruned by name and flag alone", async () => {
  const { at, id } = await halfDone();
  await quasar(at, ["nebula", "reject", "two", "--final"]);
  expect(
    (await quasar(at, ["nebula", "prune"])).stdout,
  ).toBe(`nebula demo is kept: 1 failed phase can be retried
  next     quasar nebula prune ${id} --with-failed
`);
  const all = lastRecord(await quasar(at, ["nebula", "prune", "--json"]));
  expect(all).toMatchObject({ nebulae: [], keptIds: [id] });
  const named = await quasar(at, ["nebula", "prune", "demo"]);
  expect(named.code).toBe(6);
  expect(named.stderr).toContain("the nebula demo has 1 failed phase, which can be retried");
  expect(named.stderr).toContain(`quasar nebula prune ${id} --with-failed`);
  expect((await quasar(at, ["nebula", "prune", "--with-failed"])).code).toBe(2);
  const young = ["nebula", "prune", id, "--with-failed", "--older-than", "1d"];
  expect((await quasar(at, young)).code).toBe(6);
  expect((await doctor(at)).stdout).not.toMatch(/^ *nebula/mu);
  const pruned = await quasar(at, ["nebula", "prune", id, "--with-failed"]);
  expect(pruned.stdout).toContain("nebula demo has lost its state");
  const [bringsBack = ""] = /git fetch .*/u.exec(pruned.stdout) ?? [];
  execFileSync("sh", ["-c", bringsBack], { cwd: at.repo, stdio: "ignore" });
  expect(git(at, "for-each-ref", "refs/heads/kept")).not.toBe("");
});

test("a rejection says what is wrong, or is refused with an example", async () => {
  const { at, id } = await halfDone();
  const mute = await quasar(at, ["nebula", "reject", "two"]);
  expect(mute.code).toBe(2);
  expect(mute.stderr).toContain("--reason is missing: its agents need to know what is wrong");
  expect(mute.stderr).toContain('next     quasar nebula reject two --reason "keep the old flag"\n');
  const long = await quasar(at, ["nebula", "reject", "two", "--reason", "x".repeat(16_385)]);
  expect(long.code).toBe(2);
  expect(long.stderr).toContain("a reason has at most 16384 characters, and this one 16385");
  expect((await quasar(at, ["nebula", "status", id])).stdout).toContain("waits    two:");
  expect((await quasar(at, ["nebula", "reject", "two", "--final"])).code).toBe(0);
});

test("a nebula that has begun takes over what its folder says now", async () => {
  const { at, id } = await halfDone();
  expect((await quasar(at, ["nebula", "update", DEMO])).stdout).toBe(
    "nebula demo has all of it already\n",
  );
  write(join(at.repo, DEMO), {
    "1.md": phaseText("one", "priority = 2"),
    "3.md": phaseText("three"),
  });
  const planned = await quasar(at, ["nebula", "update", DEMO, "--dry-run", "--json"]);
  const phases = [
    { phaseId: "one", what: "kept" },
    { phaseId: "three", what: "added" },
  ];
  expect(lastRecord(planned)).toMatchObject({ dryRun: true, isChanged: false, phases });
  const updated = await quasar(at, ["nebula", "update", DEMO]);
  expect(updated.stdout).toBe(`nebula demo changes:
  one      keeps the text that it began with
  three    joins
  next     quasar nebula diff two --nebula ${id} --landed
           quasar nebula approve two --nebula ${id}
           quasar nebula reject two --nebula ${id} --reason "…"
           quasar nebula apply ${id} --auto --resume
`);
  expect((await quasar(at, ["nebula", "status"])).stdout).toContain("demo: 1 of 3 phases");

  // It says which settings, and advises nothing that changes nothing.
  const manifest = GATED["nebula.toml"];
  write(join(at.repo, DEMO), { "nebula.toml": `${manifest}[execution]\nmax_budget_usd = 6\n` });
  const settings = await quasar(at, ["nebula", "update", DEMO]);
  expect(settings.stdout).toContain(`nebula demo changes:
  settings execution.max_budget_usd (not set) → 6
  one      keeps the text that it began with
`);
  rmSync(join(at.repo, DEMO, "3.md"));
  const nothing = await quasar(at, ["nebula", "update", DEMO]);
  const skip = `quasar nebula skip three --nebula ${id}`;
  expect(nothing.stdout).toBe(`nebula demo takes nothing of it over:
  one      keeps the text that it began with
  three    has no file any more, and stays
  next     ${skip} # its file is gone
`);
  const plan = () => quasar(at, ["nebula", "plan", DEMO]);
  const { stdout: before } = await plan();
  expect(before).toContain("its files have changed, and an update takes nothing of that over:");
  expect(before).toContain(`next     ${skip} # its file is gone\n`);
  expect(before).not.toContain("quasar nebula update");
  expect((await quasar(at, skip.split(" ").slice(1))).code).toBe(0);
  const { stdout: after } = await plan();
  expect(after).not.toMatch(/quasar nebula (?:update|skip)/u);
});

test("a git hook that came while a nebula worked is named, and holds its phases until a person accepts it", async () => {
  const { at, id } = await halfDone();
  await quasar(at, ["nebula", "reject", "two", "--reason", "again"]);
  const ran = join(at.outside, "ran");
  const hook = join(at.repo, ".git/hooks/pre-commit");
  write(join(at.repo, ".git/hooks"), { "pre-commit": `#!/bin/sh\ntouch '${ran}'\n` });
  chmodSync(hook, 0o755);
  const again = [{ role: "coder", text: "W", files: { "more.txt": "x\n" } }, ...workOf()] as const;
  const resume = ["nebula", "apply", id, "--auto", "--resume", ...agents(at, again)];
  const held = await quasar(at, resume);
  expect(held.code).toBe(5);
  expect(held.stderr).toContain("git hook .git/hooks/pre-commit: new");
  expect(held.stderr).toContain("resume with --accept-settings");
  expect(existsSync(ran)).toBe(false);

  const accept = [...resume, "--accept-settings"];
  const byAgent = await quasar(at, accept, { env: { QUASAR_RUN_ID: "r" } });
  expect(byAgent.code).toBe(6);
  expect(byAgent.stderr).toContain("is for a person, and a run has started this");
  expect(existsSync(ran)).toBe(false);
  expect((await quasar(at, accept)).code).toBe(5);
  expect(existsSync(ran), "git itself runs it").toBe(true);
  expect((await quasar(at, ["nebula", "status"])).stdout).toContain("waits    two:");
});
