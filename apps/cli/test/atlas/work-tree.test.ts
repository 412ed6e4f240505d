import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, write } from "../harness.ts";
import { LONG } from "../scripts.ts";
import {
  atlas,
  atlasJson,
  type AtlasPlace,
  atlasPlace,
  FIX,
  scripted,
  startAtlas,
  taskDirOf,
  waiting,
  workTreeOf,
} from "./harness.ts";

const START = ["start", "fix null pointer in config", "--template", "write"];

/** Makes, edits, deletes and renames files, commits one, and then takes its time. */
const CODER = `cat > /dev/null
printf 'kept\\n' > committed.txt
git add committed.txt
git -c core.hooksPath=/dev/null commit -qm 'Add a file'
printf 'made\\n' > made.txt
printf 'more\\n' >> edited.txt
rm deleted.txt
git mv old.txt new.txt
: > "$(dirname "$0")/coder-is-done"
exec sleep 3600
`;

const TOUCHED = [
  "### Files You Modified",
  "",
  "- `committed.txt` (new, committed)",
  "- `deleted.txt` (deleted, uncommitted)",
  "- `edited.txt` (modified, uncommitted)",
  "- `made.txt` (new, uncommitted)",
  "- `new.txt` (new, uncommitted)",
  "- `old.txt` (deleted, uncommitted)",
  "",
].join("\n");

test.for([
  ["kill -9", "SIGKILL"],
  ["a pause", "SIGINT"],
] as const)(
  "after %s hook context shows each file that the agent touched, and whether it is committed",
  async ([, signal]) => {
    const at = atlasPlace({ "edited.txt": "1\n", "deleted.txt": "2\n", "old.txt": "3\n" });
    write(at.outside, { "coder.sh": CODER });
    const coder = `command:sh '${join(at.outside, "coder.sh")}'`;
    const running = startAtlas(at, [...START, "--coder", coder, "--reviewer", "command:true"]);
    await expect
      .poll(() => existsSync(join(at.outside, "coder-is-done")), { timeout: 180_000 })
      .toBe(true);
    running.child.kill(signal);
    await running.finished;

    const there = { ...at, repo: workTreeOf(at) };
    const context = await atlas(there, ["hook", "context"]);
    expect(context.stdout).toContain(TOUCHED);
    const hookMd = join(taskDirOf(at), "HOOK.md");
    expect(readFileSync(hookMd, "utf8")).toBe(context.stdout);

    git(there, "add", "made.txt");
    git(there, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "By hand", "made.txt");
    expect((await atlas(there, ["hook", "context"])).stdout).toContain(
      "- `made.txt` (new, committed)",
    );
  },
);

/** The git hook of a repository may be another's, or may not have come to its end yet. */
const COMMITS: readonly (readonly [how: string, settings: readonly string[]])[] = [
  ["with atlas's git hook", []],
  ["without a git hook", ["-c", "core.hooksPath=/dev/null"]],
];

async function commitCheckpoints(at: AtlasPlace): Promise<readonly unknown[]> {
  const { checkpoints } = await atlasJson(at, ["hook", "checkpoints"]);
  return (checkpoints as { trigger: string; description: string }[])
    .filter(({ trigger }) => trigger === "git_commit")
    .map(({ description }) => description);
}

test.for(COMMITS)(
  "a commit %s right before kill -9 has its checkpoint in the next command",
  async ([, settings]) => {
    const at = atlasPlace();
    const turns = FIX.slice(1).map((turn) => ({ ...turn, delayMs: LONG }));
    const running = startAtlas(at, [...START, ...scripted(at, turns)]);
    expect(await running.sees("coder    works")).toBe(true);
    const there = { ...at, repo: workTreeOf(at) };
    git(there, ...settings, "commit", "--allow-empty", "-qm", "right before");
    running.child.kill("SIGKILL");
    await running.finished;

    expect((await atlas(at, ["status"])).stdout).toContain("Commit: right before");
    expect((await atlas(there, ["hook", "context"])).stdout).toContain("Commit: right before");
    expect(await commitCheckpoints(at)).toEqual(["Commit: right before"]);
  },
);

test.for(COMMITS)(
  "a commit %s while a person is awaited has its checkpoint in the next command",
  async ([, settings]) => {
    const at = atlasPlace();
    await waiting(at);
    const there = { ...at, repo: workTreeOf(at) };
    git(there, ...settings, "commit", "--allow-empty", "-qm", "by hand");
    expect((await atlas(there, ["hook", "context"])).stdout).toContain("Commit: by hand");
    expect((await atlas(at, ["status"])).stdout).toContain("Commit: by hand");
    expect(await commitCheckpoints(at)).toEqual(["Commit: by hand"]);
  },
);
