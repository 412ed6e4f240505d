import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, lastRecord, place, quasar, write } from "./harness.ts";
import { agents, oneCycle } from "./scripts.ts";
import { linksTo } from "./typing.ts";

const [coder] = oneCycle();

test.for([
  ["rate-limit", 75, "2030-01-01T09:30:00Z", /lifted at 2030-01-01 09:30/u],
  ["rate-limit", 75, undefined, /quasar resume/u],
  ["auth", 5, undefined, /log in.*--pass-env <name>/u],
  ["billing", 5, undefined, /credit/u],
  ["timeout-idle", 4, undefined, /quasar resume/u],
  ["budget", 4, undefined, /reached its limit \(\$4\.50 of \$5\.00\)[^]*quasar resume \S+/u],
  ["overloaded", 1, undefined, /quasar resume/u],
] as const)(
  "an agent's failure %s leaves with %d and resumes",
  async ([kind, code, retryAt, says]) => {
    const at = place();
    const failure = { kind, message: "It did not work.", ...(retryAt && { retryAt }) };
    const failing = { role: "coder", text: "", failure } as const;
    const failed = ["run", "Write", "--retries", "0", ...agents(at, [failing])];
    const done = await quasar(at, failed);
    expect(done.code, done.stdout).toBe(code);
    expect(done.stdout).toMatch(says);
    agents(at, oneCycle());
    const now = retryAt === undefined ? [] : ["--now"];
    expect(await quasar(at, ["resume", ...now])).toMatchObject({ code: 0 });
  },
);

test("a command line is an agent that reads the task and writes its answer", async () => {
  const at = place();
  const write = "command:grep -q 'Write a line' && echo right > work.txt";
  const review = "command:echo 'APPROVED: yes'";
  const done = await quasar(at, [
    ...["run", "Write a line", "--coder", write, "--reviewer", review, "--json"],
  ]);
  expect(done.code, done.stderr).toBe(0);
  expect(git(at, "show", "HEAD:work.txt")).toBe("right");
});

test("an agent's text is escaped wherever it is shown", async () => {
  const at = place();
  const evil = "\u001b]0;owned\u0007\u202e\u200b\u001b[2J";
  const turns = [
    { ...coder, role: "coder", text: evil, says: [evil] },
    { role: "reviewer", text: `ISSUE:\nSEVERITY: ${evil}\nDESCRIPTION: ${evil}\n` },
  ] as const;
  const run = await quasar(at, ["run", `Write ${evil}`, "--max-cycles", "1", ...agents(at, turns)]);
  const status = await quasar(at, ["status"]);
  const json = await quasar(at, ["status", "--json"]);
  for (const { stdout, stderr } of [run, status, json]) {
    expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  expect(run.stdout).toContain("\\u{1b}]0;owned\\u{7}\\u{202e}\\u{200b}\\u{1b}[2J");
  expect(lastRecord(json)).toMatchObject({ runs: [{ task: `Write ${evil}` }] });
});

test("an agent sees the run's id and none of the user's secrets", async () => {
  const at = place();
  const look = "command:env > seen.txt";
  const args = ["run", "Look", "--coder", look, "--reviewer", "command:echo APPROVED: yes"];
  const env = { SECRET_TOKEN: "s3cret", ALLOWED: "yes", QUASAR_MAX_CYCLES: "2" };
  const done = await quasar(at, [...args, "--pass-env", "ALLOWED"], { env });
  expect(done.code, done.stderr).toBe(0);
  const seen = git(at, "show", "HEAD:seen.txt");
  expect(seen).toMatch(/^QUASAR_RUN_ID=\d{8}-/mu);
  expect(seen).toMatch(/^ALLOWED=yes$/mu);
  expect(seen).not.toContain("s3cret");
  expect(seen).not.toContain("QUASAR_MAX_CYCLES");
});

test("a resume whose agent is not here advises a resume with another one, and what was typed", async () => {
  const at = place();
  const failure = { kind: "overloaded", message: "It did not work." } as const;
  const failing = { role: "coder", text: "", failure } as const;
  const run = ["run", "Write", "--retries", "0", ...agents(at, [failing])];
  expect((await quasar(at, run)).code).toBe(1);
  const given = ["resume", "--coder", "codex", "--max-budget", "7", "--json"];
  const bin = linksTo(join(at.outside, "bin"), ["node", "git"]);
  write(bin, { claude: "#!/bin/sh\n" });
  chmodSync(join(bin, "claude"), 0o755);
  const refused = await quasar({ ...at, env: { ...at.env, PATH: bin } }, given);
  expect(refused.code).toBe(1);
  const { code, next } = lastRecord(refused);
  expect(code).toBe("ERR_NOT_INSTALLED");
  expect(next).toEqual([
    "npm install -g @openai/codex",
    expect.stringMatching(/^quasar resume .*--coder claude.*--max-budget 7/u),
  ]);
});
