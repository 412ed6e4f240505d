import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findRunProcesses } from "@quasar/agents/turns";
import { cgroupToHoldIn } from "@quasar/vitest/cgroup";
import { takeSnapshot } from "@quasar/git/snapshots";
import { expect, test } from "vitest";
import {
  doctor,
  git,
  lastRecord,
  MAIN,
  type Place,
  place,
  quasar,
  start,
  write,
} from "./harness.ts";
import { agents, LONG, neverContent, oneCycle } from "./scripts.ts";

const runsOf = (at: Place): string => join(at.repo, ".git/quasar/runs");

async function approved(at: Place): Promise<string> {
  const run = await quasar(at, ["run", "Write", "--json", ...agents(at, oneCycle())]);
  expect(run.code, run.stderr).toBe(0);
  return String(lastRecord(run)["runId"]);
}

async function stopped(at: Place): Promise<string> {
  const args = ["run", "Write", "--json", "--max-cycles", "1", ...agents(at, neverContent())];
  const run = await quasar(at, args);
  expect(run.code, run.stderr).toBe(3);
  return String(lastRecord(run)["runId"]);
}

/** A run whose runner was killed while its agent worked on. */
async function orphaned(at: Place): Promise<string> {
  const running = start(at, ["run", "Write", ...agents(at, oneCycle(LONG))]);
  expect(await running.sees("coder    works")).toBe(true);
  const runId = /\d{8}-\d{6}-[0-9a-f]{6}/u.exec(running.stdout())?.[0] ?? "";
  while (!existsSync(join(runsOf(at), runId, "turns/1.out"))) await sleep(10);
  running.child.kill("SIGKILL");
  await running.finished;
  return runId;
}

test("an abandoned run is kept, passed over, and nothing continues with it", async () => {
  const at = place();
  const runId = await stopped(at);
  const done = await quasar(at, ["abandon", runId]);
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect((await quasar(at, ["status"])).stdout).toContain(`run ${runId} abandoned`);
  expect(await quasar(at, ["resume"])).toMatchObject({ code: 8 });
  expect(await quasar(at, ["resume", runId])).toMatchObject({ code: 8 });
  expect(await quasar(at, ["abandon", runId])).toMatchObject({ code: 8 });
  expect((await quasar(at, ["show", runId])).stdout).toMatch(/\n +1 +coder +1 +done/u);
  expect((await quasar(at, ["log", runId])).stdout).toMatch(
    /ended +abandoned: its user gave it up\n$/u,
  );
  expect(await quasar(at, ["run", "Another", ...agents(at, oneCycle())])).toMatchObject({
    code: 0,
  });
});

test("the turn that is under way when a run is abandoned counts with all that it was allowed to spend", async () => {
  const at = place();
  const runId = await orphaned(at);
  expect(await quasar(at, ["abandon", runId, "--yes"])).toMatchObject({ code: 0 });
  const bill = lastRecord(await quasar(at, ["cost", runId, "--json"]));
  expect(bill).toMatchObject({ spentUsd: 4.5, unknownUsd: 4.5 });
  expect(bill["turns"]).toMatchObject([{ turnId: `${runId}.1`, status: "lost", spentUsd: 4.5 }]);
  expect(bill["openTurn"]).toBeUndefined();
});

test("abandon names what is not committed, and how to see it or stash it", async () => {
  const at = place();
  const runId = await stopped(at);
  writeFileSync(join(at.repo, "a.txt"), "half written\n");
  const done = await quasar(at, ["abandon", runId]);
  expect(done.stdout).toMatch(/^ {2}differs {2}.*a\.txt.* \(not committed, left as it is\)$/mu);
  expect(done.stdout).toContain("git status && git diff # shows what is not committed\n");
  expect(done.stdout).toContain("git stash -u # quarantines it\n");
  expect(readFileSync(join(at.repo, "a.txt"), "utf8")).toBe("half written\n");
});

test.for(["abandoned", "killed as it was archived"])(
  "a run that was %s is not brought back once it is pruned",
  async (how) => {
    const at = place();
    const runId = await stopped(at);
    const own = join(at.repo, ".quasar/checkpoint.toml");
    const left = readFileSync(own);
    expect(await quasar(at, ["abandon", runId])).toMatchObject({ code: 0 });
    expect(existsSync(own)).toBe(false);
    if (how !== "abandoned") writeFileSync(own, left);
    expect(await quasar(at, ["prune", runId])).toMatchObject({ code: 0 });
    expect(await quasar(at, ["resume"])).toMatchObject({ code: 8 });
  },
);

