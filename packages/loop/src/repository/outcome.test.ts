import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CheckpointError } from "@quasar/checkpoint";
import { describe, expect, test } from "vitest";
import { APPROVAL, fakeAgent, issue, writingCoder } from "../../test/fake-agent.ts";
import { type Harness, harness } from "../../test/harness.ts";
import type { WorkTree } from "../../test/work-tree.ts";
import type { Answer } from "../../test/fake-agent.ts";
import type { LoopOptions } from "../options.ts";
import { runFromCheckpoint, runTask } from "../loop.ts";

const TASK = { title: "Do it" };

/** A command that appends a line to a file, once. */
const once = (file: string, act = ":"): string =>
  `[ -e .git/once ] || { touch .git/once; echo formatted >> ${file}; ${act}; }`;

function hook({ dir }: WorkTree, name: string, script: string): void {
  const folder = join(dir, ".git", "hooks");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** What git does when an agent of a run's first turn calls it. */
function agentGit({ tree }: Harness, ...args: readonly string[]): void {
  const before = process.env["GIT_REFLOG_ACTION"];
  process.env["GIT_REFLOG_ACTION"] = "quasar:run/1";
  try {
    tree.git(...args);
  } finally {
    if (before === undefined) delete process.env["GIT_REFLOG_ACTION"];
    else process.env["GIT_REFLOG_ACTION"] = before;
  }
}

const status = ({ tree }: Harness): string => tree.git("status", "--porcelain", "-uall");
const trailers = ({ tree }: Harness): readonly string[] =>
  tree.git("log", "--format=%(trailers:only,unfold)%x00", "main").split("\0\n");

/** A run whose coder acts on the tree. */
function runWith(act: (loop: Harness) => void, options: Partial<LoopOptions> = {}): Harness {
  const code: Answer = ({ workTree }) => {
    appendFileSync(join(workTree, "work.txt"), "work\n");
    act(loop);
    return "done";
  };
  const loop: Harness = harness({ coder: fakeAgent([code]), ...options });
  return loop;
}

describe("an approval", () => {
  test("of a run that changed nothing says so, and that nothing changed", async () => {
    const result = await runTask(TASK, harness({ coder: fakeAgent(["nothing to do"]) }).options);
    expect(result).toMatchObject({ outcome: "approved", changed: false });
    expect(result.message).toContain("No changes were made");
  });

  test("of a run whose commits undo one another says that nothing changed", async () => {
    const write: Answer = ({ workTree }) => {
      writeFileSync(join(workTree, "work.txt"), "work\n");
      return "written";
    };
    const undo: Answer = ({ workTree }) => {
      rmSync(join(workTree, "work.txt"));
      return "undone";
    };
    const reviewer = fakeAgent([issue("not wanted"), APPROVAL]);
    const loop = harness({ coder: fakeAgent([write, undo]), reviewer });
    const result = await runTask(TASK, loop.options);
    expect(loop.tree.subjects()).toHaveLength(2);
    expect(result).toMatchObject({ outcome: "approved", changed: false });
  });

  test("of a run that changed something does not", async () => {
    const result = await runTask(TASK, harness().options);
    expect(result).toMatchObject({ outcome: "approved", changed: true });
    expect(result.message).not.toContain("No changes");
  });

  test("does not count where a file was changed after the review", async () => {
    const loop = harness();
    const { tree } = loop;
    const onEvent = ({ type }: { type: string }): void => {
      if (type === "review_complete") tree.write("late.txt", "after the review\n");
    };
    const result = await runTask(TASK, { ...loop.options, hooks: [{ onEvent }] });
    expect(result).toMatchObject({ outcome: "approved-differs" });
    expect(result.message).toContain("late.txt");
    expect(await loop.stored()).toMatchObject({ phase: "code_complete" });
  });

  test("does not count where HEAD was moved after the review; what is there then is checked and reviewed again", async () => {
    const reviewer = fakeAgent([APPROVAL]);
    const loop = harness({ reviewer });
    const { tree } = loop;
    let isDone = false;
    const onEvent = ({ type }: { type: string }): void => {
      if (type !== "review_complete" || isDone) return;
      isDone = true;
      tree.write("late.txt", "after the review\n");
      agentGit(loop, "add", "-A");
      agentGit(loop, "commit", "-q", "-m", "late");
    };
    const options = { ...loop.options, hooks: [{ onEvent }] };
    const first = await runTask(TASK, options);
    expect(first).toMatchObject({ outcome: "approved-differs" });
    expect(first.message).toContain("the reviewer read another tree");
    const second = await runFromCheckpoint(await loop.stored(), options);
    expect(second).toMatchObject({ outcome: "approved", finalCommitSha: tree.head() });
    expect(reviewer.requests).toHaveLength(2);
  });
});

describe("what is changed beside the coder", () => {
  test("by lint is a commit of its own with the trailers of the cycle's, and so reviewed", async () => {
    const lint = [{ name: "format", command: once("work.txt") }];
    const loop = harness({ lint });
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "approved", cycleCommits: [loop.tree.head()] });
    expect(loop.tree.git("show", "HEAD:work.txt")).toBe("turn 1\nformatted\n");
    expect(status(loop)).toBe("");
    const [format, work] = trailers(loop);
    expect(format).toContain("Quasar-Turn: run.1");
    expect(format).toBe(work);
    const facts = { type: "committed", by: "checks", paths: ["work.txt"], sha: loop.tree.head() };
    expect(loop.events).toContainEqual(expect.objectContaining(facts));
  });

  test("by a lint that fixes and fails is no matter for the coder if lint then passes", async () => {
    const coder = writingCoder();
    const command = `[ -e .git/once ] || { ${once("work.txt")}; exit 1; }`;
    const loop = harness({ coder, lint: [{ name: "format", command }] });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(coder.requests).toHaveLength(1);
    expect(status(loop)).toBe("");
  });

  test("by a required check is committed, and the check runs again on it", async () => {
    const filters = [{ name: "tests", command: `echo x >> .git/runs; ${once("snapshot.txt")}` }];
    const loop = harness({ filters });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(loop.events.filter(({ type }) => type === "check_done")).toHaveLength(2);
    expect(loop.tree.git("show", "HEAD:snapshot.txt")).toBe("formatted\n");
  });

  test("by a check that changes files each time is never approved: it has passed on no commit", async () => {
    const filters = [{ name: "tests", command: "date +%s%N >> times.txt" }];
    const coder = writingCoder();
    const loop = harness({ filters, coder, maxCycles: 2 });
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "max_cycles", cycle: 2 });
    expect(coder.requests[1]?.prompt).toMatch(
      /change these files whenever they run[^]*times\.txt/u,
    );
    expect(status(loop)).toBe("");
  });

  test("by a check that passes on what it left no more is not approved", async () => {
    const command =
      "case $(cat work.txt) in *v3*) exit 1;; *v2*) echo v3 >> work.txt;; *) echo v2 >> work.txt;; esac";
    const loop = harness({ filters: [{ name: "tests", command }], maxCycles: 1 });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "max_cycles" });
  });

  test("by a git hook that does not stage it is a commit of its own", async () => {
    const loop = harness();
    hook(loop.tree, "pre-commit", once("work.txt"));
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(loop.tree.git("show", "HEAD:work.txt")).toBe("turn 1\nformatted\n");
    expect(loop.events).toContainEqual(expect.objectContaining({ by: "git hook" }));
  });

  test("by a git hook that takes it back is reported, with where it still is", async () => {
    const both = ({ workTree }: { readonly workTree: string }): string => {
      writeFileSync(join(workTree, "kept.txt"), "kept\n");
      writeFileSync(join(workTree, "README"), "lost\n");
      return "Wrote both.";
    };
    const loop = harness({ coder: fakeAgent([both]) });
    hook(loop.tree, "pre-commit", "git checkout -q HEAD -- README");
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    const told = loop.events.flatMap((event) => (event.type === "warning" ? event.message : []));
    expect(told).toContainEqual(expect.stringMatching(/out of the commit: README\n/u));
    const blobs = loop.tree.git("fsck", "--lost-found").match(/(?<=dangling tree )\w+/gu) ?? [];
    expect(blobs.map((tree) => loop.tree.git("show", `${tree}:README`))).toContain("lost\n");
  });

  test.for([
    ["staged", "git add work.txt"],
    ["not staged", "git reset -q -- work.txt"],
  ] as const)("what a git hook has changed and %s is not told as taken out", async ([, act]) => {
    const loop = harness();
    hook(loop.tree, "pre-commit", once("work.txt", act));
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(loop.tree.git("show", "HEAD:work.txt")).toBe("turn 1\nformatted\n");
    const told = loop.events.flatMap((event) => (event.type === "warning" ? event.message : []));
    expect(told).not.toContainEqual(expect.stringContaining("out of the commit"));
  });

  test("by a git hook whenever it runs stops the run before the review is paid for", async () => {
    const reviewer = fakeAgent([APPROVAL]);
    const loop = harness({ reviewer });
    hook(loop.tree, "post-commit", "date +%s%N >> times.txt");
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "work-tree" });
    expect(result.message).toContain("times.txt");
    expect(reviewer.requests).toHaveLength(0);
  });

  test("by a reviewer is undone, kept in a snapshot, and told", async () => {
    const meddle: Answer = ({ workTree }) => {
      writeFileSync(join(workTree, "README"), "by the reviewer\n");
      writeFileSync(join(workTree, "new.txt"), "by the reviewer\n");
      rmSync(join(workTree, "work.txt"));
      return APPROVAL;
    };
    const loop = harness({ reviewer: fakeAgent([meddle]) });
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "approved" });
    expect(status(loop)).toBe("");
    expect(loop.tree.files()).toEqual({ README: "a project\n", "work.txt": "turn 1\n" });
    const undone = loop.events.find(({ type }) => type === "undone");
    expect(undone).toMatchObject({ n: 1, paths: ["README", "work.txt", "new.txt"] });
    expect(loop.tree.git("show", "refs/quasar/run/1:new.txt")).toBe("by the reviewer\n");
  });

  test("by a reviewer that fails or is interrupted is undone too", async () => {
    const meddle: Answer = ({ workTree }) => {
      writeFileSync(join(workTree, "README"), "by the reviewer\n");
      return { failure: { kind: "network", message: "no net", retryable: true } };
    };
    const loop = harness({ reviewer: fakeAgent([meddle]) });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "agent" });
    expect(status(loop)).toBe("");
  });

  test("by a reviewer who stages it is out of the index as well", async () => {
    const meddle: Answer = ({ workTree }) => {
      writeFileSync(join(workTree, "new.txt"), "by the reviewer\n");
      loop.tree.git("add", "-A");
      return APPROVAL;
    };
    const loop: Harness = harness({ reviewer: fakeAgent([meddle]) });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(status(loop)).toBe("");
  });

  test("by a reviewer's commit stops the run", async () => {
    const meddle: Answer = ({ workTree }) => {
      writeFileSync(join(workTree, "new.txt"), "by the reviewer\n");
      agentGit(loop, "add", "-A");
      agentGit(loop, "commit", "-q", "-m", "mine");
      return APPROVAL;
    };
    const loop: Harness = harness({ reviewer: fakeAgent([meddle]) });
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "work-tree" });
    expect(result.message).toContain("the reviewer made commits");
  });

  test("by checks that were killed is committed when the run continues", async () => {
    const loop = harness();
    const states: unknown[] = [];
    const store = {
      ...loop.store,
      save: async (checkpoint: Parameters<typeof loop.store.save>[0]) => {
        states.push(checkpoint);
        await loop.store.save(checkpoint);
      },
    };
    await runTask(TASK, { ...loop.options, checkpoint: { store, granularity: "turn" } });
    const settled = states.findLast(
      (each) => (each as { phase: string }).phase === "coding",
    ) as Parameters<typeof runFromCheckpoint>[0];
    loop.tree.write("work.txt", "half formatted\n");
    const result = await runFromCheckpoint(settled, loop.options);
    expect(result).toMatchObject({ outcome: "approved" });
    expect(status(loop)).toBe("");
    expect(loop.tree.git("show", "HEAD:work.txt")).toBe("half formatted\n");
  });
});

