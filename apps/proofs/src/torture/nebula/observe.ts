import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { listNebulae, type NebulaState, type PhaseState } from "@quasar/nebula";
import { nebulaHome, refsOf, runsFolder } from "@quasar/nebula/internal";
import { inspectReceipt, createKeyManager, listReceipts } from "@quasar/receipts";
import { processesOf, type Place as TrialPlace } from "@quasar/torture";
import { type Books, booksOf } from "../books.ts";
import { isHeld } from "../held.ts";
import { treeOf, uncommittedOf } from "../quasar/observe.ts";
import { BRANCH, DRIVER_MARK } from "./fixture.ts";

/** What the checks read of a trial's place. */
export type Place = Pick<TrialPlace, "root" | "work" | "home" | "env">;

/** What differs from run to run in names that hold a nebula's id or a phase's place in the plan. */
export const NEBULA_CHANCE: readonly (readonly [pattern: string, replacement: string])[] = [
  [String.raw`(nebulae/|nebula/|\.work\.quasar/)[a-z2-7]{10}(?=/|$)`, "$1*"],
];

const HEAD = `refs/heads/${BRANCH}`;

function git({ work, env }: Place, ...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: work, env, encoding: "utf8", stdio: "pipe" }).trim();
}

const commonDir = ({ work }: Place): string => join(work, ".git");

const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

/** The nebula, once its state is on disk. */
export function nebulaOf(place: Place): NebulaState | undefined {
  return listNebulae(commonDir(place))[0];
}

function runsOf(place: Place): readonly string[] {
  return listNebulae(commonDir(place)).flatMap(({ id, phases }) =>
    phases.flatMap(({ ref, runs }) =>
      runs.map((run) => join(runsFolder(nebulaHome(commonDir(place), id), ref), run)),
    ),
  );
}

/** Ids of the turns whose end is on disk. */
export function finishedTurns(place: Place): ReadonlySet<string> {
  const ends = runsOf(place).flatMap((run) => globSync(join(run, "turns/*.exit")));
  return new Set(ends.map((file) => `${basename(join(file, "../.."))}.${basename(file, ".exit")}`));
}

/** What the runs of all phases have cost. */
export function costOf(place: Place): Promise<Books> {
  return booksOf(runsOf(place).filter((run) => existsSync(run)));
}

function refsIn(place: Place, under: string): ReadonlyMap<string, string> {
  const listed = linesOf(git(place, "for-each-ref", "--format=%(refname) %(objectname)", under));
  return new Map(listed.map((line) => line.split(" ", 2) as [string, string]));
}

function isAncestor(place: Place, commit: string, of: string): boolean {
  try {
    git(place, "merge-base", "--is-ancestor", commit, of);
    return true;
  } catch {
    return false;
  }
}

/** Whether the branch contains a commit. */
export function isInBranch(place: Place, commit: string): boolean {
  return isAncestor(place, commit, HEAD);
}

/**
 * What has to be true at any moment, of a nebula that is killed just then as of one that has ended.
 *
 * @param isTakenBack - A power cut took landings back, which are not repeated yet, or may not be.
 */
export function unsoundOf(place: Place, isTakenBack: boolean): readonly string[] {
  const nebula = nebulaOf(place);
  if (nebula === undefined) return [];
  const { id, phases } = nebula;
  const refs = refsIn(place, "refs");
  const tip = refs.get(HEAD) ?? "none";
  const names = refsOf(id);
  const approved = phases.filter(({ status }) => ["queued", "landing", "done"].includes(status));
  const broken = (why: string, wrong: readonly Pick<PhaseState, "id">[]): readonly string[] =>
    wrong.map((phase) => `${phase.id} ${why}`);
  const landed = phases.filter(({ landing }) => landing > 0);
  return [
    ...broken(
      "has landed, and the branch does not have it",
      landed.filter(({ candidate }) => !isTakenBack && !isAncestor(place, candidate, tip)),
    ),
    ...broken(
      "is approved, and its tip is not frozen",
      approved.filter((each) => refs.get(names.frozen(each.ref, each.attempt)) !== each.tip),
    ),
    ...broken(
      "has landed, and no ref holds its candidate",
      landed.filter(({ seq, candidate }) => refs.get(names.candidate(seq)) !== candidate),
    ),
    ...broken(
      "has landed another commit than was approved, and no ref holds that one",
      landed.filter(({ ref, candidate, approvedCandidate }) => {
        const isAnother = approvedCandidate !== "" && approvedCandidate !== candidate;
        return isAnother && refs.get(names.approved(ref)) !== approvedCandidate;
      }),
    ),
    ...broken(
      "is approved without a place of its own in the queue",
      approved.filter(
        ({ seq }) => seq < 1 || approved.filter((each) => each.seq === seq).length > 1,
      ),
    ),
    ...broken(
      "waits for the lane without its work tree",
      approved.filter(
        ({ ref, status }) =>
          status !== "done" && globSync(join(treesOf(place), "*", ref)).length === 0,
      ),
    ),
    ...broken(
      "has landed without a receipt for its tree",
      landed.filter(({ tree }) => !isVerified(place, id, tree)),
    ),
    ...(existsSync(join(place.home, DRIVER_MARK)) ? ["a merge driver of the repository ran"] : []),
    ...madeTwice(place),
  ];
}

