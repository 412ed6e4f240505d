import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apply, applyArgs, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { git, lastRecord, type Place, quasar, records, start, write } from "./harness.ts";
import { agents, LONG } from "./scripts.ts";

const PLAIN = {
  "nebula.toml": '[nebula]\nname = "demo"\n[execution]\nverify = ["test -e a.txt"]\n',
  "1.md": phaseText("one"),
  "2.md": phaseText("two"),
  "3.md": phaseText("three", 'depends_on = ["one", "two"]'),
};
const ALL = workOf("one", "two", "three");
const landed = (at: Place): readonly string[] =>
  git(at, "log", "--first-parent", "--format=%s", "main..nebula/demo").trim().split("\n");

test("a nebula lands all of its phases, verified, and leaves the user's own tree alone", async () => {
  const at = withDemo({
    ...PLAIN,
    "nebula.toml": '[nebula]\nname = "demo"\n[execution]\nverify = ["true"]\n',
  });
  const before = git(at, "status", "--porcelain");
  const told = join(at.outside, "told");
  const notify = `echo "$QUASAR_EVENT: $QUASAR_MESSAGE" > '${told}'`;
  const end = await quasar(at, [...applyArgs(at, ALL), "--notify", notify, "--json"]);
  expect(readFileSync(told, "utf8")).toBe("done: nebula demo: 3 of 3 phases landed\n");
  expect(end.code, end.stderr).toBe(0);
  expect(lastRecord(end)).toMatchObject({
    type: "nebula",
    reason: "done",
    exit: 0,
    branch: "nebula/demo",
    next: ["git merge nebula/demo", "git log --first-parent nebula/demo"],
  });
  expect(landed(at)).toHaveLength(3);
  expect(git(at, "status", "--porcelain")).toBe(before);
  expect(git(at, "branch", "--show-current").trim()).toBe("main");
  const events = records(end.stdout).filter(({ type }) => type === "nebula_event");
  expect(events.filter(({ what }) => what === "verification")).toHaveLength(3);
  const runs = records(end.stdout).filter(({ type }) => type === "agent_done");
  expect(new Set(runs.map(({ phaseId }) => phaseId))).toEqual(new Set(["one", "two", "three"]));
});

test("killed while its phases work, it resumes where they are: no turn is paid for again", async () => {
  const at = withDemo({ ...PLAIN, "nebula.toml": '[nebula]\nname = "demo"\n' });
  const slow = ALL.map((turn) => (turn.role === "coder" ? { ...turn, delayMs: 1500 } : turn));
  const run = start(at, applyArgs(at, slow));
  expect(await run.sees(/two +begins/u)).toBe(true);
  run.child.kill("SIGKILL");
  await run.finished;
  const refused = await apply(at, slow);
  expect(refused.code).toBe(6);
  const end = await quasar(at, [...applyArgs(at, slow), "--resume", "--json"]);
  expect(end.code, end.stderr).toBe(0);
  expect(landed(at)).toHaveLength(3);
  // Three coders and three reviews, each billed once.
  expect(lastRecord(end)["spentUsd"]).toBeCloseTo(0.6);
});