describe("a turn after which the run stops", () => {
  test.for([
    ["switches the branch", (loop: Harness) => agentGit(loop, "switch", "-q", "-c", "other")],
    ["leaves the branch", (loop: Harness) => agentGit(loop, "checkout", "-q", "--detach")],
    [
      "rewrites what was there before",
      (loop: Harness) =>
        agentGit(loop, "commit", "-q", "--amend", "--allow-empty", "-m", "rewritten"),
    ],
    [
      "takes the branch back",
      (loop: Harness) => {
        agentGit(loop, "update-ref", "refs/heads/main", "HEAD~1");
      },
    ],
    [
      "stops in the middle of a rebase",
      (loop: Harness) => {
        agentGit(loop, "add", "-A");
        agentGit(loop, "commit", "-q", "-m", "wip");
        agentGit(
          loop,
          "-c",
          "sequence.editor=sed -i s/^pick/edit/",
          "rebase",
          "-q",
          "-i",
          "HEAD~1",
        );
      },
    ],
    [
      "sees somebody else commit",
      ({ tree }: Harness) => {
        tree.git("commit", "-q", "--allow-empty", "-m", "by hand");
      },
    ],
  ] as const)("is one whose agent %s", async ([, act]) => {
    const reviewer = fakeAgent([APPROVAL]);
    const loop = runWith(act, { reviewer });
    loop.tree.git("commit", "-q", "--allow-empty", "-m", "second");
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "work-tree" });
    expect(reviewer.requests).toHaveLength(0);
    expect(result.message).toMatch(/HEAD|branch|rebase/u);
    const stored = await loop.stored();
    expect(stored, "its turn is paid for").toMatchObject({ turn: { status: "settled" } });
    const again = await runFromCheckpoint(stored, loop.options).then(
      ({ outcome }): string => outcome,
      (error: unknown) => (error instanceof CheckpointError ? error.code : ""),
    );
    expect(["ERR_GIT_SHA_MISMATCH", "work-tree"]).toContain(again);
  });

  test("continues where a person accepts the other branch", async () => {
    const loop = runWith((each) => agentGit(each, "switch", "-q", "-c", "other"));
    await runTask(TASK, loop.options);
    const accepting = { ...loop.options, acceptBranch: true };
    const result = await runFromCheckpoint(await loop.stored(), accepting);
    expect(result).toMatchObject({ outcome: "approved", changed: true });
  });

  test("is not one whose agent commits by itself, or amends its own commit", async () => {
    const loop = runWith((each) => {
      agentGit(each, "add", "-A");
      agentGit(each, "commit", "-q", "-m", "mine");
      agentGit(each, "commit", "-q", "--amend", "-m", "mine, better");
    });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", changed: true });
  });
});