test("a run whose agent works is abandoned only on the user's word, and the agent ended", async () => {
  const at = place();
  const runId = await orphaned(at);
  const refused = await quasar(at, ["abandon", runId, "--json"]);
  expect(refused.code).toBe(6);
  expect(lastRecord(refused)).toMatchObject({ code: "ERR_AGENT_ALIVE" });
  expect(findRunProcesses(runId)?.length).toBeGreaterThan(0);
  expect(await quasar(at, ["abandon", runId, "--yes"])).toMatchObject({ code: 0 });
  expect(findRunProcesses(runId)).toEqual([]);
});

/** Answers the question of a command on a terminal of its own; gives its exit code. */
async function answered(at: Place, args: readonly string[], keys: string): Promise<number | null> {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(" ");
  const terminal = spawn("script", ["-qec", command, "/dev/null"], { cwd: at.repo, env: at.env });
  let shown = "";
  terminal.stdout.on("data", (chunk: Buffer) => {
    const wasAsked = shown.includes("[y/N] ");
    shown += chunk.toString();
    if (!wasAsked && shown.includes("[y/N] ")) terminal.stdin.write(keys);
  });
  const [code] = (await once(terminal, "close")) as [number | null];
  return code;
}

test("on a terminal it is asked whether the agent is to be ended, and silence is no", async () => {
  const at = place();
  const runId = await orphaned(at);
  for (const keys of ["n\r", "\r", "\u0003", "\u0004"]) {
    expect(await answered(at, ["abandon", runId], keys), JSON.stringify(keys)).toBe(6);
  }
  expect(findRunProcesses(runId)?.length).toBeGreaterThan(0);
  expect(await answered(at, ["abandon", runId], "y\r")).toBe(0);
  expect(findRunProcesses(runId)).toEqual([]);
});

test("prune removes ended runs of that age with their snapshots, never an unfinished one", async () => {
  const at = place();
  const [ended, open] = [await approved(at), await stopped(at)];
  write(at.repo, { "new.txt": "new\n" });
  for (const id of [ended, open]) {
    await takeSnapshot(at.repo, { prefix: `refs/quasar/${id}/`, message: "kept" });
  }
  expect((await quasar(at, ["prune"])).stdout).toContain("no runs removed");
  const dry = await quasar(at, ["prune", "--older-than", "0s", "--dry-run", "--json"]);
  expect(lastRecord(dry)).toMatchObject({ runIds: [ended] });
  expect(readdirSync(runsOf(at)).toSorted()).toEqual([ended, open].toSorted());

  expect(await quasar(at, ["prune", open])).toMatchObject({ code: 1 });
  expect(await quasar(at, ["prune", "--older-than", "0s"])).toMatchObject({ code: 0 });
  expect(readdirSync(runsOf(at))).toEqual([open]);
  expect(git(at, "for-each-ref", "--format=%(refname)", "refs/quasar")).toBe(
    `refs/quasar/${open}/1`,
  );
  expect(await quasar(at, ["prune", "--older-than", "soon"])).toMatchObject({ code: 2 });
});

test("prune --stopped removes what nobody has resumed too, and says how much that frees", async () => {
  const at = place();
  const [ended, open] = [await approved(at), await stopped(at)];
  const age = ["--older-than", "0s", "--stopped"];
  const dry = await quasar(at, ["prune", ...age, "--dry-run"]);
  expect(dry.stdout).toMatch(/would free \d+(\.\d)? KiB/u);
  expect(dry.stdout).toContain("next     quasar prune --older-than 0s --stopped");
  const done = await quasar(at, ["prune", ...age, "--json"]);
  expect(lastRecord(done)).toMatchObject({ runIds: [open, ended], sizeBytes: expect.any(Number) });
  expect(Number(lastRecord(done)["sizeBytes"])).toBeGreaterThan(1000);
  expect(readdirSync(runsOf(at))).toEqual([]);
  expect(await quasar(at, ["resume"])).toMatchObject({ code: 8 });
});

