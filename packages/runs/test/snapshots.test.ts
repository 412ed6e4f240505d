import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentInvoker } from "@quasar/agents";
import { takeSnapshot } from "@quasar/git/snapshots";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { lockWorkspace } from "../src/driving/lock.ts";
import { openRuns, type RunEvent, type Runs } from "../src/index.ts";
import { packEndedRuns, unpackedRuns } from "../src/snapshots/pack.ts";
import { aRepository, capabilities } from "./place.ts";

let repo: string;
let runs: Runs;

beforeEach(async () => {
  repo = aRepository();
  writeFileSync(join(repo, "tracked.txt"), "tracked\n");
  writeFileSync(join(repo, "gone.txt"), "gone\n");
  git("add", "-A");
  git("commit", "-q", "-m", "start");
  runs = await openRuns(repo);
});

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: repo, encoding: "utf8", stdio: "pipe" }).trim();
}

function agent(name: string, text: string, act: (runId: string) => unknown): AgentInvoker {
  return {
    name,
    capabilities,
    async invoke({ turnId }) {
      await act(turnId.replace(/\.\d+$/u, ""));
      return { text, costUsd: 0.01, costSource: "reported", durationMs: 1 };
    },
  };
}

const BINARY = Buffer.from([0, 255, 13, 10, 0, 7]);

/** Uncommitted work of all sorts, kept by a run and then gone from the tree. */
async function snapshotWork(runId: string): Promise<void> {
  writeFileSync(join(repo, "data.bin"), BINARY);
  writeFileSync(join(repo, "tool.sh"), "#!/bin/sh\n");
  chmodSync(join(repo, "tool.sh"), 0o755);
  rmSync(join(repo, "gone.txt"));
  await takeSnapshot(repo, { prefix: `refs/quasar/${runId}/`, message: "half done" });
  for (const name of ["data.bin", "tool.sh"]) rmSync(join(repo, name));
  git("checkout", "-q", "--", "gone.txt");
  writeFileSync(join(repo, "work.txt"), "work\n");
}

const coder = agent("coder", "Wrote work.txt.", snapshotWork);
const content = agent("content", "APPROVED: it is there", () => {});
const refusing = agent("refusing", "ISSUE:\nSEVERITY: major\nDESCRIPTION: no", () => {});

async function approved(): Promise<string> {
  const { result } = await runs.start({ task: "Write", coder, reviewer: content });
  expect(result.outcome).toBe("approved");
  return result.runId;
}

const refs = (): string => git("for-each-ref", "--format=%(refname)", "refs/quasar");
const folderOf = (runId: string): string => join(repo, ".git/quasar/runs", runId, "snapshots");

function collectGarbage(): void {
  git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all");
  git("gc", "-q", "--prune=now");
}

async function expectBack(runId: string): Promise<void> {
  await runs.restore(runId, 1);
  expect(readFileSync(join(repo, "data.bin"))).toEqual(BINARY);
  expect(statSync(join(repo, "tool.sh")).mode & 0o111).toBe(0o111);
  expect(existsSync(join(repo, "gone.txt"))).toBe(false);
  expect(existsSync(join(repo, "work.txt"))).toBe(false);
}

test("an approved run leaves no ref, and its snapshots come back after a collection of garbage", async () => {
  const runId = await approved();
  expect(refs()).toBe("");
  expect(readdirSync(folderOf(runId)).toSorted()).toEqual(["1.json", "1.pack"]);
  collectGarbage();
  const { snapshots } = await runs.snapshots(runId);
  expect(snapshots).toMatchObject([{ n: 1, message: "half done" }]);
  await expectBack(runId);
  expect(refs(), "what was replaced is packed at once").toBe("");
  expect((await runs.snapshots(runId)).snapshots).toHaveLength(1);
});

test("what a restore has replaced comes back too", async () => {
  const runId = await approved();
  writeFileSync(join(repo, "mine.txt"), "mine\n");
  await expectBack(runId);
  expect(existsSync(join(repo, "mine.txt"))).toBe(false);
  collectGarbage();
  await runs.restore(runId, 2);
  expect(readFileSync(join(repo, "mine.txt"), "utf8")).toBe("mine\n");
  expect(existsSync(join(repo, "gone.txt"))).toBe(true);
  expect((await runs.snapshots(runId)).snapshots.map(({ n }) => n)).toEqual([1, 2, 3]);
});

test("nothing is brought back while another process works in the tree", async () => {
  const runId = await approved();
  const lock = await lockWorkspace(runs.workspace);
  onTestFinished(() => lock.release());
  await expect(runs.restore(runId, 1)).rejects.toMatchObject({ code: "ERR_LOCKED" });
  expect(existsSync(join(repo, "data.bin"))).toBe(false);
});

