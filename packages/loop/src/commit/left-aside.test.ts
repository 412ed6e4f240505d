import { expect, test } from "vitest";
import { type Answer, APPROVAL, fakeAgent, issue } from "../../test/fake-agent.ts";
import { type Harness, harness } from "../../test/harness.ts";
import { runFromCheckpoint, runTask } from "../loop.ts";

const TASK = { title: "Do it" };
const LONG_AGO = "2020-01-01T00:00:00Z";

/** Has git see a variable while something is done. */
function withVariable(name: string, value: string, act: () => void): void {
  const before = process.env[name];
  process.env[name] = value;
  try {
    act();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}

/** A run in which the coder does something, and the reviewer judges. */
function runWith(act: (loop: Harness) => void, verdict = APPROVAL): Harness {
  const acting: Answer = ({ turnId }) => {
    const action = `quasar:${turnId.replace(".", "/")}`;
    withVariable("GIT_REFLOG_ACTION", action, () => act(loop));
    return "done";
  };
  const loop: Harness = harness({
    coder: fakeAgent([acting]),
    reviewer: fakeAgent([verdict, verdict]),
    now: () => new Date(),
  });
  return loop;
}

function commitBeside({ tree }: Harness, ...where: readonly string[]): string {
  tree.git("checkout", "-q", ...where);
  tree.write("beside.txt", "work\n");
  tree.git("add", "-A");
  tree.git("commit", "-q", "-m", "beside");
  const sha = tree.head();
  tree.git("checkout", "-q", "main");
  return sha;
}

test.for([
  ["a detached HEAD", ["--detach"]],
  ["another branch", ["-b", "elsewhere"]],
] as const)("an approval names the commit that the coder made on %s", async ([, where]) => {
  let sha = "";
  const loop = runWith((at) => {
    sha = commitBeside(at, ...where);
  });
  const { outcome, message } = await runTask(TASK, loop.options);
  expect(outcome).toBe("approved");
  expect(message).toContain("No changes were made.");
  expect(message).toContain(`commit ${sha.slice(0, 12)}, made in this run`);
});

test("an approval names no commit of the coder's that it has amended, or brought to the branch", async () => {
  const loop = runWith((at) => {
    const sha = commitBeside(at, "--detach");
    at.tree.write("main.txt", "work\n");
    at.tree.git("add", "-A");
    at.tree.git("commit", "-q", "-m", "first");
    at.tree.write("main.txt", "better work\n");
    at.tree.git("commit", "-q", "-a", "--amend", "-m", "second");
    at.tree.git("cherry-pick", sha);
  });
  const { outcome, message } = await runTask(TASK, loop.options);
  expect({ outcome, message }).toEqual({
    outcome: "approved",
    message: "The reviewer approved the work.",
  });
});

test.for<[string, (loop: Harness) => void]>([
  [
    "no stash of before its first turn",
    ({ tree }) => {
      tree.write("README", "changed\n");
      withVariable("GIT_COMMITTER_DATE", LONG_AGO, () => tree.git("stash"));
    },
  ],
  [
    "no stash on a commit that is not the run's",
    ({ tree }) => {
      tree.git("checkout", "-q", "other");
      tree.write("README", "changed\n");
      tree.git("stash");
      tree.git("checkout", "-q", "main");
    },
  ],
  [
    "no commit of somebody else's",
    (loop) => withVariable("GIT_REFLOG_ACTION", "person", () => commitBeside(loop, "--detach")),
  ],
])("an approval names %s", async ([, act]) => {
  const loop = runWith(act);
  withVariable("GIT_COMMITTER_DATE", LONG_AGO, () => {
    const other = loop.tree.git("commit-tree", "-p", "HEAD", "-m", "other", "HEAD^{tree}").trim();
    loop.tree.git("branch", "other", other);
  });
  const { outcome, message } = await runTask(TASK, loop.options);
  expect(outcome).toBe("approved");
  expect(message).not.toContain("Not on the branch");
  expect(message).not.toContain("Not committed");
});

test("an approval names the last of several commits in a line", async () => {
  let sha = "";
  const loop = runWith(({ tree }) => {
    tree.git("checkout", "-q", "--detach");
    for (const file of ["a.txt", "b.txt"]) {
      tree.write(file, "work\n");
      tree.git("add", "-A");
      tree.git("commit", "-q", "-m", file);
    }
    sha = tree.head();
    tree.git("checkout", "-q", "main");
  });
  const { message } = await runTask(TASK, loop.options);
  expect(message.match(/(?<=Not on the branch: commit )\w+/gu)).toEqual([sha.slice(0, 12)]);
});

test.for([
  ["approved", APPROVAL],
  ["max_cycles", issue("nothing was done")],
] as const)("a run that ends as %s names what the coder has stashed", async ([end, verdict]) => {
  const loop = runWith(({ tree }) => {
    tree.write("README", "changed\n");
    tree.git("stash");
  }, verdict);
  const { outcome, message } = await runTask(TASK, { ...loop.options, maxCycles: 1 });
  expect(outcome).toBe(end);
  expect(message).toContain("Not committed: stash@{0}, stashed since the run began");
});

test("a resume names what was stashed since the run began, and so does its approval", async () => {
  const failure = { kind: "killed", message: "killed", retryable: false } as const;
  const dying: Answer = () => {
    loop.tree.write("README", "changed\n");
    return { failure };
  };
  const loop: Harness = harness({
    coder: fakeAgent([dying, "nothing to do"]),
    now: () => new Date(),
  });
  await runTask(TASK, loop.options);
  loop.tree.git("stash");
  const { message } = await runFromCheckpoint(await loop.stored(), loop.options);
  const words = "Not committed: stash@{0}, stashed since the run began";
  expect(loop.trace()).toContainEqual(expect.stringContaining(`warning ${words}`));
  expect(message).toContain(words);
});

test("an approval names a .gitignore of the run's that no commit holds, as it ignores itself", async () => {
  const loop = runWith(({ tree }) => {
    tree.write("work.txt", "work\n");
    tree.write("lib/.gitignore", "*\n");
    tree.write("lib/work.js", "work\n");
  });
  const { outcome, message } = await runTask(TASK, loop.options);
  expect(outcome).toBe("approved");
  expect(message).toContain("Not committed: what lib/.gitignore ignores, itself included.");
});

test("an approval names new files that the repository ignores, for no commit holds them", async () => {
  const loop = runWith(({ tree }) => {
    tree.write("lib/answer.js", "work\n");
    tree.write("data.local", "work\n");
    tree.write("dist/answer.js", "made of it\n");
    tree.write("node_modules/x/index.js", "not the run's\n");
    tree.write("server.log", "GET /\n");
    tree.write("work.txt", "work\n");
  });
  const rules = "lib/\ndist/\nnode_modules/\n*.local\n*.log\nold/\n";
  loop.tree.write(".gitignore", rules);
  loop.tree.write("old/before.js", "of before\n");
  loop.tree.git("add", ".gitignore");
  loop.tree.git("commit", "-qm", "rules");
  const { outcome, message } = await runTask(TASK, { ...loop.options, now: () => new Date() });
  expect({ outcome, message }).toEqual({
    outcome: "approved",
    message:
      "The reviewer approved the work. Not committed, as ignored: data.local, lib/ (git add --force takes it in).",
  });
});

test("an approval names no .gitignore in a cache or in a folder that a committed rule ignores", async () => {
  const loop = runWith(({ tree }) => {
    tree.write(".gitignore", "dist/\n");
    tree.write("dist/.gitignore", "*\n");
    tree.write(".venv/.gitignore", "*\n");
    tree.write(".venv/pyvenv.cfg", "\n");
  });
  const { outcome, message } = await runTask(TASK, loop.options);
  expect({ outcome, message }).toEqual({
    outcome: "approved",
    message: "The reviewer approved the work.",
  });
});