test("a run that could be resumed is removed by name only with --stopped, while its agent works not at all", async () => {
  const at = place();
  const open = await stopped(at);
  const refused = await quasar(at, ["prune", open]);
  expect(refused.stderr).toContain(`quasar prune ${open} --stopped`);
  expect(await quasar(at, ["prune", open, "--stopped"])).toMatchObject({ code: 0 });
  const alive = await orphaned(at);
  expect(await quasar(at, ["prune", alive, "--stopped"])).toMatchObject({ code: 6 });
  expect(readdirSync(runsOf(at))).toEqual([alive]);
});

test("prune says what it would do while a runner works, and does nothing then", async () => {
  const at = place();
  const ended = await approved(at);
  const running = start(at, ["run", "Write", ...agents(at, oneCycle(LONG))]);
  expect(await running.sees("coder    works")).toBe(true);
  const dry = await quasar(at, ["prune", "--older-than", "0s", "--dry-run"]);
  expect(dry, dry.stderr).toMatchObject({ code: 0 });
  expect(dry.stdout).toContain(ended);
  expect(dry.stdout).toContain("next     quasar prune --older-than 0s");
  expect(await quasar(at, ["prune", "--older-than", "0s"])).toMatchObject({ code: 6 });
  expect(readdirSync(runsOf(at))).toContain(ended);
});

test("a run of which nothing can be read is removed on its user's word, once it is quarantined", async () => {
  const at = place();
  const runId = await stopped(at);
  const dir = join(runsOf(at), runId);
  for (const name of readdirSync(dir).filter((each) => each.startsWith("checkpoint.toml"))) {
    rmSync(join(dir, name));
    writeFileSync(join(dir, name), "?");
  }
  const refused = await quasar(at, ["prune", runId]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("quasar resume") });
  expect(await quasar(at, ["resume", runId])).toMatchObject({ code: 7 });
  expect(await quasar(at, ["abandon", runId])).toMatchObject({
    code: 7,
    stderr: expect.stringContaining(`quasar prune ${runId}`),
  });
  const { problems } = lastRecord(await doctor(at, ["--json"])) as { problems: object[] };
  expect(problems).toMatchObject([{ check: "runs" }]);
  expect((await quasar(at, ["prune", "--older-than", "0s"])).stdout).toContain("no runs removed");
  expect(await quasar(at, ["prune", runId])).toMatchObject({ code: 0 });
  expect(readdirSync(runsOf(at))).toEqual([]);
});

test("the doctor says whether hidden processes of agents and checks are ended on this machine", async () => {
  const at = place();
  const endsDaemons = cgroupToHoldIn() !== undefined;
  expect(lastRecord(await doctor(at, ["--json"]))).toMatchObject({ endsDaemons });
  const { stdout } = await doctor(at);
  expect(stdout).toMatch(
    endsDaemons ? /daemons .* is ended with it \(cgroup\)/u : /daemons .* is not ended/u,
  );
});

test("the doctor finds a tree healthy in which a run has ended and another was stopped", async () => {
  const at = place();
  await approved(at);
  await stopped(at);
  const healthy = await doctor(at);
  expect(healthy, healthy.stdout).toMatchObject({ code: 0 });
  expect(healthy.stdout).toContain("healthy");
});

