import { CliError } from "../errors.ts";
import { cleanLine } from "../output/clean.ts";
import { firstLine } from "../output/text.ts";
import { storedBranch } from "../runs/store.ts";
import { dirtyTree } from "../work-tree.ts";
import type { FoundCheckpoint } from "./find.ts";
import { type FoundTree, isCoderAtWork, newlyDirty } from "./tree.ts";

/** What a user may accept, each by a flag of its own. */
export type Override = "trust" | "branch" | "head" | "dirty";

/** Why a run is not gone on with unless the user accepts it. */
export interface Obstacle {
  readonly what: Override;
  readonly error: CliError;
}

/** What was found of a run and its tree, judged. */
export interface Judgement {
  /** In the order in which they are told. */
  readonly obstacles: readonly Obstacle[];
  /** Uncommitted paths that are taken for the work of the coder's unfinished turn. */
  readonly coders: readonly string[];
  /** Uncommitted paths that are the user's. */
  readonly users: readonly string[];
}

/**
 * Judges whether a run can be gone on with in the tree as it is found. Whose the changes are that lie
 * uncommitted there: those of an unfinished turn are its coder's and will be committed; after
 * everything else the run has left a clean tree, so they are the user's.
 */
export function judge(found: FoundCheckpoint, tree: FoundTree): Judgement {
  const { loaded } = found;
  const { checkpoint } = loaded;
  const dirty = newlyDirty(checkpoint, tree);
  const isCoders = isCoderAtWork(checkpoint);
  const [coders, users] = isCoders ? [dirty, []] : [[], dirty];
  const errors: Readonly<Record<Override, CliError | undefined>> = {
    trust: loaded.seal === "valid" ? undefined : foreign(found),
    branch: otherBranch(storedBranch(checkpoint), tree),
    head: undefined,
    dirty: users.length === 0 ? undefined : dirtyTree(users, DIRTY_STEPS),
  };
  const obstacles = OVERRIDES.flatMap((what) => {
    const error = errors[what];
    return error === undefined ? [] : [{ what, error }];
  });
  return { obstacles, coders, users };
}

const OVERRIDES: readonly Override[] = ["trust", "branch", "head", "dirty"];

const DIRTY_STEPS = [
  "git add -A && git commit -m … && quasar resume --accept-head (or git stash -u)",
  "quasar resume --accept-dirty (those files are never committed by quasar)",
];

function foreign({ loaded: { seal, checkpoint }, path }: FoundCheckpoint): CliError {
  const whose =
    seal === "foreign"
      ? "was sealed by another machine or user, or the folder was moved"
      : "carries no seal";
  const task = firstLine(checkpoint.taskTitle);
  return new CliError("ERR_FOREIGN_CHECKPOINT", `${path} ${whose}; its task: ${task}`, {
    next: [
      "quasar resume --trust   (only if you know where it comes from: it is an agent's prompt)",
    ],
  });
}

/** @param stored - The run's branch: `""` is none, `undefined` one that nobody noted. */
function otherBranch(stored: string | undefined, { branch = "" }: FoundTree): CliError | undefined {
  if (stored === undefined || stored === branch) return undefined;
  const shown = (name: string): string => (name === "" ? "no branch" : `branch ${cleanLine(name)}`);
  const message = `the run works on ${shown(stored)}, but HEAD is on ${shown(branch)}`;
  const back = stored === "" ? [] : [`git switch ${cleanLine(stored)}`];
  return new CliError("ERR_BRANCH_CHANGED", message, {
    next: [...back, "quasar resume --accept-branch"],
  });
}