function isVerified(place: Place, nebula: string, tree: string): boolean {
  const dir = nebulaHome(commonDir(place), nebula).receipts;
  const keys = createKeyManager({ dir: join(place.home, ".local/state/quasar/keys") });
  const task = { workspaceId: "nebula", taskId: nebula };
  return listReceipts(dir).some((receipt) => {
    const { verdict, statement } = inspectReceipt(receipt, { dir, task, keys });
    const isGood = verdict.kind === "valid" && verdict.output === "matches";
    return isGood && statement?.treeBefore === tree && statement.exitCode === 0;
  });
}

/** Merges that were made in two ways, of the same parents: whatever is repeated has to come to the same commit. */
function madeTwice(place: Place): readonly string[] {
  const all = ["cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"];
  const commits = linesOf(git(place, ...all))
    .filter((line) => line.startsWith("commit "))
    .map((line) => line.slice("commit ".length));
  const listed = git(place, "show", "--no-patch", "--format=%P %s", ...commits);
  const merges = linesOf(listed).filter((line) => /^[0-9a-f]+ [0-9a-f]{40}/u.test(line));
  return merges
    .filter((merge, at) => merges.indexOf(merge) !== at)
    .map((merge) => `twice: ${merge}`);
}

/** What git finds wrong with its objects and refs. */
export function damageOf(place: Place): readonly string[] {
  try {
    const found = linesOf(git(place, "fsck", "--full", "--no-dangling", "--no-progress"));
    return found.map((line) => `git fsck: ${line}`);
  } catch (error) {
    const [first] = String(error)
      .split("\n")
      .filter((line) => line.startsWith("error:"));
    return [`git fsck: ${first ?? String(error)}`];
  }
}

/** A phase of these takes a sixth of it where nobody is killed: half-written turns are kept, too. */
const MOST_STORED_BYTES = 128 * 1024;

/**
 * Where more is on the disk than the phases need: work trees of others than those at work, of verifications, and of as
 * many that have just landed as there are workers; or much in the repository.
 */
export function crowdedOf(
  place: Place,
  { workers }: { readonly workers: number },
): readonly string[] {
  const { phases = [] } = nebulaOf(place) ?? {};
  const atWork = phases.filter(({ status, runs }) => runs.length > 0 && status !== "done");
  const trees = globSync(join(treesOf(place), "*/*"));
  const bytes = storedBytes(place);
  const isStored = bytes <= MOST_STORED_BYTES * Math.max(1, phases.length);
  return [
    ...(trees.length <= atWork.length + 1 + workers
      ? []
      : [`${trees.length} work trees, and ${atWork.length} phases at work`]),
    ...(isStored ? [] : [`${bytes} bytes are stored`]),
  ];
}

