import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Answer, APPROVAL, fakeAgent } from "../../test/fake-agent.ts";
import { aFolder, type Harness, harness } from "../../test/harness.ts";
import { runTask } from "../loop.ts";

const TASK = { title: "Do it" };

/** What a reviewer does to a tree with `a.txt`, `link` to it and `d/f`. */
test.for<[what: string, script: string]>([
  [
    "a folder in the place of a file",
    "rm a.txt; mkdir -p a.txt/b/c; echo q > a.txt/x; echo q > a.txt/b/y",
  ],
  ["an empty folder in the place of a file", "rm a.txt; mkdir -p a.txt/b"],
  [
    "a folder that is staged in the place of a file",
    "rm a.txt; mkdir a.txt; echo q > a.txt/x; git add -A",
  ],
  ["a file in the place of a folder", "rm -r d; echo q > d"],
  ["a file that is staged in the place of a folder", "rm -r d; echo q > d; git add -A"],
  ["a link in the place of a folder", "rm -r d; ln -s .. d"],
  ["a link in the place of a file", "ln -sf /etc/passwd a.txt"],
  ["a file in the place of a link", "rm link; echo q > link"],
  ["a folder in the place of a link", "rm link; mkdir link; echo q > link/x"],
  [
    "all of it",
    "rm -r d a.txt link; mkdir a.txt link; echo q > a.txt/x; echo q > link/x; echo q > d",
  ],
])("of a reviewer %s is undone, and the run is approved", async ([, script]) => {
  const meddle: Answer = ({ workTree }) => {
    execFileSync("sh", ["-c", script], { cwd: workTree });
    return APPROVAL;
  };
  const loop: Harness = harness({ reviewer: fakeAgent([meddle]) });
  loop.tree.write("a.txt", "a\n");
  loop.tree.write("d/f", "f\n");
  execFileSync("ln", ["-s", "a.txt", "link"], { cwd: loop.tree.dir });
  loop.tree.git("add", "-A");
  loop.tree.git("commit", "-qm", "tree");
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  expect(loop.tree.git("status", "--porcelain", "-uall")).toBe("");
  expect(loop.events.some(({ type }) => type === "undone")).toBe(true);
  expect(readFileSync(join(loop.tree.dir, "link"), "utf8")).toBe("a\n");
  expect(readFileSync(join(loop.tree.dir, "d/f"), "utf8")).toBe("f\n");
});

test("nothing behind a link is removed where a reviewer has staged files in a folder and made it a link", async () => {
  const outside = aFolder();
  writeFileSync(join(outside, "x"), "mine\n");
  const meddle: Answer = ({ workTree }) => {
    mkdirSync(join(workTree, "new"));
    const script = `echo q > new/x; git add -A; rm -r new; ln -s ${outside} new`;
    execFileSync("sh", ["-c", script], { cwd: workTree });
    return APPROVAL;
  };
  const loop = harness({ reviewer: fakeAgent([meddle]) });
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  expect(readFileSync(join(outside, "x"), "utf8")).toBe("mine\n");
  expect(loop.tree.git("status", "--porcelain", "-uall")).toBe("");
});

test("a folder in the place of a file that holds what git ignores stays, and the run says so", async () => {
  const meddle: Answer = ({ workTree }) => {
    execFileSync("sh", ["-c", "rm a.txt; mkdir a.txt; echo q > a.txt/x.log"], { cwd: workTree });
    return APPROVAL;
  };
  const loop = harness({ reviewer: fakeAgent([meddle]) });
  loop.tree.write("a.txt", "a\n");
  loop.tree.write(".gitignore", "*.log\n");
  loop.tree.git("add", "-A");
  loop.tree.git("commit", "-qm", "tree");
  const { outcome, message } = await runTask(TASK, loop.options);
  expect(outcome).toBe("approved-differs");
  expect(message).toContain("a.txt");
  expect(readFileSync(join(loop.tree.dir, "a.txt/x.log"), "utf8")).toBe("q\n");
});