describe("uncommitted work that was there before", () => {
  const LINES = Array.from({ length: 12 }, (_, n) => `line ${n}\n`);
  const withLine = (n: number, text: string, lines = LINES): string[] =>
    lines.map((line, at) => (at === n ? text : line));

  /** A run on a file in which a person has changed the second line. */
  function accepting(act: Answer, options: Partial<LoopOptions> = {}): Harness {
    const untouchablePaths = ["app.txt"];
    const loop = harness({ coder: fakeAgent([act]), untouchablePaths, ...options });
    loop.tree.write("app.txt", LINES.join(""));
    loop.tree.git("add", "-A");
    loop.tree.git("commit", "-q", "-m", "app");
    loop.tree.write("app.txt", withLine(1, "mine\n").join(""));
    return loop;
  }

  test("stays out of the commit, and what the coder changes in the same file is in it", async () => {
    const both = withLine(10, "fixed\n", withLine(1, "mine\n")).join("");
    const loop = accepting(({ workTree }) => {
      writeFileSync(join(workTree, "app.txt"), both);
      return "fixed";
    });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", changed: true });
    expect(loop.tree.git("show", "HEAD:app.txt")).toBe(withLine(10, "fixed\n").join(""));
    expect(loop.tree.files()["app.txt"]).toBe(both);
  });

  const fixing: Answer = ({ workTree }) => {
    const path = join(workTree, "app.txt");
    writeFileSync(path, readFileSync(path, "utf8").replace("line 10", "fixed"));
    return "fixed";
  };

  test("keeps a mode that a person has changed out of the commit", async () => {
    const loop = accepting(fixing);
    chmodSync(join(loop.tree.dir, "app.txt"), 0o755);
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(loop.tree.git("ls-tree", "HEAD", "app.txt")).toMatch(/^100644 /u);
    expect(loop.tree.git("show", "HEAD:app.txt")).toBe(withLine(10, "fixed\n").join(""));
  });

  test("leaves a mode that the coder changes in the commit", async () => {
    const loop = accepting((request, options) => {
      chmodSync(join(request.workTree, "app.txt"), 0o755);
      return fixing(request, options);
    });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(loop.tree.git("ls-tree", "HEAD", "app.txt")).toMatch(/^100755 /u);
  });

  test.for<[string, (loop: Harness) => void, (text: string) => string]>([
    [
      "a filter",
      ({ tree }) => {
        tree.git("config", "filter.rot.clean", "tr a-z n-za-m");
        tree.git("config", "filter.rot.smudge", "tr a-z n-za-m");
        tree.write(".gitattributes", "app.txt filter=rot\n");
      },
      (text) => text,
    ],
    [
      "other line endings",
      ({ tree }) => tree.write(".gitattributes", "app.txt eol=crlf\n"),
      (text) => text.replaceAll("\n", "\r\n"),
    ],
    [
      "another encoding",
      ({ tree }) => tree.write(".gitattributes", "app.txt working-tree-encoding=UTF-16\n"),
      (text) => text,
    ],
  ])("is told from the coder's change in a file with %s", async ([what, prepare, onDisk]) => {
    const encoding = what === "another encoding" ? "utf16le" : "utf8";
    const asIs = (text: string): Buffer => Buffer.from(onDisk(text), encoding);
    const loop = harness({
      untouchablePaths: ["app.txt"],
      coder: fakeAgent([
        ({ workTree }) => {
          const path = join(workTree, "app.txt");
          const text = readFileSync(path).toString(encoding);
          writeFileSync(path, Buffer.from(text.replace("line 10", "fixed"), encoding));
          return "fixed";
        },
      ]),
    });
    prepare(loop);
    const bom = encoding === "utf16le" ? "\uFEFF" : "";
    const path = join(loop.tree.dir, "app.txt");
    writeFileSync(path, asIs(bom + LINES.join("")));
    loop.tree.git("add", "-A");
    loop.tree.git("commit", "-q", "-m", "app");
    const before = loop.tree.git("show", "HEAD:app.txt");
    writeFileSync(path, asIs(bom + withLine(1, "mine\n").join("")));
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    const fixed = what === "a filter" ? ["yvar 10", "svkrq"] : ["line 10", "fixed"];
    expect(loop.tree.git("show", "HEAD:app.txt")).toBe(
      before.replace(...(fixed as [string, string])),
    );
    const both = bom + withLine(10, "fixed\n", withLine(1, "mine\n")).join("");
    expect(readFileSync(path)).toEqual(asIs(both));
    expect(lostWarning(loop)).toEqual([]);
  });

  test("stays as it is where nobody changes it", async () => {
    const loop = accepting(({ workTree }) => {
      writeFileSync(join(workTree, "work.txt"), "work\n");
      return "done";
    });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(status(loop)).toBe(" M app.txt\n");
  });

  test("that the coder's change cannot be told from stops the run, and names the file", async () => {
    const loop = accepting(({ workTree }) => {
      writeFileSync(join(workTree, "app.txt"), withLine(1, "mine, fixed\n").join(""));
      return "fixed";
    });
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "work-tree" });
    expect(result.message).toContain("app.txt");
    expect(loop.tree.subjects()).toEqual(["app"]);
  });

  const lostWarning = ({ events }: Harness): readonly string[] =>
    events.flatMap((event) =>
      event.type === "warning" && event.message.startsWith("not all is there")
        ? [event.message]
        : [],
    );

  test.for<[string, (dir: string) => void, readonly string[]]>([
    [
      "puts back",
      (dir) => void execFileSync("git", ["checkout", "-q", "app.txt"], { cwd: dir }),
      ["app.txt"],
    ],
    ["removes", (dir) => rmSync(join(dir, "notes", "todo.txt")), ["notes/todo.txt"]],
    ["moves", (dir) => renameSync(join(dir, "notes"), join(dir, "moved")), ["notes/todo.txt"]],
    [
      "overwrites in part",
      (dir) => writeFileSync(join(dir, "app.txt"), withLine(10, "fixed\n").join("")),
      ["app.txt"],
    ],
    [
      "adds to",
      (dir) =>
        writeFileSync(
          join(dir, "app.txt"),
          withLine(10, "fixed\n", withLine(1, "mine\n")).join(""),
        ),
      [],
    ],
  ])("that a coder %s is in a snapshot, and told", async ([, act, lost]) => {
    const loop = accepting(
      ({ workTree }) => {
        act(workTree);
        writeFileSync(join(workTree, "work.txt"), "work\n");
        return "done";
      },
      { untouchablePaths: ["app.txt", "notes/todo.txt"] },
    );
    loop.tree.write("notes/todo.txt", "mine\n");
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(lostWarning(loop)).toHaveLength(lost.length === 0 ? 0 : 1);
    for (const path of lost) expect(lostWarning(loop)[0]).toContain(path);
    const [kept] = loop.events.filter(({ type }) => type === "snapshot");
    const ref = kept?.type === "snapshot" ? kept.ref : "";
    expect(loop.tree.git("show", `${ref}:notes/todo.txt`)).toBe("mine\n");
    expect(loop.tree.git("show", `${ref}:app.txt`)).toBe(withLine(1, "mine\n").join(""));
  });

  test("that a reviewer changes stops the run", async () => {
    const meddle: Answer = ({ workTree }) => {
      writeFileSync(join(workTree, "app.txt"), "the reviewer's\n");
      return APPROVAL;
    };
    const loop = accepting(() => "nothing", { reviewer: fakeAgent([meddle]) });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "work-tree" });
  });
});