test("a stopped run keeps its refs until it is abandoned", async () => {
  const { result } = await runs.start({ task: "Write", coder, reviewer: refusing, maxCycles: 1 });
  const { runId } = result;
  expect(refs()).toBe(`refs/quasar/${runId}/1`);
  expect(existsSync(folderOf(runId))).toBe(false);
  expect((await runs.snapshots(runId)).snapshots).toMatchObject([{ n: 1 }]);
  await runs.abandon(runId, { mayEnd: () => true });
  expect(refs()).toBe("");
  collectGarbage();
  await expectBack(runId);
});

/** What a crash leaves between the pack and the end of the ref. */
const CRASHES = [
  ["the pack was written", (folder: string) => rmSync(join(folder, "1.json"))],
  [
    "half of the pack was written",
    (folder: string) => {
      rmSync(join(folder, "1.json"));
      writeFileSync(join(folder, "1.pack"), "PACK", { flag: "w" });
    },
  ],
  ["pack and manifest were written", () => {}],
] as const;

test.for(CRASHES)("a kill after %s loses nothing, and the next run ends it", async ([, undo]) => {
  const runId = await approved();
  const { sha } = (await runs.snapshots(runId)).snapshots[0] ?? {};
  git("update-ref", `refs/quasar/${runId}/1`, String(sha));
  const folder = folderOf(runId);
  undo(folder);
  expect((await runs.snapshots(runId)).snapshots).toMatchObject([{ n: 1, sha }]);
  expect(await unpackedRuns(runs.workspace)).toEqual([runId]);

  const idle = agent("idle", "Nothing to do.", () => {});
  await runs.start({ task: "Look", coder: idle, reviewer: refusing, maxCycles: 1 });
  expect(refs()).toBe("");
  expect(readdirSync(folder).toSorted()).toEqual(["1.json", "1.pack"]);
  collectGarbage();
  git("clean", "-qfd");
  await expectBack(runId);
});

test("a snapshot whose pack cannot be written keeps its ref, and that is told", async () => {
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  const blocked = agent("content", "APPROVED: it is there", (runId) => {
    writeFileSync(folderOf(runId), "in the way");
  });
  const { result } = await runs.start({ task: "Write", coder, reviewer: blocked, onEvent });
  expect(result.outcome).toBe("approved");
  expect(refs()).toBe(`refs/quasar/${result.runId}/1`);
  expect(events.at(-1)).toMatchObject({
    type: "warning",
    message: expect.stringMatching(/^snapshots? .*stays? /u),
  });
});

test("a pack that is damaged when it is read back is reported, and the ref is kept", async () => {
  const bin = mkdtempSync(join(realpathSync(tmpdir()), "runs-bin-"));
  onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
  const damage = `
    "${execFileSync("which", ["git"], { encoding: "utf8" }).trim()}" "$@"; code=$?
    case " $* " in *" pack-objects "*)
      for last; do :; done
      for file in "$last"-*.pack; do
        chmod 600 "$file"
        printf x | dd of="$file" bs=1 seek=30 conv=notrunc 2>/dev/null
      done;;
    esac
    exit $code`;
  writeFileSync(join(bin, "git"), `#!/bin/sh\n${damage}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  const { result } = await runs.start({ task: "Write", coder, reviewer: content, onEvent });
  const ref = `refs/quasar/${result.runId}/1`;
  expect(refs()).toBe(ref);
  expect(events.at(-1)).toMatchObject({
    type: "warning",
    message: expect.stringMatching(`^snapshot 1 stays at ${ref}: .*1\\.pack.* is damaged`),
  });
  expect(await unpackedRuns(runs.workspace)).toEqual([result.runId]);
  await expectBack(result.runId);
});

test.for(["1.pack", "1.json"])(
  "a damaged %s is reported, and written anew while there is a ref",
  async (name) => {
    const runId = await approved();
    const { sha } = (await runs.snapshots(runId)).snapshots[0] ?? {};
    const file = join(folderOf(runId), name);
    const bytes = readFileSync(file);
    writeFileSync(
      file,
      bytes.map((byte, at) => (at === 30 ? byte ^ 1 : byte)),
    );
    await expect(runs.restore(runId, 1)).rejects.toMatchObject(
      name === "1.pack" ? { code: "ERR_DAMAGED_PACK" } : { code: "ERR_USAGE" },
    );
    const { problems } = await runs.snapshots(runId);
    expect(problems).toEqual(
      name === "1.pack" ? [] : [expect.stringContaining("1.json is damaged")],
    );
    git("update-ref", `refs/quasar/${runId}/1`, String(sha));
    await packEndedRuns(runs.workspace);
    expect(refs()).toBe("");
    await expectBack(runId);
  },
);

test("no ref goes once another process drives", async () => {
  const runId = await approved();
  const { sha } = (await runs.snapshots(runId)).snapshots[0] ?? {};
  git("update-ref", `refs/quasar/${runId}/1`, String(sha));
  const before = (): void => {
    throw new Error("another process drives");
  };
  await expect(packEndedRuns(runs.workspace, { before })).rejects.toThrow("another process drives");
  expect(refs()).toBe(`refs/quasar/${runId}/1`);
});
