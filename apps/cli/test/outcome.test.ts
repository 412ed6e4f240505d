import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents/turns";
import { expect, test } from "vitest";
import { folder, git, lastRecord, place, quasar, start, write, recordOf } from "./harness.ts";
import { holdingModel, releaseModel } from "./held.ts";
import { agents, APPROVAL, oneCycle } from "./scripts.ts";

const REBASE = [
  "git add -A; git commit -qm mine; git switch -q -c side HEAD~",
  "echo other > a.txt; git commit -qam other; git switch -q main; git rebase -q side || true",
].join("; ");

test("an approval of a run that changed nothing exits 0 and says so, in lines and in --json", async () => {
  const idle = [
    { role: "coder", text: "nothing to do" },
    { role: "reviewer", text: APPROVAL },
  ] as const;
  const at = place();
  const lines = await quasar(at, ["run", "Nothing", ...agents(at, idle)]);
  expect(lines).toMatchObject({ code: 0 });
  expect(lines.stdout).toContain("No changes were made.");
  const json = await quasar(at, ["run", "Nothing", "--json", ...agents(at, idle)]);
  expect(lastRecord(json)).toMatchObject({ outcome: "approved", exit: 0, changed: false });
  expect(lastRecord(json)["next"]).toEqual([]);
  const other = place();
  const done = await quasar(other, ["run", "Write", "--json", ...agents(other, oneCycle())]);
  expect(lastRecord(done)).toMatchObject({ outcome: "approved", changed: true });
});

test("an agent's process that leaves the branch stops the run with 5, and the line says how to go back", async () => {
  const at = place();
  const leaving = ["--lint", "git switch -q -c elsewhere"];
  const done = await quasar(at, ["run", "Write", ...leaving, ...agents(at, oneCycle())]);
  expect(done).toMatchObject({ code: 5 });
  expect(done.stdout).toContain("stopped: the repository is not as the run left it");
  expect(done.stdout.replaceAll(/\s+/gu, " ")).toContain(
    "the run works on branch main, but HEAD is on branch elsewhere (git switch main)",
  );
  git(at, "switch", "-q", "main");
  git(at, "branch", "-q", "-D", "elsewhere");
  const resumed = await quasar(at, ["resume", "--json"]);
  expect(lastRecord(resumed), "it leaves it again").toMatchObject({ exit: 5 });
});

