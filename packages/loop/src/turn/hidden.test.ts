import { renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type Answer, APPROVAL, fakeAgent } from "../../test/fake-agent.ts";
import { type Harness, harness } from "../../test/harness.ts";
import { runFromCheckpoint, runTask } from "../loop.ts";

const TASK = { title: "Do it" };
const FLAGS = ["assume-unchanged", "skip-worktree"] as const;

function hide({ tree }: Harness, flag: (typeof FLAGS)[number], text?: string): void {
  if (text !== undefined) tree.write("README", text);
  tree.git("update-index", `--${flag}`, "README");
}

const work: Answer = ({ workTree }) => {
  writeFileSync(join(workTree, "work.txt"), "work\n");
  return "done";
};

test.for(FLAGS)("a change that the coder hides from git (%s) goes back to it", async (flag) => {
  const hiding: Answer = (request, options) => {
    hide(loop, flag, "changed\n");
    return work(request, options);
  };
  const showing: Answer = () => {
    loop.tree.git("update-index", `--no-${flag}`, "README");
    return "done";
  };
  const coder = fakeAgent([hiding, showing]);
  const reviewer = fakeAgent([APPROVAL]);
  const loop: Harness = harness({ coder, reviewer });
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 2 });
  expect(coder.requests[1]?.prompt).toMatch(/to ignore changes of these files .*: README\./u);
  expect(reviewer.requests).toHaveLength(1);
  expect(loop.tree.git("show", "HEAD:README")).toBe("changed\n");
});

test.for(FLAGS)("a change that the reviewer hides from git (%s) is undone", async (flag) => {
  const hiding: Answer = () => {
    hide(loop, flag, "changed\n");
    loop.tree.git("update-index", "--no-assume-unchanged", "mine.txt");
    return APPROVAL;
  };
  const loop: Harness = harness({ reviewer: fakeAgent([hiding]) });
  loop.tree.write("mine.txt", "committed\n");
  loop.tree.git("add", "mine.txt");
  loop.tree.git("commit", "-qm", "mine");
  loop.tree.git("update-index", "--assume-unchanged", "mine.txt");
  loop.tree.write("mine.txt", "for this machine\n");
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  expect(loop.tree.files()).toMatchObject({
    README: "a project\n",
    "mine.txt": "for this machine\n",
  });
  expect(loop.tree.git("ls-files", "-v")).toBe("H README\nh mine.txt\nH work.txt\n");
  expect(loop.events).toContainEqual(
    expect.objectContaining({ type: "undone", paths: ["README"] }),
  );
  expect(loop.trace()).toContain(
    "warning the reviewer changed whether git looks at these files, which is undone: mine.txt, README",
  );
});

test.for(FLAGS)("what a person has hidden before the run (%s) is left as it is", async (flag) => {
  const coder = fakeAgent([work]);
  const loop = harness({ coder });
  hide(loop, flag, "for this machine\n");
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 1 });
  expect(loop.tree.files()["README"]).toBe("for this machine\n");
  expect(loop.tree.git("show", "HEAD:README")).toBe("a project\n");
});

test("a change of what a person has hidden before the run goes back to the coder", async () => {
  const changing: Answer = (request, options) => {
    writeFileSync(join(request.workTree, "README"), "changed\n");
    return work(request, options);
  };
  const loop = harness({ coder: fakeAgent([changing]), maxCycles: 1 });
  hide(loop, "skip-worktree", "for this machine\n");
  const result = await runTask(TASK, loop.options);
  expect(result).toMatchObject({ outcome: "max_cycles" });
  expect(result.findings[0]?.description).toContain("README");
});

test("a sparse checkout hides no change", async () => {
  const loop = harness({ coder: fakeAgent([work]) });
  const { tree } = loop;
  tree.git("sparse-checkout", "set", "--no-cone", "/work.txt");
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 1 });
});

/** Longer than the clock by which files are dated takes for a tick. */
const aMoment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test("a change is committed that keeps size and time, where git was told not to compare more", async () => {
  const readme = (): string => join(loop.tree.dir, "README");
  const old = new Date(0);
  const disguising: Answer = ({ workTree }) => {
    loop.tree.git("config", "core.trustctime", "false");
    loop.tree.git("config", "core.checkStat", "minimal");
    // As an editor writes it: another file takes its place.
    writeFileSync(join(workTree, "README~"), "A PROJECT\n");
    utimesSync(join(workTree, "README~"), old, old);
    renameSync(join(workTree, "README~"), readme());
    return "done";
  };
  const loop: Harness = harness({ coder: fakeAgent([disguising]) });
  utimesSync(readme(), old, old);
  loop.tree.git("update-index", "-q", "--refresh");
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", changed: true });
  expect(loop.tree.git("show", "HEAD:README")).toBe("A PROJECT\n");
});

/** Puts a rule of git into a file that no commit holds. */
const RULES = {
  "info/exclude": ({ tree }: Harness) => tree.write(".git/info/exclude", "work.txt\n"),
  "core.excludesFile": ({ tree }: Harness) => {
    tree.write(".git/mine", "*.txt\n");
    tree.git("config", "core.excludesFile", ".git/mine");
  },
  "the user's own ignore file": ({ tree }: Harness) => {
    tree.write(".git/home/git/ignore", "work.txt\n");
  },
  "a file that the user's own settings name": ({ tree }: Harness) => {
    tree.write(".git/mine", "*.txt\n");
    const mine = join(tree.dir, ".git/mine");
    tree.write(".git/home/git/config", `[core]\n\texcludesFile = ${mine}\n`);
  },
} as const;

