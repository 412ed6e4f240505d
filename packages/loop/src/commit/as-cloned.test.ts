import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type Answer, fakeAgent } from "../../test/fake-agent.ts";
import { type Harness, harness } from "../../test/harness.ts";
import { runTask } from "../loop.ts";

const TASK = { title: "Do it" };

const writes =
  (path: string, text: string, mode = 0o644): Answer =>
  ({ workTree }) => {
    writeFileSync(join(workTree, path), text);
    chmodSync(join(workTree, path), mode);
    return "done";
  };

const warnings = ({ events }: Harness): readonly string[] =>
  events.flatMap((event) => (event.type === "warning" ? [event.message] : []));

interface Scene {
  readonly config?: readonly string[];
  readonly attributes?: string;
  readonly wrote: string;
  readonly clone: string;
}

test.for<[string, Scene]>([
  [
    "core.autocrlf=input",
    { config: ["core.autocrlf", "input"], wrote: "a\r\nb\r\n", clone: "a\nb\n" },
  ],
  [
    "core.autocrlf=true",
    { config: ["core.autocrlf", "true"], wrote: "a\nb\n", clone: "a\r\nb\r\n" },
  ],
  ["* text=auto", { attributes: "* text=auto\n", wrote: "a\r\nb\r\n", clone: "a\nb\n" }],
  ["* eol=crlf", { attributes: "* eol=crlf\n", wrote: "a\nb\n", clone: "a\r\nb\r\n" }],
  [
    "* ident",
    {
      attributes: "* ident\n",
      wrote: "$Id: mine $\n",
      clone: "$Id: 055c8729cdcc372500a08db659c045e16c4409fb $\n",
    },
  ],
])("checks read the bytes that a clone has, with %s", async ([, scene]) => {
  const filters = [{ name: "tests", command: "cat data.csv > .git/seen" }];
  const loop = harness({ coder: fakeAgent([writes("data.csv", scene.wrote)]), filters });
  if (scene.config !== undefined) loop.tree.git("config", ...scene.config);
  if (scene.attributes !== undefined) {
    loop.tree.write(".gitattributes", scene.attributes);
    loop.tree.git("add", "-A");
    loop.tree.git("commit", "-qm", "attributes");
  }
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  expect(readFileSync(join(loop.tree.dir, ".git/seen"), "utf8")).toBe(scene.clone);
  expect(readFileSync(join(loop.tree.dir, "data.csv"), "utf8")).toBe(scene.clone);
  expect(loop.tree.git("status", "--porcelain")).toBe("");
  expect(warnings(loop).filter((words) => words.includes("data.csv"))).toHaveLength(1);
});

test.for<[string, Scene]>([
  [
    "with core.autocrlf=true",
    { config: ["core.autocrlf", "true"], wrote: "a\r\n", clone: "a\r\n" },
  ],
  ["with core.autocrlf=input", { config: ["core.autocrlf", "input"], wrote: "a\n", clone: "a\n" }],
  ["without a setting", { wrote: "a\r\n", clone: "a\r\n" }],
  ["that no text is", { config: ["core.autocrlf", "true"], wrote: "a\n\0", clone: "a\n\0" }],
])(
  "nothing is said of files %s that are as a clone has them",
  async ([, { config = [], wrote }]) => {
    const loop = harness({ coder: fakeAgent([writes("data.csv", wrote)]) });
    if (config.length > 0) loop.tree.git("config", ...config);
    expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
    expect(readFileSync(join(loop.tree.dir, "data.csv"), "utf8")).toBe(wrote);
    expect(warnings(loop).filter((words) => words.includes("data.csv"))).toEqual([]);
  },
);

test("a file that a check makes is what a clone has of it when the check runs again", async () => {
  const command =
    '[ -f gen.csv ] || printf "a\\r\\n" > gen.csv; [ "$(wc -c < gen.csv)" -eq 3 ] || exit 1';
  const loop = harness({
    coder: fakeAgent([writes("work.txt", "work\n")]),
    filters: [{ name: "tests", command }],
    maxCycles: 1,
  });
  loop.tree.git("config", "core.autocrlf", "input");
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "max_cycles" });
  expect(readFileSync(join(loop.tree.dir, "gen.csv"), "utf8")).toBe("a\n");
});

test("a file that its own filter writes stays as it is", async () => {
  const loop = harness({ coder: fakeAgent([writes("data.csv", "good\n")]) });
  loop.tree.git("config", "filter.x.clean", "tr a-z n-za-m");
  loop.tree.git("config", "filter.x.smudge", "tr a-z n-za-m");
  loop.tree.write(".gitattributes", "*.csv filter=x\n");
  loop.tree.git("add", "-A");
  loop.tree.git("commit", "-qm", "attributes");
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  expect(readFileSync(join(loop.tree.dir, "data.csv"), "utf8")).toBe("good\n");
});

test("a script that is executable here alone, as core.fileMode is false, is named once", async () => {
  const loop = harness({
    coder: fakeAgent([writes("run.sh", "#!/bin/sh\n", 0o755)]),
    filters: [{ name: "tests", command: "test -x run.sh" }],
  });
  loop.tree.git("config", "core.fileMode", "false");
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  const said = warnings(loop).filter((words) => words.includes("run.sh"));
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("git update-index --chmod=+x");
});

test("empty folders that came in the run are named at the approval, and no others", async () => {
  const coder: Answer = ({ workTree }) => {
    mkdirSync(join(workTree, "data/out"), { recursive: true });
    mkdirSync(join(workTree, "logs"));
    mkdirSync(join(workTree, "src"));
    writeFileSync(join(workTree, "src/work.txt"), "work\n");
    return "done";
  };
  const loop = harness({ coder: fakeAgent([coder]), now: () => new Date() });
  mkdirSync(join(loop.tree.dir, "before"));
  loop.tree.write(".git/info/exclude", "logs\n");
  await sleep(20);
  expect(await runTask(TASK, loop.options)).toMatchObject({ outcome: "approved" });
  const said = warnings(loop).filter((words) => words.includes("empty"));
  expect(said).toEqual([expect.stringMatching(/: data$/u)]);
});

test.for(["echo x > .quasar", "ln -s src .quasar"])(
  "an approval does not count where %s has taken the place of the run's folder",
  async (script) => {
    const coder: Answer = ({ workTree }) => {
      execFileSync("sh", ["-c", `rm -rf .quasar; ${script}`], { cwd: workTree });
      return "done";
    };
    const loop = harness({ coder: fakeAgent([coder]) });
    const { outcome, message } = await runTask(TASK, loop.options);
    expect(outcome).toBe("approved-differs");
    expect(message).toContain("not committed: .quasar");
  },
);
