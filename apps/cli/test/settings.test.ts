import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, lastRecord, place, type Place, quasar, records, write } from "./harness.ts";
import { agents, APPROVAL, oneCycle, type Turn } from "./scripts.ts";

const SETTINGS = ".quasar/config.toml";

/** One cycle whose coder changes the settings of the repository, too. */
const MEDDLING: readonly Turn[] = [
  {
    role: "coder",
    text: "Written.",
    files: { "work.txt": "right\n", [SETTINGS]: "retries = 9\n" },
  },
  { role: "reviewer", text: APPROVAL },
];

function commit(at: Place): void {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  git(at, "add", "-A");
  git(at, ...who, "commit", "-qm", "Share settings");
}

const warnings = (stdout: string): readonly unknown[] =>
  records(stdout).flatMap(({ type, message }) => (type === "warning" ? [message] : []));

test("the settings of a repository can be committed, and nothing else of their folder", async () => {
  const at = place();
  await quasar(at, ["init", "--yes"]);
  git(at, "add", "-A");
  expect(git(at, "ls-files", ".quasar").split("\n")).toEqual([".quasar/.gitignore", SETTINGS]);
  commit(at);
  expect(await quasar(at, ["run", "Write", ...agents(at, oneCycle())])).toMatchObject({ code: 0 });
  write(at.repo, { ".quasar/checkpoint.toml": "" });
  expect(git(at, "status", "--porcelain")).toBe("");
});

test("settings that are not committed yet stop no run, and are in none of its commits", async () => {
  const at = place();
  await quasar(at, ["init", "--yes"]);
  const run = await quasar(at, ["run", "Write", "--json", ...agents(at, oneCycle())]);
  expect(lastRecord(run)).toMatchObject({ outcome: "approved" });
  expect(warnings(run.stdout).join()).not.toContain("config.toml");
  expect(git(at, "show", "--name-only", "--format=", "HEAD")).toBe("work.txt");
  expect(git(at, "status", "--porcelain", "-uall")).toBe(
    "?? .quasar/.gitignore\n?? .quasar/config.toml",
  );
});

test("a run that makes the folder leaves nothing to commit, and init makes the settings committable", async () => {
  const at = place();
  await quasar(at, ["run", "Write", ...agents(at, oneCycle())]);
  expect(existsSync(join(at.repo, ".quasar/.gitignore"))).toBe(true);
  expect(git(at, "status", "--porcelain")).toBe("");
  await quasar(at, ["init", "--yes"]);
  expect(readFileSync(join(at.repo, ".quasar/.gitignore"), "utf8")).toBe(
    "*\n!config.toml\n!.gitignore\n",
  );
});

test.for([
  ["committed", true],
  ["not committed", false],
] as const)(
  "an agent's change of settings that are %s is named, and in no commit",
  async ([, isCommitted]) => {
    const at = place();
    await quasar(at, ["init", "--yes"]);
    if (isCommitted) {
      git(at, "add", "-A");
      commit(at);
    }
    const run = await quasar(at, ["run", "Write", "--json", ...agents(at, MEDDLING)]);
    expect(lastRecord(run)).toMatchObject({ outcome: "approved" });
    expect(warnings(run.stdout)).toContainEqual(expect.stringContaining(SETTINGS));
    expect(git(at, "show", "--name-only", "--format=", "HEAD")).toBe("work.txt");
    expect(readFileSync(join(at.repo, SETTINGS), "utf8")).toBe("retries = 9\n");
  },
);

test("config shows each setting and where it is set, and asks for no trust", async () => {
  const at = place();
  write(at.repo, { [SETTINGS]: 'max_cycles = 4\n\nlint = ["npm run lint"]\nretires = 1\n' });
  const options = { env: { QUASAR_RETRIES: "1" } };
  const { code, stdout, stderr } = await quasar(at, ["config"], options);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}max_cycles +4 +\S+config\.toml:1:1$/mu);
  expect(stdout).toMatch(/^ {2}lint +\["npm run lint"\] +\S+config\.toml:3:1 \(not trusted yet/mu);
  expect(stdout).toMatch(/^ {2}retries +1 +QUASAR_RETRIES$/mu);
  expect(stdout).toMatch(/^ {2}coder +"claude" +default$/mu);
  expect(stderr).toContain('config.toml:4:1: unknown key "retires"; did you mean "retries"?');
  const json = lastRecord(await quasar(at, ["config", "--json"], options));
  expect(json).toMatchObject({ v: 1, type: "config" });
  expect(json["settings"]).toContainEqual({
    ...{ key: "retries", value: 1, from: "QUASAR_RETRIES", needsTrust: false },
  });
});

test("the earlier names of commands and flags work, and are in no help", async () => {
  const at = place();
  const args = agents(at, oneCycle());
  const run = await quasar(at, [
    "run",
    "Write",
    "--filter",
    "true",
    "--check",
    "test -f a.txt",
    "--json",
    ...args,
  ]);
  expect(lastRecord(run)).toMatchObject({ outcome: "approved" });
  const names = records(run.stdout).flatMap(({ type, name }) =>
    type === "check_done" ? [name] : [],
  );
  expect(names).toEqual(["true", "test -f a.txt"]);
  expect(await quasar(at, ["ls"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/approved/u),
  });
  const help = await quasar(at, ["--help"]);
  expect(help.stdout).toMatch(/^ {2}list /mu);
  expect(help.stdout).not.toMatch(/^ {2}ls /mu);
  expect((await quasar(at, ["run", "--help"])).stdout).not.toContain("--filter");
});

test("who is away is notified of the end, with what is said and nothing run of it", async () => {
  const at = place();
  const command = 'printf "%s|%s" "$QUASAR_EVENT" "$QUASAR_MESSAGE" > ../notified';
  const run = await quasar(at, ["run", "Write", "--notify", command, ...agents(at, oneCycle())]);
  expect(run.code).toBe(0);
  expect(readFileSync(join(at.outside, "notified"), "utf8")).toMatch(
    /^approved\|The reviewer approved/u,
  );
  const failing = await quasar(at, [
    "run",
    "Write",
    "--notify",
    "exit 3",
    "--json",
    ...agents(at, oneCycle()),
  ]);
  expect(warnings(failing.stdout)).toContainEqual("the notification command failed: exit code 3");
});