test("the doctor says what kept runs take, and frees as much as it says of those that have ended", async () => {
  const at = place();
  const [ended, left] = [await approved(at), await stopped(at)];
  const { stdout: small } = await doctor(at);
  expect(small, "a record that takes no room stays").not.toContain("quasar prune");
  const output = join(runsOf(at), ended, "turns/9.out");
  writeFileSync(output, "");
  truncateSync(output, 100 * 2 ** 20);
  const kept = async () =>
    lastRecord(await doctor(at, ["--json"]))["kept"] as {
      ended: { runCount: number; sizeBytes: number };
      stopped: { runCount: number; sizeBytes: number };
      next: string[];
    };
  const { next, ...sizes } = await kept();
  expect(sizes).toMatchObject({ ended: { runCount: 1 }, stopped: { runCount: 1 } });
  expect(next).toHaveLength(1);
  const told = (await doctor(at)).stdout;
  expect(told).toMatch(/kept +1 run ended: [\d.]+ MiB\n +1 run that can still be resumed: /u);
  for (const line of next) expect(told).toContain(line.replace(/ +# /u, " # "));
  const freed = async (command = ""): Promise<unknown> => {
    const [args = ""] = command.replace("quasar ", "").split("   # ");
    return lastRecord(await quasar(at, [...args.split(" "), "--json"]));
  };
  expect(await freed(next[0])).toMatchObject({ runIds: [ended], sizeBytes: sizes.ended.sizeBytes });
  expect(await kept()).toMatchObject({ ended: { runCount: 0, sizeBytes: 0 }, next: [] });
  const all = "quasar prune --older-than 0s --stopped";
  expect(await freed(all)).toMatchObject({ runIds: [left], sizeBytes: sizes.stopped.sizeBytes });
  expect((await doctor(at)).stdout).not.toContain("kept");
});

test("the doctor names no command that would be refused while an agent works", async () => {
  const at = place();
  await orphaned(at);
  const { kept } = lastRecord(await doctor(at, ["--json"]));
  expect(kept).toMatchObject({ stopped: { runCount: 1 }, next: [] });
});

interface Ailment {
  readonly name: string;
  readonly check: string;
  /** Whether `--fix` fixes it. */
  readonly fixes: boolean;
  readonly infect: (at: Place, runId: string) => void | Promise<void>;
}

const AILMENTS: readonly Ailment[] = [
  {
    name: "a merge in progress",
    check: "git",
    fixes: false,
    infect: (at) =>
      writeFileSync(join(at.repo, ".git/MERGE_HEAD"), `${git(at, "rev-parse", "HEAD")}\n`),
  },
  {
    name: "a lock of a git that is gone",
    check: "git locks",
    fixes: true,
    infect: (at) => writeFileSync(join(at.repo, ".git/index.lock"), ""),
  },
  {
    name: "a note of a killed runner",
    check: "lock",
    fixes: true,
    infect: (at, runId) => writeFileSync(join(at.repo, ".git/quasar/lock.run"), `1 ${runId}\n`),
  },
  {
    name: "a damaged file that was quarantined",
    check: "runs",
    fixes: false,
    infect: (at, runId) => writeFileSync(join(runsOf(at), runId, "checkpoint.toml.damaged-x"), "?"),
  },
  {
    name: "a checkpoint of another version",
    check: "runs",
    fixes: false,
    infect: (at, runId) => {
      const path = join(runsOf(at), runId, "checkpoint.toml");
      const text = readFileSync(path, "utf8").replace(
        /^version = 1\n(sealed = 1\n)?/u,
        "version = 9\n",
      );
      writeFileSync(path, text.replace(/^# quasar:v1 .*\n?$/mu, ""));
    },
  },
  {
    name: "a journal that was changed",
    check: "journals",
    fixes: false,
    infect: (at, runId) => {
      const path = join(runsOf(at), runId, "events.jsonl");
      writeFileSync(path, readFileSync(path, "utf8").replace('"cycle":1', '"cycle":7'));
    },
  },
  {
    name: "an unfinished save",
    check: "left over",
    fixes: true,
    infect: (at, runId) =>
      writeFileSync(join(runsOf(at), runId, ".checkpoint.toml.0123456789abcdef.tmp"), "half"),
  },
  {
    name: "snapshots of a run that is gone",
    check: "refs",
    fixes: false,
    infect: async (at) => {
      write(at.repo, { "x.txt": "x\n" });
      const prefix = "refs/quasar/20200101-000000-abcdef/";
      await takeSnapshot(at.repo, { prefix, message: "of a run that is gone" });
    },
  },
  {
    name: "snapshots of a run that has ended",
    check: "refs",
    fixes: true,
    infect: async (at) => {
      const id = await approved(at);
      write(at.repo, { "x.txt": "x\n" });
      await takeSnapshot(at.repo, { prefix: `refs/quasar/${id}/`, message: "of an ended run" });
    },
  },
  {
    name: "a checkpoint in a commit",
    check: "committed",
    fixes: false,
    infect: (at) => {
      write(at.repo, { ".quasar/checkpoint.toml": "version = 1\n" });
      git(at, "add", "-f", ".quasar/checkpoint.toml");
      git(at, "-c", "user.name=A", "-c", "user.email=a@localhost", "commit", "-qm", "oops");
    },
  },
  {
    name: "a folder that git would commit",
    check: "ignored",
    fixes: true,
    infect: (at) => {
      mkdirSync(join(at.repo, ".quasar"), { recursive: true });
      writeFileSync(join(at.repo, ".quasar/.gitignore"), "");
    },
  },
  {
    name: "runs that others can read",
    check: "modes",
    fixes: true,
    infect: (at) => chmodSync(runsOf(at), 0o755),
  },
];

test.for(AILMENTS)("the doctor finds $name", async ({ check, fixes, infect }) => {
  const at = place();
  const runId = await stopped(at);
  await infect(at, runId);
  const checks = (done: { stdout: string }): readonly unknown[] =>
    (lastRecord(done as never)["problems"] as { check: string }[]).map((each) => each.check);
  const found = await doctor(at, ["--json"]);
  expect(found.code, found.stdout + found.stderr).toBe(1);
  expect(checks(found)).toEqual([check]);
  const fixed = await doctor(at, ["--fix", "--json"]);
  expect(fixed.code, fixed.stdout).toBe(fixes ? 0 : 1);
  const after = await doctor(at, ["--json"]);
  expect(checks(after)).toEqual(fixes ? [] : [check]);
});

test("the doctor's advice for committed files of quasar leaves alone what a team shares", async () => {
  const at = place();
  git(at, "config", "user.name", "a user");
  git(at, "config", "user.email", "user@localhost");
  mkdirSync(join(at.repo, ".quasar"));
  const shared = [".quasar/.gitignore", ".quasar/config.toml"];
  for (const path of shared)
    writeFileSync(join(at.repo, path), path.endsWith("ignore") ? "*\n" : "");
  git(at, "add", "--force", "--", ...shared);
  git(at, "commit", "-qm", "Share the configuration");
  expect(await doctor(at)).toMatchObject({ code: 0 });
  writeFileSync(join(at.repo, ".quasar/checkpoint.toml"), "");
  git(at, "add", "--force", "--", ".quasar/checkpoint.toml");
  git(at, "commit", "-qm", "Oops");
  const found = await doctor(at, ["--json"]);
  const problems = lastRecord(found)["problems"] as readonly { check: string; next: string[] }[];
  const [advice = ""] = problems.find(({ check }) => check === "committed")?.next ?? [];
  const env = { ...at.env, GIT_EDITOR: "echo Fixed >" };
  const typed = spawnSync("sh", ["-c", advice], { cwd: at.repo, env, encoding: "utf8" });
  expect(typed.status, typed.stderr).toBe(0);
  expect(git(at, "ls-files", ".quasar").trim().split("\n")).toEqual(shared);
});

test("the doctor ends agents of a run that is gone, not those that a resume would follow", async () => {
  const at = place();
  const runId = await orphaned(at);
  const before = await doctor(at, ["--fix", "--json"]);
  expect(findRunProcesses(runId)?.length).toBeGreaterThan(0);
  expect(lastRecord(before)["problems"]).toMatchObject([{ check: "lock" }]);
  const dir = join(runsOf(at), runId);
  const { renameSync } = await import("node:fs");
  renameSync(dir, join(at.outside, "moved-away"));
  const found = await doctor(at);
  expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining(runId) });
  expect(await doctor(at, ["--fix"])).toMatchObject({ code: 0 });
  expect(findRunProcesses(runId)).toEqual([]);
});

test("a resume continues although a killed git has left its locks", async () => {
  const at = place();
  await stopped(at);
  appendFileSync(join(at.repo, ".git/index.lock"), "");
  writeFileSync(join(at.repo, ".git/refs/heads/main.lock"), "");
  write(at.repo, { ".git/refs/quasar/20261121-101500-7f3a9c/1.lock": "" });
  const resumed = await quasar(at, ["resume", "--max-cycles", "2", ...agents(at, oneCycle())]);
  expect(resumed, resumed.stdout).toMatchObject({ code: 0 });
  expect(resumed.stderr).toContain("index.lock");
  const left = readdirSync(join(at.repo, ".git")).filter((name) => name.startsWith("index.lock"));
  expect(left).toEqual([expect.stringMatching(/^index\.lock\.left-/u)]);
  const refs = readdirSync(join(at.repo, ".git/refs"), { recursive: true, encoding: "utf8" });
  expect(refs.filter((name) => name.includes(".lock"))).toEqual([]);
});
