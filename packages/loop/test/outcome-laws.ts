import { existsSync } from "node:fs";
import { join } from "node:path";
import { fixOf, madeIn, SOURCE } from "./outcome-deeds.ts";
import { isAlone, type Plan } from "./outcome-plan.ts";
import { type End, type Lie, World } from "./outcome-world.ts";

/** What came of a plan, and of the same one without a kill. */
export interface Outcome {
  readonly end: End;
  readonly twin: End;
  readonly broken: readonly string[];
}

/** Id by path. */
type Files = ReadonlyMap<string, string>;

interface Left {
  readonly end: End;
  /** All that is in HEAD. */
  readonly tree: string;
  readonly broken: readonly string[];
}

/** Runs a plan and says which laws it broke. */
export async function outcomeOf(plan: Plan, lie?: Lie): Promise<Outcome> {
  const left = await leftOf(plan, lie);
  const isKilled = plan.kills.length > 0;
  const twin = isKilled ? await leftOf({ ...plan, kills: [] }, lie) : left;
  const broken = [...left.broken];
  if (isAlone(plan)) {
    if (left.end.outcome !== "approved") {
      broken.push(`a run that was alone ended ${left.end.outcome}: ${left.end.message}`);
    }
    if (left.tree !== twin.tree) broken.push("a kill changed the tree");
  }
  return { end: left.end, twin: twin.end, broken };
}

async function leftOf(plan: Plan, lie?: Lie): Promise<Left> {
  const world = new World(plan, lie);
  try {
    const end = await world.play();
    const { git } = world.tree;
    const head = readHead(git("ls-tree", "-r", "-z", "HEAD"));
    const laws = end.outcome === "approved" ? lawsOfApproval(world, head) : lawsOfStop(end);
    const lost = [...world.marks].filter((mark) => isLost(world, mark));
    return {
      end,
      tree: [...head].flat().join(" "),
      broken: [
        ...Object.keys(laws).filter((law) => laws[law] !== true),
        ...lost.map((mark) => `a person's work is lost: ${mark}`),
      ],
    };
  } finally {
    world.tree.remove();
  }
}

function readHead(list: string): Files {
  const entries = list.split("\0").filter(Boolean);
  return new Map(
    entries.map((entry) => {
      const [facts = "", path = ""] = entry.split("\t");
      return [path, facts.split(" ")[2] ?? ""];
    }),
  );
}

function lawsOfApproval(world: World, head: Files): Record<string, boolean> {
  const { tree, plan, given, checked, protectedPaths } = world;
  const others = (files: Files | undefined): string =>
    [...(files ?? [])]
      .filter(([path]) => !protectedPaths.includes(path))
      .map(([path, id]) => `${path} ${id}`)
      .toSorted()
      .join("\n");
  const dirty = tree
    .git("status", "--porcelain", "-uall")
    .split("\n")
    .filter((line) => line !== "" && !protectedPaths.includes(line.slice(3)));
  const source = tree.git("show", `HEAD:${SOURCE}`);
  const cycles = plan.coder.map((_, n) => n + 1);
  return {
    "HEAD is what the last reviewer was given": others(given) === others(head),
    "HEAD is what the last checks passed on":
      plan.tests === "none" || others(checked) === others(head),
    "HEAD is on the branch where the run began":
      tree.git("rev-parse", "--symbolic-full-name", "HEAD") === "refs/heads/main\n",
    "nothing of the run is uncommitted": dirty.length === 0,
    "the fix is in HEAD": cycles.every((n) => source.includes(fixOf(n))),
    "what else the coder made is in HEAD": cycles.every((n) => head.has(madeIn(n))),
    "files of a repository within are in HEAD": cycles.every(
      (n) => !existsSync(join(tree.dir, `sub-${n}`)) || head.has(`sub-${n}/file`),
    ),
  };
}

/** What a message has to name: a thing of git's, or a file. */
const TELLING = /HEAD|branch|commit|rebase|\.txt|sub-\d/u;

function lawsOfStop({ outcome, message }: End): Record<string, boolean> {
  return {
    [`a stop says what differs: ${outcome}: ${message}`]: TELLING.test(message),
    [`a stop has a name: ${outcome}`]: STOPS.has(outcome),
  };
}

const STOPS: ReadonlySet<string> = new Set(["work-tree", "approved-differs", "refused"]);

/** In the tree, in a commit of a branch, of HEAD, of a stash or of a snapshot. */
function isLost(world: World, mark: string): boolean {
  if (world.texts().some((text) => text.includes(mark))) return false;
  const { git } = world.tree;
  // A ref has the last stash alone; the others are in its reflog.
  const stashes = git("stash", "list", "--format=%H").split("\n").filter(Boolean);
  const all = ["log", "--all", "HEAD", ...stashes, "-m", "--format=%H", `-S${mark}`];
  return git(...all).trim() === "";
}