test.for([
  ["leaves the branch", "git switch -q -c other", ["git switch main"]],
  [
    "leaves the branch and takes the other one back",
    "git add -A; git commit -qm mine; git switch -q -c other; git reset -q --hard HEAD~",
    ["git switch main"],
  ],
  ["removes the branch", "git switch -q -c other; git branch -qD main", ["git switch -c main"]],
  ["takes the branch back", "git reset -q --hard HEAD~", ["git merge --ff-only"]],
  ["is left in the middle of a rebase", REBASE, ["git rebase --abort", "git rebase --continue"]],
  ["fails in the middle of a rebase", `${REBASE}; exit 1`, ["git rebase --abort"]],
] as const)(
  "what comes next, typed in its order, continues after a coder that %s",
  async ([, act, ways]) => {
    const at = place();
    write(at.repo, { "b.txt": "b\n" });
    git(at, "config", "user.name", "Test");
    git(at, "config", "user.email", "test@localhost");
    git(at, "add", "-A");
    git(at, "commit", "-qm", "another");
    const once = join(folder(), "once");
    const coder = folder();
    const script = join(coder, "coder.sh");
    writeFileSync(
      script,
      `cat >/dev/null\necho more >> a.txt\n[ -e ${once} ] && exit\ntouch ${once}\n${act}\n`,
    );
    const reviewer = "command:cat >/dev/null; echo APPROVED: fine";
    const agents = ["--coder", `command:sh ${script}`, "--reviewer", reviewer];
    const stopped = lastRecord(await quasar(at, ["run", "Write", "--json", ...agents]));
    const next = stopped["next"] as string[];
    for (const way of ways) expect(next).toContainEqual(expect.stringContaining(way));
    for (const step of next.filter((each) => !each.includes("# instead"))) {
      const words = step.replace(/ {3}# .*/u, "").split(" ");
      if (words[0] === "git") git(at, ...words.slice(1));
      else {
        const resumed = await quasar(at, [...words.slice(1), "--json"]);
        expect(lastRecord(resumed)).toMatchObject({ outcome: "approved" });
      }
    }
  },
);

test("what lint fixes is committed, and the next run starts without a word", async () => {
  const at = place();
  const fixing = ["--lint", "printf 'formatted\\n' > a.txt"];
  const done = await quasar(at, ["run", "Write", ...fixing, ...agents(at, oneCycle())]);
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain("what the checks changed: a.txt");
  const commits = git(at, "log", "--reverse", "--format=%h", "--abbrev=10", "-2").split("\n");
  expect(done.stdout).toContain(`commits  ${commits.join(" ")}\n`);
  expect(git(at, "status", "--porcelain")).toBe("");
  expect(git(at, "show", "HEAD:a.txt")).toBe("formatted");
  const next = await quasar(at, ["run", "Write more", ...agents(at, oneCycle())]);
  expect(next).toMatchObject({ code: 0 });
});

test("the caches that a check makes are left out of the commits, and named at the end and in --json", async () => {
  const at = place();
  const caching = "mkdir -p src/__pycache__ node_modules/x && touch src/__pycache__/a.pyc";
  const checks = ["--filter", `${caching} node_modules/x/index.js`];
  const done = await quasar(at, ["run", "Write", ...checks, ...agents(at, oneCycle())]);
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain(
    "  left out node_modules, src/__pycache__ (caches: name them in .gitignore)\n",
  );
  expect(git(at, "ls-files")).not.toMatch(/pycache|node_modules/u);
  const json = await quasar(at, ["run", "More", "--json", ...checks, ...agents(at, oneCycle())]);
  expect(lastRecord(json), "they stand in no run's way").toMatchObject({
    outcome: "approved",
    caches: ["node_modules", "src/__pycache__"],
  });
});

test("an approval that no check stands behind says so, in lines and in --json", async () => {
  const unchecked = "\nNo check ran: only the reviewer saw the work.";
  for (const [checks, checked] of [
    [[], false],
    [["--filter", "true"], true],
  ] as const) {
    const at = place();
    const done = await quasar(at, ["run", "Write", ...checks, ...agents(at, oneCycle())]);
    expect(done.stdout.includes(unchecked)).toBe(!checked);
    const other = place();
    const args = ["run", "Write", "--json", ...checks, ...agents(other, oneCycle())];
    expect(lastRecord(await quasar(other, args))).toMatchObject({ outcome: "approved", checked });
  }
});

test("init writes no check that cannot run here, and says why", async () => {
  const ruff = "[tool.ruff]\n";
  const at = place({ "pyproject.toml": ruff, "test_a.py": "", "package.json": "{}" });
  const bin = folder();
  writeFileSync(join(bin, "python3"), "#!/bin/sh\n", { mode: 0o755 });
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  const lines = await quasar(at, ["init", "--yes"], { env });
  expect(lines.stdout).toContain(
    "  left out ruff check . (pyproject.toml): there is no program ruff on the PATH\n",
  );
  const config = readFileSync(join(at.repo, ".quasar/config.toml"), "utf8");
  expect(config).not.toContain("ruff");
  expect(config).toContain('filter = ["python3 -m unittest"]');
  const json = await quasar(at, ["init", "--json"], { env });
  expect(lastRecord(json)).toMatchObject({
    checks: [{ command: "python3 -m unittest" }],
    unusable: [{ command: "ruff check .", problem: "there is no program ruff on the PATH" }],
  });
});

test("init shows a check that a configuration which is there already lacks as not written", async () => {
  const scripts = { scripts: { lint: "true", test: "true" } };
  const at = place({ "package.json": JSON.stringify(scripts) });
  const path = join(at.repo, ".quasar/config.toml");
  write(at.repo, { ".quasar/config.toml": 'lint = ["npm run lint"]\n' });
  const { stdout } = await quasar(at, ["init", "--yes"]);
  expect(stdout).toMatch(/\n {2}lint +npm run lint \(package\.json\)\n/u);
  expect(stdout).toMatch(/\n {2}not used npm test \(package\.json\): .*config\.toml is kept/u);
  expect(stdout).not.toContain("uses these checks");
  expect(readFileSync(path, "utf8")).toBe('lint = ["npm run lint"]\n');
  expect(lastRecord(await quasar(at, ["init", "--yes", "--json"]))).toMatchObject({
    confirmed: false,
    unwritten: [{ command: "npm test" }],
  });
});

test("an approval names work that lies beside its branch, in lines and in --json", async () => {
  const beside = ["git stash -q", "mkdir lib", "echo '*' > lib/.gitignore"].join(" && ");
  const leaving = ["--lint", `echo changed > tracked.txt && ${beside}`];
  for (const json of [[], ["--json"]]) {
    const at = place({ "tracked.txt": "as it was\n" });
    const done = await quasar(at, [
      ...["run", "Write"],
      ...json,
      ...leaving,
      ...agents(at, oneCycle()),
    ]);
    expect(done).toMatchObject({ code: 0 });
    const told = done.stdout.replaceAll(/\s+/gu, " ");
    expect(told).toContain("Not committed: stash@{0}, stashed since the run began");
    expect(told).toContain("Not committed: what lib/.gitignore ignores, itself included.");
  }
});

test("an approval while lint fails says so at its end, and in --json", async () => {
  const at = place();
  const failing = ["--lint", "echo no; exit 1", "--max-lint-retries", "0"];
  const done = await quasar(at, ["run", "Write", ...failing, ...agents(at, oneCycle())]);
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain("\nLint did not pass: the reviewer has seen what it printed.\n");
  const json = ["run", "Write", "--json", ...failing, ...agents(at, oneCycle())];
  expect((await quasar(at, json)).stdout).toContain("Lint did not pass");
});

test("what a reviewer changes is undone, and the line names the command that brings it back", async () => {
  const at = place();
  const meddling = [
    { role: "coder", files: { "work.txt": "right\n" }, text: "done" },
    { role: "reviewer", files: { "work.txt": "the reviewer's\n" }, text: APPROVAL },
  ] as const;
  const done = await quasar(at, ["run", "Write", ...agents(at, meddling)]);
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain("changed work.txt: undone; its version: quasar restore 1");
  expect(readFileSync(join(at.repo, "work.txt"), "utf8")).toBe("right\n");
  expect(git(at, "status", "--porcelain")).toBe("");
  expect(await quasar(at, ["restore", "1"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(at.repo, "work.txt"), "utf8")).toBe("the reviewer's\n");
});

test("edits of a person between a crash and a resume are theirs, once the reviewer has ended", async () => {
  const at = place();
  const model = await holdingModel(at, "reviewer");
  const reviewer = { role: "reviewer", says: ["Reading"], text: APPROVAL } as const;
  const turns = [
    { role: "coder", files: { "work.txt": "right\n" }, text: "done" } as const,
    reviewer,
  ];
  const running = start(at, ["run", "Write", "--json", ...agents(at, turns, { model })]);
  expect(await running.sees(recordOf("agent_event", 1, "reviewer"))).toBe(true);
  running.child.kill("SIGKILL");
  await running.finished;
  releaseModel(at);
  const runId = /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(running.stdout())?.[0] ?? "";
  while (findRunProcesses(runId)?.length !== 0) await sleep(30);
  write(at.repo, { "work.txt": "right\nmine\n", "new.txt": "mine\n" });
  const refused = await quasar(at, ["resume"]);
  expect(refused).toMatchObject({ code: 6 });
  expect(refused.stderr).toContain("new.txt");
  expect(await quasar(at, ["resume", "--accept-dirty"])).toMatchObject({ code: 0 });
  expect(git(at, "status", "--porcelain")).toBe("M work.txt\n?? new.txt");
  expect(git(at, "show", "HEAD:work.txt")).toBe("right");
});

test("what only the index holds is in a snapshot before a reviewer's changes are undone", async () => {
  const at = place();
  const script = join(at.outside, "reviewer.sh");
  const stages =
    "echo staged > work.txt; echo s > s.txt; git add -A; echo other > work.txt; rm s.txt";
  writeFileSync(script, `cat > /dev/null; ${stages}; echo "APPROVED: it is right"`);
  const coder = agents(at, [{ role: "coder", files: { "work.txt": "right\n" }, text: "done" }]);
  const reviewer = ["--reviewer", `command:sh ${script}`];
  const done = await quasar(at, ["run", "Write", ...coder.slice(0, 2), ...reviewer]);
  expect(done).toMatchObject({ code: 0 });
  expect(done.stdout).toContain("staged and differs from the files is kept: quasar restore 2");
  expect(git(at, "status", "--porcelain")).toBe("");
  expect(await quasar(at, ["restore", "2"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(at.repo, "work.txt"), "utf8")).toBe("staged\n");
  expect(readFileSync(join(at.repo, "s.txt"), "utf8")).toBe("s\n");
});

test("the first snapshot of a dirty start is the files, and what was staged alone is the second", async () => {
  const at = place();
  write(at.repo, { "mine.txt": "staged\n", "note.txt": "note\n" });
  git(at, "add", "mine.txt");
  write(at.repo, { "mine.txt": "staged\nunstaged\n" });
  const destroys = { role: "coder", files: { "mine.txt": "run\n" }, text: "done" } as const;
  const turns = [destroys, { role: "reviewer", text: "APPROVED: fine" }] as const;
  const done = await quasar(at, ["run", "Write", "--accept-dirty", ...agents(at, turns)]);
  expect(done.stdout).toContain("what was not committed is kept: quasar restore 1");
  expect(done.stdout).toContain("staged and differs from the files is kept: quasar restore 2");
  expect(await quasar(at, ["restore", "1"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(at.repo, "mine.txt"), "utf8")).toBe("staged\nunstaged\n");
  expect(readFileSync(join(at.repo, "note.txt"), "utf8")).toBe("note\n");
});

test("a stop at changes that cannot be separated says how to continue, and the plan says that it stopped there", async () => {
  const at = place();
  write(at.repo, { "mine.txt": "mine\n" });
  const turns = [
    { role: "coder", files: { "mine.txt": "run\n" }, text: "done" },
    { role: "reviewer", text: "APPROVED: fine" },
  ] as const;
  const stopped = await quasar(at, ["run", "Write", "--accept-dirty", ...agents(at, turns)]);
  expect(stopped.code).toBe(5);
  expect(stopped.stdout).toMatch(/next +git status +# commit what is to stay/u);
  const plan = await quasar(at, ["resume", "--plan"]);
  expect(plan.stdout).toContain("the last runner stopped: changed by the run, and holding");
  git(at, "add", "mine.txt");
  git(at, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "mine");
  const [, command = ""] = /quasar (resume \S+ --accept-head)/u.exec(stopped.stdout) ?? [];
  expect(await quasar(at, command.split(" "))).toMatchObject({ code: 0 });
});

test("files that a git hook changes whenever it runs stop the run with 5 and are named", async () => {
  const at = place();
  mkdirSync(join(at.repo, ".git/hooks"), { recursive: true });
  const script = "#!/bin/sh\ndate +%s%N >> times.txt\n";
  writeFileSync(join(at.repo, ".git/hooks/post-commit"), script, { mode: 0o755 });
  const done = await quasar(at, ["run", "Write", ...agents(at, oneCycle())]);
  expect(done).toMatchObject({ code: 5 });
  expect(done.stdout).toContain("times.txt");
});
