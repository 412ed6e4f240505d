import {
  type Commit,
  inspectRepository,
  type RepositoryFacts,
  type SignalOptions,
} from "@quasar/git";
import { commitDescription } from "./route.ts";
import type { InboxNote } from "../store/inbox.ts";

/** What is known already of the commits of a task. */
export interface KnownCommits {
  /** HEAD when commits were last searched for, or when the task began; `""`: there was no commit. */
  readonly head: string;
  /** The commits that have a checkpoint. */
  readonly recorded: ReadonlySet<string>;
}

/** What a checkpoint is to be made of. */
export interface NoticedCommit {
  readonly trigger: "git_commit";
  /** `Commit: <subject>` */
  readonly description: string;
  /** How the work tree stands now, but for the commit, which may have others after it. */
  readonly git: { readonly branch: string; readonly commit: string; readonly dirty: boolean };
  /** How many commits it stands for: more than one after a rebase. */
  readonly count: number;
}

export type NoticedCommits =
  /** A rebase or `git am` is under way: its commits are one checkpoint when it is over. */
  | { readonly kind: "waiting" }
  | {
      readonly kind: "noticed";
      /** Oldest first; no commit has two, ever. */
      readonly checkpoints: readonly NoticedCommit[];
      /** What `head` is for the next time, once these are durable. */
      readonly head: string;
      /** Of the notes those that this answers: to be cleared, once these are durable. */
      readonly notes: readonly InboxNote[];
      /** Not so where the repository has lost the commits before HEAD. */
      readonly isComplete: boolean;
    };

export interface LookForCommitsOptions extends SignalOptions {
  /** The work tree as it was seen after the notes were read, since `known.head`. @default it is checked */
  readonly seen?: RepositoryFacts | undefined;
}

/** Looks for commits that were made in a work tree since. Rejects as `inspectRepository` does. */
export async function lookForCommits(
  worktree: string,
  known: KnownCommits,
  notes: readonly InboxNote[],
  { seen, signal }: LookForCommitsOptions = {},
): Promise<NoticedCommits> {
  const facts = seen ?? (await inspectRepository(worktree, { since: known.head, signal }));
  return noticeCommits(facts, known, notes);
}

/**
 * The commits that were made in a work tree and have no checkpoint yet.
 *
 * HEAD decides, not the notes: a commit that no git hook told of is found, one that was amended away
 * is not, and what came in by a merge, a pull or a checkout was not made here, as HEAD's reflog tells.
 *
 * @see SPEC.md, "Pushes and commits"
 */
export function noticeCommits(
  facts: RepositoryFacts,
  known: KnownCommits,
  notes: readonly InboxNote[],
): NoticedCommits {
  if (facts.operation === "rebase" || facts.operation === "am") return { kind: "waiting" };
  const answered = notes.filter(({ trigger }) => trigger === "git_commit");
  const told = new Set(answered.flatMap(({ commit }) => commit ?? []));
  const isComplete = !LOST.has(facts.relation);
  const groups = isComplete ? grouped(madeHere(facts, told)) : headAlone(facts, answered);
  const isLost = facts.head === "" && facts.relation !== "unborn";
  return {
    kind: "noticed",
    checkpoints: groups
      .filter(({ sha }) => !known.recorded.has(sha))
      .map(({ sha, description, count }) => ({
        trigger: "git_commit",
        description,
        git: { branch: facts.branch ?? "", commit: sha, dirty: facts.dirty.length > 0 },
        count,
      })),
    head: isLost ? known.head : facts.head,
    notes: answered,
    isComplete,
  };
}

const LOST: ReadonlySet<RepositoryFacts["relation"]> = new Set([
  "unknown-commit",
  "commit-lost",
  "undecidable",
]);

/** How a commit came about: by itself, or as one of those that were written again. */
interface Made {
  readonly commit: Commit;
  readonly isRewritten: boolean;
}

function madeHere(facts: RepositoryFacts, told: ReadonlySet<string>): readonly Made[] {
  const { commits, actions, relation } = facts;
  if (actions.size === 0) {
    // No reflog is kept: what is in the line of first parents may as well have been made here.
    const line = firstParents(facts);
    const isRewritten = relation === "diverged" && line.length > 1;
    return line.map((commit) => ({ commit, isRewritten }));
  }
  return commits.flatMap((commit) => {
    const action = actions.get(commit.sha) ?? "";
    const way = wayOf(action, commit) ?? (told.has(commit.sha) ? "made" : undefined);
    return way === undefined ? [] : [{ commit, isRewritten: way === "rewritten" }];
  });
}

/** Actions of HEAD's reflog, in order: the first that matches says what became of HEAD. */
const WAYS: readonly (readonly [action: RegExp, way: "moved" | "rewritten" | "merged"])[] = [
  [/^$|^(?:checkout|reset|clone|branch|bisect|stash|Branch)\b/, "moved"],
  [/\((?:start|abort|reset|update-refs)\)$/, "moved"],
  [/^rebase\b|^am\b|\((?:pick|reword|edit|squash|fixup|continue|finish)\)$/, "rewritten"],
  [/^(?:merge|pull)\b/, "merged"],
];

function wayOf(action: string, { parents }: Commit): "made" | "rewritten" | undefined {
  const way = WAYS.find(([pattern]) => pattern.test(action))?.[1];
  if (way === "moved") return undefined;
  if (way === "merged") return parents.length > 1 ? "made" : undefined;
  return way ?? "made";
}

function firstParents({ commits, head }: RepositoryFacts): readonly Commit[] {
  const byId = new Map(commits.map((commit) => [commit.sha, commit]));
  const line: Commit[] = [];
  for (let at = byId.get(head); at !== undefined; at = byId.get(at.parents[0] ?? "")) {
    line.unshift(at);
  }
  return line;
}

interface Group {
  readonly sha: string;
  readonly description: string;
  readonly count: number;
}

/** One for each commit; one for all that were written again one after the other. */
function grouped(made: readonly Made[]): readonly Group[] {
  const groups: Group[] = [];
  for (const [index, { commit, isRewritten }] of made.entries()) {
    const goesOn = isRewritten && made[index - 1]?.isRewritten === true;
    const count = goesOn ? (groups.pop()?.count ?? 0) + 1 : 1;
    const more = count > 1 ? ` (the last of ${count} that were rebased)` : "";
    const description = `${commitDescription(commit.subject)}${more}`;
    groups.push({ sha: commit.sha, description, count });
  }
  return groups;
}

/** Where the commits before HEAD cannot be listed, HEAD's own stands for them. */
function headAlone({ head }: RepositoryFacts, notes: readonly InboxNote[]): readonly Group[] {
  if (head === "") return [];
  const told = notes.find(({ commit }) => commit === head)?.description;
  return [{ sha: head, description: told ?? commitDescription(head), count: 1 }];
}