describe("what is advised in an ending puts the work tree right, and a resume is approved:", () => {
  const once = "[ -e .git/once ] || { touch .git/once; git reset -q --hard HEAD~1; }";

  test.for<[string, RegExp, (loop: Harness) => void, ((loop: Harness) => void)?]>([
    [
      "the branch has lost its commit",
      /git reset --soft [0-9a-f]{12}/u,
      ({ tree }) => tree.git("update-ref", "-d", "refs/heads/main"),
    ],
    [
      "the branch was deleted",
      /git switch -c main/u,
      ({ tree }) => {
        tree.git("switch", "-q", "-c", "other");
        tree.git("branch", "-q", "-D", "main");
      },
    ],
    [
      "the branch was left",
      /git switch main/u,
      ({ tree }) => tree.git("switch", "-q", "-c", "other"),
    ],
    [
      "a git hook has undone the commit",
      /git merge --ff-only [0-9a-f]{12}/u,
      () => {},
      ({ tree }) => hook(tree, "post-commit", once),
    ],
  ])("%s", async ([, advice, act, prepare]) => {
    const loop = runWith(act, { reviewer: fakeAgent([APPROVAL]) });
    prepare?.(loop);
    const first = loop.tree.head();
    const stopped = await runTask(TASK, loop.options);
    expect(stopped).toMatchObject({ outcome: "work-tree" });
    const [command = ""] = advice.exec(stopped.message) ?? [];
    expect(stopped.message).toContain(`(${command})`);
    loop.tree.git(...command.split(" ").slice(1));
    const result = await runFromCheckpoint(await loop.stored(), loop.options);
    expect(result).toMatchObject({ outcome: "approved", changed: true });
    expect(loop.tree.git("show", "main:work.txt")).toBe("work\n");
    expect(loop.tree.git("rev-list", "main").trim().split("\n").at(-1)).toBe(first);
  });
});