test("one engine works on a nebula, an interrupt saves, and the command that it advises continues", async () => {
  const at = withDemo({ ...PLAIN, "nebula.toml": '[nebula]\nname = "demo"\n' });
  const slow = ALL.map((turn) => (turn.role === "coder" ? { ...turn, delayMs: LONG } : turn));
  const run = start(at, applyArgs(at, slow));
  expect(await run.sees("begins")).toBe(true);
  for (const more of [[], ["--resume"]]) {
    const second = await quasar(at, [...applyArgs(at, slow), ...more]);
    expect(second.code).toBe(6);
    expect(second.stderr).toMatch(/process \d+ works on the nebula demo\n.*\n.* stop \w+\n/u);
  }
  expect((await quasar(at, ["status"])).stdout).toContain("next     quasar nebula log ");
  run.child.kill("SIGINT");
  const end = await run.finished;
  expect(end.code).toBe(130);
  const [, id = ""] = /quasar nebula apply (\w+) --auto --resume/u.exec(end.stdout) ?? [];
  const resumed = await quasar(at, [
    "nebula",
    "apply",
    id,
    "--auto",
    "--resume",
    ...agents(at, ALL),
  ]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(existsSync(join(at.repo, "..", `.${at.repo.split("/").at(-1)}.quasar`, id))).toBe(false);
});

test("of two that are begun at once one works, and the other says who does", async () => {
  const at = withDemo({ ...PLAIN, "nebula.toml": '[nebula]\nname = "demo"\n' });
  const both = await Promise.all([apply(at, ALL), apply(at, ALL)]);
  const [end, refused] = both[0].code === 0 ? both : both.toReversed();
  expect([end?.code, refused?.code], refused?.stderr).toEqual([0, 6]);
  expect(refused && lastRecord(refused)["message"]).toMatch(
    /^process \d+ works on the nebula demo$/u,
  );
  expect(landed(at)).toHaveLength(3);
});

test("what a crash has left of a nebula that has ended goes when its folder is resumed", async () => {
  const at = withDemo({ ...PLAIN, "nebula.toml": '[nebula]\nname = "demo"\n' });
  const { nebulaId } = lastRecord(await apply(at, ALL));
  const trees = join(at.repo, "..", `.${at.repo.split("/").at(-1)}.quasar`, String(nebulaId));
  mkdirSync(trees, { recursive: true });
  const resume = [...applyArgs(at, ALL), "--resume"];
  expect((await quasar(at, resume)).code).toBe(0);
  expect(existsSync(trees)).toBe(false);
  expect((await quasar(at, resume)).code).toBe(8);
});

test("with --fail-fast a phase that fails is the last one that begins, and the command exits with 3", async () => {
  const broken = '+++\nid = "one"\ntitle = "Work one"\nsetup = ["exit 4"]\n+++\nDo it.\n';
  const at = withDemo({ ...PLAIN, "nebula.toml": '[nebula]\nname = "demo"\n', "1.md": broken });
  const args = [...applyArgs(at, ALL), "--max-workers", "1"];
  const end = await quasar(at, [...args, "--fail-fast", "--json"]);
  expect(lastRecord(end)).toMatchObject({
    reason: "failed",
    exit: 3,
    phases: [
      { phaseId: "one", status: "failed" },
      { phaseId: "two", status: "pending" },
      { phaseId: "three", status: "skipped" },
    ],
  });
  const resumed = await quasar(at, [...args, "--resume", "--json"]);
  expect(lastRecord(resumed)).toMatchObject({ phases: [{}, { status: "done" }, {}] });
});

test("a nebula without phases, or without a commit to begin at, is refused with what is missing", async () => {
  const at = withDemo({ "nebula.toml": '[nebula]\nname = "demo"\n' });
  const empty = await apply(at, ALL);
  expect(lastRecord(empty)).toMatchObject({ code: "ERR_NEBULA", exit: 2 });
  expect(lastRecord(empty)["message"]).toContain("demo has no phases: each is a file <name>.md in");

  const unborn = withDemo(PLAIN);
  git(unborn, "switch", "--quiet", "--orphan", "new");
  const refused = lastRecord(await apply(unborn, ALL));
  expect(refused).toMatchObject({ code: "ERR_NO_COMMITS", exit: 1 });
  expect(refused["next"]).toEqual(["git add -A && git commit --allow-empty -m start"]);
});

test("a nebula that names programs begins only once its user has said yes", async () => {
  const at = withDemo(PLAIN);
  const args = applyArgs(at, ALL).filter((arg) => arg !== "--trust-config");
  const refused = await quasar(at, [...args, "--json"]);
  expect(lastRecord(refused)).toMatchObject({ exit: 6, code: "ERR_UNTRUSTED_CONFIG" });
  expect(refused.stderr + refused.stdout).toContain("test -e a.txt");
  expect(git(at, "branch", "--list", "nebula/*")).toBe("");
  expect(existsSync(join(at.repo, ".git/quasar/nebulae"))).toBe(false);
});

test("--base, --branch and --fresh say where a nebula begins and lands", async () => {
  const at = withDemo({ "nebula.toml": '[nebula]\nname = "demo"\n', "1.md": phaseText("one") });
  const first = git(at, "rev-parse", "HEAD").trim();
  write(at.repo, { "later.txt": "x\n" });
  git(at, "add", "later.txt");
  const person = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  git(at, ...person, "commit", "-q", "-m", "Later");
  const args = applyArgs(at, ALL);
  const unknown = await quasar(at, [...args, "--base", "no-such-commit"]);
  expect(unknown.code).toBe(2);
  const end = await quasar(at, [...args, "--base", "HEAD~1", "--branch", "work/demo", "--json"]);
  expect(lastRecord(end)).toMatchObject({ exit: 0, branch: "work/demo" });
  expect(git(at, "merge-base", "work/demo", "HEAD").trim()).toBe(first);

  const { nebulaId } = lastRecord(end);
  const again = await quasar(at, [...args, "--branch", "work/demo", "--fresh", "--json"]);
  expect(lastRecord(again)).toMatchObject({ exit: 0, branch: "work/demo" });
  expect(git(at, "merge-base", "work/demo", "HEAD")).toBe(git(at, "rev-parse", "HEAD"));
  const branches = git(at, "branch", "--list", "--format=%(refname:short)", "work/*").split("\n");
  expect(branches).toContain(`work/demo.${String(nebulaId)}`);
});

test("without --auto nothing begins, and a bad number is refused", async () => {
  const at = withDemo(PLAIN);
  const without = applyArgs(at, ALL).filter((arg) => arg !== "--auto");
  expect((await quasar(at, without)).code).toBe(2);
  const refusal = async (...flags: readonly string[]) =>
    (await quasar(at, [...applyArgs(at, ALL), ...flags])).stderr;
  expect(await refusal("--max-workers", "65")).toContain(
    "--max-workers must be a whole number from 1 to 64, not 65",
  );
  expect(await refusal("--total-budget", "9".repeat(400))).toContain("--total-budget must be");
  expect(git(at, "branch", "--list", "nebula/*")).toBe("");
});