/** What the repository and all that is kept of the nebula take. */
function storedBytes(place: Place): number {
  const files = globSync(join(commonDir(place), "**"), { withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .reduce((sum, file) => {
      const path = join(file.parentPath, file.name);
      return sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
    }, 0);
}

/** Whether the folder of a nebula's work trees is there. */
export function hasTrees(place: Place): boolean {
  return globSync(join(treesOf(place), "*")).length > 0;
}

const treesOf = ({ root }: Place): string => join(root, ".work.quasar");

/** Trees and subjects of the branch, oldest first: not ids, which hold the time. */
export function landingsOf(place: Place): readonly string[] {
  const args = ["log", "--first-parent", "--reverse", "--format=%T %s", `refs/heads/main..${HEAD}`];
  return linesOf(git(place, ...args));
}

export interface PhaseFacts {
  readonly status: string;
  /** Whether the state says so. */
  readonly hasLanded: boolean;
  readonly attempt: number;
  readonly runs: number;
  /** Trees and subjects of its own commits, oldest first. */
  readonly commits: readonly string[];
}

/** What has become of each phase, by its id. */
export function phasesOf(place: Place): Readonly<Record<string, PhaseFacts>> {
  const { phases = [] } = nebulaOf(place) ?? {};
  return Object.fromEntries(
    phases.map(({ id, status, landing, attempt, runs, tip }) => {
      const log = tip === "" ? "" : git(place, "log", "--first-parent", "--format=%T %s", tip);
      const lines = linesOf(log);
      const begin = lines.findIndex((line) => / (?:Land \w+: .*|Begin|Edit by hand)$/u.test(line));
      const own = lines.slice(0, begin).toReversed();
      // The markers of a conflict name commits: those of a merge's tree hold the time.
      const commits = own.map((line) => line.replace(/^\S+ (Merge .*) p.*/u, "$1"));
      return [id, { status, hasLanded: landing > 0, attempt, runs: runs.length, commits }];
    }),
  );
}

/**
 * Names of the refs that there are, but of those that hold what was approved: they are there only where another commit
 * landed, which a kill may decide.
 */
export function refNamesOf(place: Place): readonly string[] {
  const { id = "" } = nebulaOf(place) ?? {};
  const approved = refsOf(id).approved("");
  const names = [...refsIn(place, "refs").keys()].filter((name) => !name.startsWith(approved));
  return names.map((name) => name.replace(id, "*"));
}

/** What the user has, and nobody else may touch. */
export function userOf(place: Place): Readonly<Record<string, unknown>> {
  return {
    head: git(place, "symbolic-ref", "HEAD"),
    commit: git(place, "log", "-1", "--format=%T %s"),
    index: git(place, "ls-files", "--stage"),
    uncommitted: uncommittedOf(place),
    tree: treeOf(place),
  };
}

/** What a nebula that is over leaves of what was put up for it: work trees, locks that are held, processes. */
export function leftovers(place: Place): readonly string[] {
  const { id = "" } = nebulaOf(place) ?? {};
  const locks = globSync(
    join(commonDir(place), "quasar/{lock,nebulae-lock,nebulae/*/lock}"),
  ).filter(isHeld);
  const ofGit = globSync(join(commonDir(place), "**/*.lock"));
  // Between two of its last steps the folder of all nebulae is empty, and nobody resumes what has ended.
  const trees = globSync([join(treesOf(place), "*/**"), join(commonDir(place), "worktrees/*")]);
  const files = [...locks, ...ofGit, ...trees].map((path) =>
    path.replace(place.root, "").replace(id, "*"),
  );
  return [...files, ...processesOf(place.root).map((pid) => `process ${pid}: ${commandOf(pid)}`)];
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").slice(0, 200);
  } catch {
    return "gone";
  }
}

/** Ends the agent of one turn with who watches over it. @returns The turn's id; `undefined` where none is at work. */
export function endOneAgent(place: Place): string | undefined {
  const [turn] = processesOf(place.root)
    .map(turnOf)
    .filter((each) => each !== "")
    .toSorted();
  if (turn === undefined) return undefined;
  // Until none is left: who watches may be starting the agent just now.
  for (;;) {
    const left = processesOf(place.root).filter((pid) => turnOf(pid) === turn);
    if (left.length === 0) return turn;
    for (const pid of left) killQuietly(pid);
  }
}

function turnOf(pid: number): string {
  try {
    return (
      /(?:^|\0)QUASAR_TURN_ID=([^\0]+)/u.exec(readFileSync(`/proc/${pid}/environ`, "utf8"))?.[1] ??
      ""
    );
  } catch {
    return "";
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has gone
  }
}

/**
 * Puts the branch back to where a landing found it, as a power cut may.
 *
 * @param chance - Which of them, 0 to 1.
 * @returns Whether there was one.
 */
export function takeBack(place: Place, chance: number): boolean {
  const { phases = [] } = nebulaOf(place) ?? {};
  const landed = phases.filter(({ landing }) => landing > 0);
  const onto = landed[Math.floor(chance * landed.length)]?.onto ?? "";
  // Nobody resumes what has ended.
  if (onto === "" || landed.length === phases.length) return false;
  git(place, "update-ref", HEAD, onto);
  return true;
}
