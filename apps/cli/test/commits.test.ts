import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { git, killAll, lastRecord, type Place, place, quasar, start, write } from "./harness.ts";
import { agents, APPROVAL, issue, LONG, type Turn } from "./scripts.ts";

const REVIEW: Turn = { role: "reviewer", text: APPROVAL, costUsd: 0.1 };
const REPORT = "total() returns 0.\n\nCOMMIT: Return 0 for an empty order";
const WORK: Turn = { role: "coder", text: REPORT, files: { "work.txt": "1\n" }, costUsd: 0.2 };

const COMMITLINT = `head -1 "$1" | grep -qE '^(feat|fix): [a-z]' || { echo '✖ type may not be empty [type-empty]'; exit 1; }`;

function hook(at: Place, name: string, body: string): void {
  write(at.repo, { [`.git/hooks/${name}`]: `#!/bin/sh\n${body}\n` });
  chmodSync(join(at.repo, ".git/hooks", name), 0o755);
}

const subjects = (at: Place): readonly string[] =>
  git(at, "log", "--reverse", "--format=%s").split("\n").slice(1);

test("a run's commits are named by the coder, in the form that the repository's have", async () => {
  const at = place();
  git(
    at,
    "-c",
    "user.name=T",
    "-c",
    "user.email=t@localhost",
    "commit",
    "-q",
    "--amend",
    "-m",
    "feat: start",
  );
  const done = await quasar(at, ["run", "Fix total()", ...agents(at, [WORK, REVIEW])]);
  expect(done.code).toBe(0);
  expect(
    git(at, "log", "-1", "--format=%B").replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/gu, "<run>"),
  ).toMatchInlineSnapshot(`
    "fix: return 0 for an empty order

    total() returns 0.

    Quasar-Task: task-<run>
    Quasar-Cycle: 1
    Quasar-Turn: <run>.1"
  `);
});

test("--commit-style seed keeps the original's subjects", async () => {
  const at = place();
  await quasar(at, ["run", "Fix it", "--commit-style", "seed", ...agents(at, [WORK, REVIEW])]);
  expect(subjects(at)).toEqual([expect.stringMatching(/^task-\S+\/cycle-1: Fix it$/u)]);
});

test("a resume says that --commit-style auto changes nothing", async () => {
  const at = place();
  const refused = { role: "reviewer", text: issue("bad") } as const;
  await quasar(at, ["run", "Fix it", "--max-cycles", "1", ...agents(at, [WORK, refused])]);
  const resumed = await quasar(at, ["resume", "--commit-style", "auto"]);
  const told = resumed.stderr.replaceAll(/\s+/gu, " ");
  expect(told).toContain("--commit-style auto changes nothing here");
});

describe("where a commit-msg hook refuses what is not conventional", () => {
  const reworded = (delayMs = 0): readonly Turn[] => [
    {
      role: "coder",
      match: "refused the subject",
      text: "COMMIT: fix: return 0",
      costUsd: 0.01,
      delayMs,
    },
    WORK,
    REVIEW,
  ];

  test("the run ends approved: the coder is asked for another subject", async () => {
    const at = place();
    hook(at, "commit-msg", COMMITLINT);
    const done = await quasar(at, ["run", "Fix total()", ...agents(at, reworded())]);
    expect(done.code).toBe(0);
    expect(subjects(at)).toEqual(["fix: return 0"]);
    expect(
      done.stderr.split("\n").filter((line) => line.includes("refused")),
    ).toMatchInlineSnapshot(`
      [
        "warning: the commit-msg hook refused the commit message (exit code 1): the coder is asked for another subject (1 of 2)",
      ]
    `);
  });

  test("a run that is killed in that turn asks for the subject again, and is approved", async () => {
    const at = place();
    hook(at, "commit-msg", COMMITLINT);
    const running = start(at, ["run", "Fix total()", "--json", ...agents(at, reworded(LONG))]);
    expect(await running.sees("refused the commit message")).toBe(true);
    expect(await running.sees('.2"')).toBe(true);
    await killAll(running);
    agents(at, reworded());
    const resumed = await quasar(at, ["resume"]);
    expect(resumed.stdout).toContain("approved after 1 cycle");
    expect(resumed.code).toBe(0);
    expect(subjects(at)).toEqual(["fix: return 0"]);
  });
});

test("a run says what a hook has printed last, and what to do, once the coder may not try again", async () => {
  const at = place();
  hook(at, "pre-commit", "echo 'work.txt: 1 problem'; exit 1");
  const done = await quasar(at, ["run", "Fix it", ...agents(at, [WORK, REVIEW])]);
  expect(done.code).toBe(1);
  const from = done.stdout.indexOf("stopped");
  expect(
    done.stdout.slice(from).replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/gu, "<run>"),
  ).toMatchInlineSnapshot(`
    "stopped: git failed in cycle 1
      because  the pre-commit hook refused the commit (exit code 1); the coder has tried to fix it 2 of 2 times:
               work.txt: 1 problem
               Fix the files or the hook, do not commit: the run then continues with the commit.
      cost     $0.60 of $5.00
      commits  none
      next     quasar resume <run>
               quasar resume <run> --accept-settings # after a change of yours to the hook
               quasar resume <run> --max-lint-retries 4 # the coder tries again
    "
  `);
  hook(at, "pre-commit", "exit 0");
  const resumed = await quasar(at, ["resume", "--accept-settings"]);
  expect(resumed.code).toBe(0);
  expect(subjects(at)).toEqual(["Return 0 for an empty order"]);
});

describe("where commits are to be signed", () => {
  function aKey(at: Place): string {
    const key = join(at.outside, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    git(at, "config", "commit.gpgsign", "true");
    git(at, "config", "gpg.format", "ssh");
    git(at, "config", "user.signingkey", `${key}.pub`);
    return key;
  }

  test("a run's commits are", async () => {
    const at = place();
    aKey(at);
    expect((await quasar(at, ["run", "Fix it", ...agents(at, [WORK, REVIEW])])).code).toBe(0);
    expect(git(at, "cat-file", "commit", "HEAD")).toContain("gpgsig ");
  });

  test.for([["quasar", ["run", "Fix it", "--worktree", "--json"]]] as const)(
    "%s refuses to begin without the key, and leaves nothing",
    async ([, args]) => {
      const at = place();
      rmSync(aKey(at));
      const refused = await quasar(at, [...args, ...agents(at, [WORK, REVIEW])]);
      expect(refused.code).toBe(6);
      expect(lastRecord(refused)).toMatchObject({
        type: "error",
        code: "ERR_SIGNING",
        next: [
          expect.stringContaining("git commit --allow-empty -S"),
          expect.stringContaining("gpgsign false"),
        ],
      });
      expect(readdirSync(at.outside).filter((name) => name.startsWith("repo"))).toEqual(["repo"]);
    },
  );
});
