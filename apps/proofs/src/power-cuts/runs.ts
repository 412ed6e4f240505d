import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFileCheckpointStore, type LoadedCheckpoint } from "@quasar/checkpoint";
import { makePlace, oneCycle, type Place, runIds, runsOf } from "../blackbox/place.ts";
import type { Line } from "./guest.ts";
import { type Judged, quote, type Verdict, type Victim } from "./victim.ts";

/** Runs that a guest would do, were the power not cut. */
const RUNS = 8;

/** Runs of `quasar`, one after the other. */
export function runsVictim(disk: string): Victim {
  const at = makePlace("cuts", disk);
  const { repo: cwd, env } = at;
  return {
    workspace: { cwd, env },
    work: Array.from({ length: RUNS }, (_, index) => {
      const agent = quote(`scripted:${writeScript(at, index + 1)}`);
      const task = quote(`Write number ${index + 1}.`);
      return `quasar run ${task} --json --coder ${agent} --reviewer ${agent}`;
    }),
    resume: "quasar resume --json",
    lines: [1, 36], // of some three runs
    judgeCut: (lines) => judgeCut(at, lines),
    judgeResumed: ({ isOpen }, lines, after) => judgeResumed(at, isOpen, lines, after),
  };
}

function writeScript({ root }: Place, number: number): string {
  const path = join(root, `script-${number}.json`);
  const turns = oneCycle(50).map((turn) =>
    "files" in turn ? { ...turn, files: { "work.txt": `${number}\n` } } : turn,
  );
  writeFileSync(path, JSON.stringify({ turns, responseUsd: 0.25 }));
  return path;
}

/** The events after which the run is on disk. */
const AFTER_A_SAVE: ReadonlySet<unknown> = new Set(["agent_start", "agent_done", "committed"]);

/** Judges a disk after a cut by what the runs on it had printed before. */
async function judgeCut(at: Place, lines: readonly Line[]): Promise<Judged> {
  const bad: string[] = [];
  const tell = (message: string): void => void bad.push(message);
  const git = gitIn(at);
  const isCommit = (sha: string): boolean => git("cat-file", "-e", `${sha}^{tree}`).status === 0;

  const fsck = git("fsck", "--full", "--no-dangling", "--no-progress");
  if (fsck.status !== 0) tell(`git fsck: ${firstLineOf(fsck.stdout + fsck.stderr)}`);
  if (git("rev-parse", "--verify", "HEAD^{tree}").status !== 0) tell("HEAD does not resolve");

  for (const { type, sha } of lines) {
    if (type !== "committed") continue;
    const isKept = git("merge-base", "--is-ancestor", String(sha), "HEAD").status === 0;
    if (!isKept) tell(`the acknowledged commit ${String(sha)} is lost`);
  }
  let isOpen = false;
  const runIdOf = runIdsOf(lines);
  for (const runId of new Set([...runIds(at), ...runIdOf.values()])) {
    const own = lines.filter((line) => runIdOf.get(line) === runId);
    const isEnded = own.some(({ type }) => type === "result");
    const loaded = await load(at, runId).catch((error: unknown) => {
      tell(`the checkpoint of ${runId}: ${String(error)}`);
    });
    if (loaded === undefined) {
      if (own.some(({ type }) => AFTER_A_SAVE.has(type))) tell(`no checkpoint of ${runId}`);
      continue;
    }
    const { isArchived, checkpoint, problems } = loaded;
    for (const problem of problems) tell(`the checkpoint of ${runId}: ${problem}`);
    if (isEnded && !isArchived) tell(`${runId} had ended`);
    if (!isArchived) isOpen = true;
    if (!isCommit(checkpoint.gitSha)) tell(`${runId} names a missing commit ${checkpoint.gitSha}`);
  }

  return { bad, isOpen };
}

/** Judges the disk once the run was resumed, where there was one. */
function judgeResumed(
  at: Place,
  isOpen: boolean,
  lines: readonly Line[],
  after: readonly Line[],
): Verdict {
  const bad: string[] = [];
  const tell = (message: string): void => void bad.push(message);
  const git = gitIn(at);
  const { code } = after.findLast(({ type }) => type === "left") ?? { code: "nothing" };
  if (code !== (isOpen ? 0 : 8)) {
    const message = after.findLast((line) => line["message"] !== undefined)?.["message"];
    tell(`quasar resume left with ${String(code)}: ${String(message)}`);
  }
  const finished = new Set(lines.filter(({ type }) => type === "agent_done").map(turnOf));
  for (const line of after) {
    if (line.type === "agent_done" && finished.has(turnOf(line))) {
      tell(`the finished turn ${turnOf(line)} was paid for again`);
    }
  }

  const format = "%H%x09%s%x09%(trailers:key=Quasar-Turn,valueonly,separator=)";
  const commits = git("log", `--format=${format}`).stdout.trim().split("\n").slice(0, -1);
  const turns = commits.map((commit) => commit.split("\t")[2] ?? "");
  if (new Set(turns).size !== turns.length) tell(`a turn was committed twice: ${turns.join(" ")}`);
  for (const [index, commit] of commits.toReversed().entries()) {
    const [sha = ""] = commit.split("\t");
    const work = git("show", `${sha}:work.txt`).stdout;
    if (work !== `${index + 1}\n`) tell(`commit ${index + 1} holds ${JSON.stringify(work)}`);
  }
  const dirty = git("status", "--porcelain").stdout;
  if (dirty !== "") tell(`the tree is not clean: ${JSON.stringify(dirty)}`);
  return bad;
}

function gitIn({ repo, env }: Place) {
  return (...args: readonly string[]) =>
    spawnSync("git", args, { cwd: repo, env, encoding: "utf8" });
}

/** Each line by the run that printed it: only the first one of a run says so. */
function runIdsOf(lines: readonly Line[]): ReadonlyMap<Line, string> {
  let runId = "";
  const known = new Map<Line, string>();
  for (const line of lines) {
    if (line.type === "run") runId = String(line["runId"]);
    known.set(line, runId);
  }
  return known;
}

function turnOf({ taskId, cycle, role }: Line): string {
  return [taskId, cycle, role].join(" ");
}

async function load(
  at: Place,
  runId: string,
): Promise<(LoadedCheckpoint & { isArchived: boolean }) | undefined> {
  const dir = join(runsOf(at), runId);
  const current = await createFileCheckpointStore({ dir }).load();
  const archived = await createFileCheckpointStore({ dir: join(dir, "archive") }).load();
  const found = current ?? archived;
  return found && { ...found, isArchived: current === undefined };
}

function firstLineOf(text: string): string {
  return text.split("\n")[0] ?? "";
}