describe("what a commit cannot hold", () => {
  test("a repository within goes back to the coder, who makes it plain files", async () => {
    const nest: Answer = ({ workTree }) => {
      mkdirSync(join(workTree, "sub"));
      writeFileSync(join(workTree, "sub", "file"), "in sub\n");
      loop.tree.git("init", "-q", "sub");
      loop.tree.git("-C", "sub", "add", "-A");
      loop.tree.git("-C", "sub", "commit", "-q", "-m", "within");
      return "done";
    };
    const fix: Answer = ({ workTree, prompt }) => {
      expect(prompt).toContain("git repositories of their own");
      rmSync(join(workTree, "sub", ".git"), { recursive: true });
      return "fixed";
    };
    const loop: Harness = harness({ coder: fakeAgent([nest, fix]) });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 2 });
    expect(loop.tree.git("show", "HEAD:sub/file")).toBe("in sub\n");
  });

  test("a path that is too long for git goes back to the coder", async () => {
    const name = "d".repeat(200);
    const dig: Answer = () => {
      const script = `for i in $(seq 25); do mkdir ${name}; cd ${name}; done; echo x > file`;
      execFileSync("bash", ["-c", script], { cwd: loop.tree.dir });
      return "done";
    };
    const fix: Answer = ({ prompt }) => {
      expect(prompt).toContain("Git cannot look into");
      execFileSync("rm", ["-rf", name], { cwd: loop.tree.dir });
      return "fixed";
    };
    const loop: Harness = harness({ coder: fakeAgent([dig, fix]) });
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 2 });
  });

  describe("changes in a submodule", () => {
    const answering =
      (text: string): Answer =>
      ({ workTree }) => {
        writeFileSync(join(workTree, "sub", "made.txt"), "made\n");
        return text;
      };

    function withSubmodule(options: Partial<LoopOptions>): Harness {
      const loop = harness(options);
      const { tree } = loop;
      const origin = join(tree.dir, ".git", "origin");
      tree.git("init", "-q", origin);
      tree.git("-C", origin, "commit", "-q", "--allow-empty", "-m", "within");
      tree.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin, "sub");
      tree.git("commit", "-q", "-m", "a submodule");
      return loop;
    }

    test("go back to the coder", async () => {
      const undo: Answer = ({ workTree, prompt }) => {
        expect(prompt).toContain("submodules have changed files");
        rmSync(join(workTree, "sub", "made.txt"));
        return "undone";
      };
      const loop = withSubmodule({ coder: fakeAgent([answering("done"), undo]) });
      expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 2 });
    });

    test("by a reviewer are told", async () => {
      const loop = withSubmodule({ reviewer: fakeAgent([answering(APPROVAL)]) });
      const result = await runTask(TASK, loop.options);
      expect(result).toMatchObject({ outcome: "approved-differs" });
      expect(result.message).toContain("not committed: sub");
    });

    test("that were there before the run are left to the person", async () => {
      const loop = withSubmodule({});
      writeFileSync(join(loop.tree.dir, "sub", "mine.txt"), "mine\n");
      expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", cycle: 1 });
    });
  });

  test.for(["tree", "commit"] as const)(
    "a replaced %s hides nothing from what is committed",
    async (what) => {
      const replaces: Answer = ({ workTree, runId }) => {
        const env = { ...process.env, GIT_REFLOG_ACTION: `quasar:${runId}/1` };
        const who = ["-c", "user.name=T", "-c", "user.email=t@localhost"];
        const git = (...args: string[]): string =>
          execFileSync("git", [...who, ...args], { cwd: workTree, env })
            .toString()
            .trim();
        writeFileSync(join(workTree, "a.txt"), "bad\n");
        git("add", "a.txt");
        git("commit", "-qm", "bad");
        const bad = git("rev-parse", what === "tree" ? "HEAD^{tree}" : "HEAD");
        writeFileSync(join(workTree, "a.txt"), "good\n");
        git("add", "a.txt");
        const tree = git("write-tree");
        const other = what === "tree" ? tree : git("commit-tree", tree, "-p", "HEAD^", "-m", "bad");
        git("replace", bad, other);
        return "done";
      };
      const filters = [{ name: "tests", command: "grep -q good a.txt" }];
      const loop = harness({ coder: fakeAgent([replaces]), filters });
      expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
      expect(loop.tree.git("--no-replace-objects", "show", "HEAD:a.txt")).toBe("good\n");
    },
  );

  test("a repository within that a reviewer makes is told", async () => {
    const nest: Answer = () => {
      loop.tree.git("init", "-q", "lib");
      loop.tree.git("-C", "lib", "commit", "-q", "--allow-empty", "-m", "within");
      return APPROVAL;
    };
    const loop: Harness = harness({ reviewer: fakeAgent([nest]) });
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "approved-differs" });
    expect(result.message).toContain("not committed: lib/");
  });

  test("an approval while lint fails says that it does", async () => {
    const loop = harness({ lint: [{ name: "style", command: "exit 1" }], maxLintRetries: 0 });
    const { outcome, message } = await runTask(TASK, loop.options);
    expect(outcome).toBe("approved");
    expect(message).toContain("Lint did not pass");
  });

  test("an approval where lint could not be run says so, to the reviewer too", async () => {
    const reviewer = fakeAgent([APPROVAL]);
    const lint = [{ name: "style", command: "no-such-linter" }];
    const loop = harness({ reviewer, lint });
    const { outcome, message } = await runTask(TASK, loop.options);
    expect(outcome).toBe("approved");
    expect(message).toContain("Lint did not pass");
    expect(reviewer.requests[0]?.prompt).toContain("style could not be run:");
  });

  test("files that an agent left half written are never committed, and are told", async () => {
    const loop = runWith(({ tree }) => tree.write("f2.js.tmp.9513.5c2cdf20e48c", "half"));
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(status(loop)).toBe("?? f2.js.tmp.9513.5c2cdf20e48c\n");
    expect(loop.trace()).toContainEqual(expect.stringContaining("temporary files of the agent"));
  });

  test("a tool's caches, even if the agent stages them, stay out of the commits of a true approval", async () => {
    const loop = runWith(({ tree }) => {
      tree.write("src/a.py", "work\n");
      tree.write("src/__pycache__/a.pyc", "cache");
      tree.write("target/CACHEDIR.TAG", "");
      tree.write("target/debug/a.o", "cache");
      tree.git("add", "src");
    });
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "approved", changed: true });
    expect(result.caches).toEqual(["src/__pycache__", "target"]);
    const committed = loop.tree.git("ls-tree", "-r", "--name-only", "HEAD").split("\n");
    expect(committed).toEqual(expect.arrayContaining(["src/a.py", "work.txt"]));
    expect(committed.filter((path) => /pycache|target/u.test(path))).toEqual([]);
  });

  test("a folder named like a cache whose files are tracked is work as any other", async () => {
    const loop = runWith(({ tree }) => {
      tree.write("node_modules/a.js", "changed\n");
      tree.write("node_modules/b.js", "new\n");
    });
    loop.tree.write("node_modules/a.js", "tracked\n");
    loop.tree.git("add", "-A");
    loop.tree.git("commit", "-q", "-m", "vendored");
    const result = await runTask(TASK, loop.options);
    expect(result).toMatchObject({ outcome: "approved", caches: [] });
    expect(loop.tree.git("show", "HEAD:node_modules/b.js")).toBe("new\n");
  });

  test("an index that an editor empties while git commits leaves no work out", async () => {
    const loop = harness();
    hook(loop.tree, "pre-commit", "[ -e .git/reset ] || { touch .git/reset; git reset -q; }");
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved", changed: true });
    expect(loop.tree.git("show", "HEAD:work.txt")).toBe("turn 1\n");
  });
});