test.for(Object.entries(RULES))(
  "work that the coder has git ignore by %s, which no commit holds, goes back to it",
  async ([, ignore]) => {
    const hiding: Answer = async (request, options) => {
      writeFileSync(join(request.workTree, "other.md"), "other\n");
      await aMoment();
      ignore(loop);
      return work(request, options);
    };
    const showing: Answer = () => {
      loop.tree.write(".git/info/exclude", "");
      loop.tree.git("config", "core.excludesFile", "/dev/null");
      rmSync(join(loop.tree.dir, ".git/home"), { recursive: true, force: true });
      return "done";
    };
    const coder = fakeAgent([hiding, showing]);
    const loop: Harness = harness({
      coder,
      reviewer: fakeAgent([APPROVAL]),
      now: () => new Date(),
    });
    vi.stubEnv("XDG_CONFIG_HOME", join(loop.tree.dir, ".git/home"));
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 2 });
    vi.unstubAllEnvs();
    expect(coder.requests[1]?.prompt).toMatch(/no commit holds .*: work\.txt\./u);
    expect(loop.tree.git("show", "HEAD:work.txt")).toBe("work\n");
  },
);

test.for([".git/info/attributes", ".git/home/git/attributes"])(
  "an approval does not count where the reviewer has set attributes that no commit holds, in %s",
  async (file) => {
    const setting: Answer = async () => {
      await aMoment();
      loop.tree.write(file, "* filter=mine\n");
      return APPROVAL;
    };
    const loop: Harness = harness({ reviewer: fakeAgent([setting]), now: () => new Date() });
    vi.stubEnv("XDG_CONFIG_HOME", join(loop.tree.dir, ".git/home"));
    const result = await runTask(TASK, loop.options);
    vi.unstubAllEnvs();
    expect(result).toMatchObject({ outcome: "approved-differs" });
    expect(result.message).toContain(file);
  },
);

test("of what a person's own rules ignore, what is older than their change is nobody's concern", async () => {
  const changing: Answer = async (request, options) => {
    await aMoment();
    loop.tree.write(".git/home/git/config", "[color]\n\tui = auto\n");
    return work(request, options);
  };
  const loop: Harness = harness({ coder: fakeAgent([changing]), now: () => new Date() });
  loop.tree.write(".git/home/git/ignore", "mine.txt\n");
  loop.tree.write("mine.txt", "mine\n");
  vi.stubEnv("XDG_CONFIG_HOME", join(loop.tree.dir, ".git/home"));
  await aMoment();
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 1 });
  vi.unstubAllEnvs();
});

test("a rule that a person adds of their own while a run works costs it nothing", async () => {
  const adding: Answer = async (request, options) => {
    await aMoment();
    loop.tree.write(".git/home/git/ignore", "mine.txt\n.idea\n");
    return work(request, options);
  };
  const loop: Harness = harness({ coder: fakeAgent([adding]), now: () => new Date() });
  loop.tree.write(".git/home/git/ignore", "mine.txt\n");
  loop.tree.write("mine.txt", "mine\n");
  vi.stubEnv("XDG_CONFIG_HOME", join(loop.tree.dir, ".git/home"));
  await aMoment();
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 1 });
  vi.unstubAllEnvs();
});

test("what no commit holds is paid one turn more, then it is a person's, and a resume continues without a turn", async () => {
  const hiding: Answer = async (request, options) => {
    await aMoment();
    loop.tree.write(".git/info/exclude", "work.txt\n");
    return work(request, options);
  };
  const coder = fakeAgent([hiding, "nothing to be done about it"]);
  const loop: Harness = harness({ coder, maxCycles: 5, now: () => new Date() });
  const stopped = await runTask(TASK, loop.options);
  expect(stopped).toMatchObject({ outcome: "work-tree", cycle: 2 });
  expect(stopped.message).toMatch(/after another turn .*no commit holds .*: work\.txt\./u);
  expect(await runFromCheckpoint(await loop.stored(), loop.options)).toMatchObject({
    outcome: "work-tree",
  });
  loop.tree.write(".git/info/exclude", "");
  loop.tree.git("add", "work.txt");
  loop.tree.git("commit", "-qm", "a person's");
  const accepted = { ...loop.options, acceptHead: true };
  const resumed = await runFromCheckpoint(await loop.stored(), accepted);
  expect(resumed, resumed.message).toMatchObject({ outcome: "approved" });
  expect(coder.requests).toHaveLength(2);
  expect(loop.tree.git("show", "HEAD:work.txt")).toBe("work\n");
});

test("what git ignores by a person's own rules, or by a .gitignore, stays ignored", async () => {
  const ignoring: Answer = (request, options) => {
    writeFileSync(join(request.workTree, ".gitignore"), "*.log\n");
    writeFileSync(join(request.workTree, "a.log"), "a\n");
    writeFileSync(join(request.workTree, "mine.txt"), "mine\n");
    return work(request, options);
  };
  const loop: Harness = harness({ coder: fakeAgent([ignoring]), now: () => new Date() });
  loop.tree.write(".git/info/exclude", "mine.txt\n");
  await aMoment();
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 1 });
});
